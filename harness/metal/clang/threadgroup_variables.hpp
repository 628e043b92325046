// `threadgroup float sums[32];` Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Is what clang has it begin with that which a declaration without a value has, too: a constructor's that
/// takes nothing? Of one that begins with something.
bool begins_without_value(const clang::VarDecl& variable);

/// Is it a variable itself, rather than a pointer or a reference to one: by how it is written, whatever a
/// name stands for?
bool is_written_as_object(const clang::VarDecl& variable);

/// Comes to every function ahead of who compiles it: what it declares in threadgroup memory gets a slot
/// there, which its annotation tells (kSlotAnnotation), and is not constructed. `names` gets the
/// name of each slot. Says of those that have a value, which Metal does not allow.
std::unique_ptr<clang::ASTConsumer> threadgroup_variables(std::vector<std::string>& names,
                                                          std::vector<Diagnostic>& errors);

}  // namespace assay::metal
