// Places of a text as debug information has them.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <set>
#include <string>
#include <vector>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// The name of the file of a place, with its folder where it does not begin with the root.
std::string file_name(const llvm::DILocation& at);

/// What the text is known to have at some places, kept by the module under a name: of each a file and
/// numbers.
struct TextNote {
  std::string file;
  std::vector<unsigned> numbers;
};
void write_text_notes(llvm::Module& module, const char* name, const std::vector<TextNote>& notes);
std::vector<TextNote> text_notes(const llvm::Module& module, const char* name);

/// Is it one of those places, whose files are named as the text names them?
bool is_one_of(const std::set<Diagnostic::Place>& places, const llvm::DILocation* at);

}  // namespace assay::metal
