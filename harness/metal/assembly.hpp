// Whether two kernels are the same machine code, whatever their symbols are called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::metal {

/// What g++ has written for `roots` and everything they refer to, with symbols and labels numbered in the
/// order in which they are met: equal texts are equal code. Sections and alignments are left out. Empty where
/// code runs on its own when the object is loaded, which belongs to no root.
std::string canonical_assembly(std::string_view assembly, const std::vector<std::string>& roots);

}  // namespace assay::metal
