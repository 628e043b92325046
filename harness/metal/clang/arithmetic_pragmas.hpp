// `#pragma METAL fp`: what a text says may be done to its arithmetic, and where.
#pragma once

#include <clang/AST/ASTConsumer.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

namespace assay::metal {

/// A part of a text, up to a line and column behind it, where not everything is allowed.
struct RestrictedRange {
  std::string file;
  unsigned line = 0, column = 0, end_line = 0, end_column = 0;
  bool contract = true, reassociate = true;  ///< what is
};

/// Hears the pragmas of a text that `preprocessor` is about to read, and finds the blocks that they stand in:
/// a pragma holds to the end of its block, or of the text. `ranges` are complete when the text is.
std::unique_ptr<clang::ASTConsumer> arithmetic_pragmas(clang::Preprocessor& preprocessor,
                                                       std::vector<RestrictedRange>& ranges);

/// Notes them in the module, for TextPlaces (harness/metal/ir/text_places.hpp).
void note_ranges(llvm::Module& module, const std::vector<RestrictedRange>& ranges);

}  // namespace assay::metal
