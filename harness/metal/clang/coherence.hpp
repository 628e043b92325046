// What of device memory threadgroups see of each other. Clang's types stay within this folder.
#pragma once

#include <clang/AST/Decl.h>

#include <set>
#include <string>

namespace assay::metal {

/// Names of what a text declares `coherent`, as the kernel has them: its parameters, members of argument
/// buffers, and what is handed on from these to a parameter or a pointer that is declared so.
std::set<std::string> coherent_names(const clang::ASTContext& context, const clang::FunctionDecl& kernel);

}  // namespace assay::metal
