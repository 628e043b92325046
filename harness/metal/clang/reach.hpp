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
  /// `from`: a word of the explicit instantiation that makes the kernel, if one does. `library`: the folder
  /// of the stand-in headers.
  Reach(const clang::ASTContext& context, const clang::FunctionDecl& kernel, clang::SourceLocation from,
        std::string library);

  /// Does the kernel use what is declared there?
  bool holds(const Diagnostic::Place& place) const;
  /// Is it in something that the kernel uses, or in nothing that can be left out?
  bool holds(const Diagnostic& error) const;
  /// What is not used, and holds the place of the error, goes: what clang has made of it stands in the way of
  /// what is used.
  void leave_out(const Diagnostic& error, Edits& edits) const;
  /// From, and up to, those bytes of the text: what it uses.
  std::vector<std::pair<unsigned, unsigned>> ranges() const;
  /// What it declares.
  std::vector<std::string> names() const;

 private:
  struct Part {
    unsigned begin = 0, end = 0;         ///< bytes of the text
    Diagnostic::Place first, last;       ///< the same as places
    std::vector<std::string> names;      ///< that it declares
    std::vector<llvm::StringRef> words;  ///< that stand in it
    bool always = false;                 ///< whatever is used: the language names it, or nobody
    bool asserts = false;                ///< of what is used alone
    bool reached = false;
  };

  Diagnostic::Place place_of_text(const Diagnostic& error) const;
  void read(const clang::DeclContext& scope);
  void add(const clang::Decl& one);
  void name(const clang::Decl& one, Part& part) const;
  void add_instantiations(clang::SourceLocation from);
  Part part_of(unsigned begin, unsigned end) const;
  void follow();

  const clang::ASTContext& context_;
  const clang::FunctionDecl& kernel_;
  const std::string library_;
  std::vector<Part> parts_;
};

}  // namespace assay::metal
