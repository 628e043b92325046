// Memory that is coherent across threadgroups: what a text declares `coherent(device)`.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/metal/declaration.hpp"

namespace assay::metal {

/// Erases `coherent(device)`, `coherent(system)` and `coherent` alone, which C++ does not have, and returns
/// the names of what is declared so: parameters of the kernel and members of structs; and parameters of the
/// kernel that are handed on as such, to a variable or to a function (Apple's Metal Shading Language
/// Specification 3.2, section 4.8). Rather too many than too few: names are compared, not what they mean.
std::set<std::string> take_coherence(TokenText& text, const std::vector<Declaration>& declarations,
                                     const Declaration& kernel);

}  // namespace assay::metal
