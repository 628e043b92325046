// The attributes, built-ins and words of C++ that kernels may use, or may not.
#pragma once

#include <string_view>

namespace assay::metal {

/// Does an attribute of clang's or GCC's, without underscores around it, mean something in Metal, or nothing
/// to C++? (Others choose sections, symbols, code that runs at load, or what the checks see.)
bool is_kernel_attribute(std::string_view name);

/// Is `__builtin_name` computed from its arguments alone? `name` comes without that prefix.
bool is_plain_builtin(std::string_view name);

/// Why a word of C++ is refused, to follow "`word`: "; empty for words that are not.
std::string_view why_refused(std::string_view word);

}  // namespace assay::metal
