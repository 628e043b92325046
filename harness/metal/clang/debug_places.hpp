// Places of a text as debug information has them.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>

#include <set>
#include <string>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// The name of the file of a place, with its folder where it does not begin with the root.
std::string file_name(const llvm::DILocation& at);

/// Is it one of those places, whose files are named as the text names them?
bool is_one_of(const std::set<Diagnostic::Place>& places, const llvm::DILocation* at);

}  // namespace assay::metal
