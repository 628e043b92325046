// Which bytes of an object are its members': nobody writes those between them.
#pragma once

#include <clang/AST/ASTConsumer.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::metal {

/// Bytes in a row: the first one's offset, and how many.
using ByteRuns = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// By the symbol of an instance of assay_msl::copy_object(), the library's copy of a whole object.
using CopiedMembers = std::map<std::string, ByteRuns>;

/// Notes the members of what is copied.
std::unique_ptr<clang::ASTConsumer> members_reader(CopiedMembers& copied);

/// Has these functions copy members alone.
void copy_members_alone(llvm::Module& module, const CopiedMembers& copied);

}  // namespace assay::metal
