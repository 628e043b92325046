// The names that a compiled kernel and the program that loads it know each other by.
#pragma once

#include <string_view>

namespace assay::metal {

/// Does the simulator offer this to kernels: its own functions (stdlib/assay/), the checker's hooks, and what
/// the compiler makes of the built-ins that the stand-in headers use?
bool is_offered(std::string_view symbol);

/// May a kernel's object define this for others to see: what the loader looks up in it, of every variant?
bool is_exported(std::string_view symbol);

}  // namespace assay::metal
