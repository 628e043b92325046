// What of a text the chosen kernel can use. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTContext.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/metal/clang/edits.hpp"
#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// The declarations of a text that a kernel leads to, by the names that they mention: what is wrong elsewhere
/// is no fault of the kernel's.
class Reach {
 public:
  /// `from`: a word of the explicit instantiation that makes the kernel, if one does.
  Reach(const clang::ASTContext& context, const clang::FunctionDecl& kernel, clang::SourceLocation from);

  /// Does the kernel use what stands at that byte of the text, or can it not be left out? None: of another
  /// file.
  bool holds(std::optional<unsigned> byte) const;
  /// What is not used, and holds the place of the error, goes: what clang has made of it stands in the way of
  /// what is used.
  void leave_out(const Diagnostic& error, Edits& edits) const;
  /// Everything that is not used goes; false where all is used.
  bool leave_out_unused(Edits& edits) const;
  /// From, and up to, those bytes of the text: what it uses.
  std::vector<std::pair<unsigned, unsigned>> ranges() const;
  /// What it declares.
  std::vector<std::string> names() const;

 private:
  struct Part {
    unsigned begin = 0, end = 0;         ///< bytes of the text
    std::vector<std::string> names;      ///< that it declares
    std::vector<llvm::StringRef> words;  ///< that stand in it
    bool always = false;                 ///< whatever is used: the language names it, or nobody
    bool asserts = false;                ///< of what is used alone
    bool reached = false;

    bool mentions(const std::vector<std::string>& any) const;
  };

  void leave_out(const Part& one, Edits& edits) const;
  void read(const clang::DeclContext& scope);
  void add(const clang::Decl& one);
  void name(const clang::Decl& one, Part& part) const;
  void add_instantiations(clang::SourceLocation from);
  void add_lost_assertions();
  Part part_of(unsigned begin, unsigned end) const;
  void follow();

  const clang::ASTContext& context_;
  const clang::FunctionDecl& kernel_;
  std::vector<Part> parts_;
};

}  // namespace assay::metal
