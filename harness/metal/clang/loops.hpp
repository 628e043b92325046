// The loops that a text writes, by which one is found that does not end. Clang's types stay within this
// folder.
#pragma once

#include <clang/AST/ASTConsumer.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <vector>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

struct WrittenLoop {
  Diagnostic::Place place;         ///< of its first word
  unsigned last_line = 0;          ///< of its last
  bool calls_at_most_one = false;  ///< function, atomic loads aside: it may do nothing but wait
};

/// Notes the loops of a text. Complete when the text is.
std::unique_ptr<clang::ASTConsumer> loops_reader(std::vector<WrittenLoop>& found);

/// Says them to the module, which keeps them beside the places of its code (ir/sites.hpp).
void note_loops(llvm::Module& module, const std::vector<WrittenLoop>& loops);

}  // namespace assay::metal
