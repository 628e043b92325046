// The parameters of a kernel, for whoever has to launch it. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTContext.h>

#include <vector>

#include "harness/metal/text/outline.hpp"

namespace assay::metal {

/// In order, with what the kernel does with them.
std::vector<OutlinedParameter> outlined_parameters(const clang::ASTContext& context,
                                                   const clang::FunctionDecl& kernel);

/// What a parameter is called: "parameter 3" where the text gives it no name.
std::string name_of(const clang::ParmVarDecl& parameter);

}  // namespace assay::metal
