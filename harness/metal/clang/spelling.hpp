// Metal's spellings that clang has not, in clang's.
#pragma once

#include <string>

#include "harness/metal/clang/edits.hpp"

namespace assay::metal {

/// What of a preprocessed text is written otherwise, so that clang can read it:
/// - `1.0H`, `1.0bf`: suffixes of numbers;
/// - `kernel` and `threadgroup` in an attribute list, which are words of the language elsewhere;
/// - `template void f<2>();` declares what it instantiates, until something uses it;
/// - `coherent`, `coherent(device)`, `coherent(system)`;
/// - `constant` behind the parameters of a member.
Edits spelling_of_clang(const std::string& text);

}  // namespace assay::metal
