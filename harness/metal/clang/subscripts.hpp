// Indices of arrays, which checked code holds against the length of what they are indices of.
#pragma once

#include <clang/AST/ASTConsumer.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <set>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Subscripts of arrays of known length, by where what is indexed begins.
struct Subscripts {
  std::set<Diagnostic::Place> used;   ///< of elements that are used where they stand
  std::set<Diagnostic::Place> taken;  ///< of `&a[i]`, which may be the address behind the last element
};

/// Notes the subscripts of a text. Complete when the text is.
std::unique_ptr<clang::ASTConsumer> subscripts_reader(Subscripts& found);

/// clang's checks (-fsanitize=array-bounds) call assay_no_element(); those of the library's own arrays go,
/// which the library checks itself. Where a reference is bound to an element, clang lets the one behind the
/// last pass, since that may be an address that nobody follows: so it is with each element of a class, as
/// vectors and matrices are, that is assigned to, changed or handed over. It does not pass where the element
/// is used. The module is as clang has made it.
void check_subscripts(llvm::Module& module, const Subscripts& found, const std::string& library);

}  // namespace assay::metal
