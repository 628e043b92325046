// The names that the library puts into namespace metal.
#pragma once

#include <string_view>

namespace assay::metal {

/// Does the library's text have this word? Then a kernel's function of that name may be an overload of the
/// library's.
bool is_library_word(std::string_view word);

}  // namespace assay::metal
