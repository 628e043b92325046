// Which kernel function of a file a name means.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/metal/signature.hpp"

namespace assay::metal {

/// A kernel function, and the instantiation that makes it of a template (nullptr where it is none). Both
/// point into the index that they were found in.
struct ChosenKernel {
  const KernelFunction* function = nullptr;  ///< nullptr: there is no such kernel
  const KernelInstantiation* instantiation = nullptr;
};

/// The kernel that is called `name`: a function's name, or a host_name. Of several templates with one name it
/// is the one that takes as many arguments as the instantiation gives and, where the instantiation writes its
/// parameters out, has those parameters.
ChosenKernel choose_kernel(const TokenText& text, const std::vector<Declaration>& declarations,
                           const KernelIndex& index, const std::string& name);

/// What the parameters of a template stand for in an instantiation of it: {"T": ["half"], "N": ["4"]}. What
/// the instantiation leaves out has its default.
std::map<std::string, std::vector<std::string>> template_arguments(const TokenText& text,
                                                                   const Declaration& declared,
                                                                   const KernelInstantiation& instantiation);

}  // namespace assay::metal
