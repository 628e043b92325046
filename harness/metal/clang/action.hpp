// How clang reads a kernel's text: what is asked of the tree on the way, and when it becomes IR. Clang's
// types stay within this folder.
#pragma once

#include <clang/CodeGen/CodeGenAction.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/metal/clang/arithmetic_pragmas.hpp"
#include "harness/metal/clang/complaints.hpp"
#include "harness/metal/clang/function_constants.hpp"
#include "harness/metal/clang/host_access.hpp"
#include "harness/metal/clang/loops.hpp"
#include "harness/metal/clang/members.hpp"
#include "harness/metal/clang/reach.hpp"
#include "harness/metal/clang/subscripts.hpp"
#include "harness/metal/clang/written_casts.hpp"

namespace assay::metal {

/// Makes IR of a text, of what its kernel uses, if nothing is wrong with that and nothing is to be read
/// otherwise.
class ReadAction : public clang::EmitLLVMOnlyAction {
 public:
  /// `complaints`: of the text, which clang's go to, too. `emits`: IR is made.
  ReadAction(llvm::LLVMContext* context, const ReadRequest& request, Complaints& complaints, bool emits);
  ~ReadAction() override;

  /// What the tree was asked, once it was read.
  const CopiedMembers& copied() const { return copied_; }
  const std::vector<UnsetConstant>& unset() const { return constants_.unset(); }
  const std::vector<RestrictedRange>& restricted() const { return restricted_; }
  const std::vector<WrittenLoop>& loops() const { return loops_; }
  const WrittenCasts& casts() const { return casts_; }
  const Subscripts& subscripts() const { return subscripts_; }
  const TextRanges& reach() const { return reach_; }
  /// Where no IR is made.
  const Outline& outline() const { return outline_; }
  /// Names that what is used declares, and that the library has as well.
  const std::set<std::string>& names_of_library() const { return names_of_library_; }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override;
  void ExecuteAction() override;

 private:
  class EntryPragma;
  class MacrosPragma;
  class Held;

  /// Once the text has been read: what is wrong with it, of what the kernel uses.
  void settle(clang::ASTContext& context);
  void outline(const clang::ASTContext& context);
  /// Are its kernels asked for?
  bool has_kernels() const { return !request_.function.empty() || request_.lists; }

  const ReadRequest& request_;
  Complaints& complaints_;
  const bool emits_;
  FunctionConstants constants_;
  std::vector<Diagnostic> refused_;  // of the host's, ahead of what else is wrong
  HostWords host_words_;
  std::vector<std::string> slots_;  // names of variables in threadgroup memory
  const clang::FunctionDecl* kernel_ = nullptr;
  std::optional<Reach> used_;  // what it uses
  bool ended_ = false;         // has clang come to the end of the text?
  CopiedMembers copied_;
  std::vector<RestrictedRange> restricted_;
  std::vector<WrittenLoop> loops_;
  WrittenCasts casts_;
  Subscripts subscripts_;
  TextRanges reach_;
  Outline outline_;
  std::optional<unsigned> macros_from_;  // a byte of the text, where it ends
  std::set<std::string> names_of_library_;
};

}  // namespace assay::metal
