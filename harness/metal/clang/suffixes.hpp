// Suffixes of numbers that Metal has and clang refuses.
#pragma once

#include <string>

namespace assay::metal {

/// The text with suffixes of stdlib/metal/literals.h: `1.5H` -> `1.5h`, `2bf` -> `2_bf`. No name of C++
/// stands for them, since clang takes no suffixes but those of its own library and those with a `_`.
std::string with_suffixes_of_clang(std::string text);

}  // namespace assay::metal
