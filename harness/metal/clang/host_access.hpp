// The text of a kernel is data: it says nothing to the host, nor to the host's compiler. Clang's types stay
// within this folder.
#pragma once

#include <clang/AST/ASTConsumer.h>
#include <clang/Lex/Preprocessor.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Refuses words of the host, functions of its compiler and attributes that choose symbols, sections or how
/// something is compiled, as clang comes to them (clang/host_words.hpp).
class HostWords {
 public:
  /// `anywhere`: `extern` is refused wherever it stands, as within a class, where clang takes no linkage.
  HostWords(std::vector<Diagnostic>& refused, bool anywhere) : refused_(refused), anywhere_(anywhere) {}
  /// The next word of the text.
  void see(const clang::Preprocessor& preprocessor, const clang::Token& token);

 private:
  void see_list(const std::string& word, const clang::Token& token, const clang::SourceManager& sources);
  void say(const clang::SourceManager& sources, clang::SourceLocation at, const std::string& why);
  void attribute(const clang::SourceManager& sources, clang::SourceLocation at, const std::string& name,
                 const std::string& space);

  std::vector<Diagnostic>& refused_;
  const bool anywhere_;
  clang::SourceLocation extern_at_;  ///< that word was the last
  bool deletes_ = false;             ///< `= delete` may follow
  std::string builtin_;              ///< which has to be called
  clang::SourceLocation builtin_at_;
  // Of a list of attributes:
  enum class List { none, opens, gnu, standard } list_ = List::none;
  unsigned depth_ = 0;           ///< open brackets
  bool name_ = false;            ///< is the next word the name of one?
  bool scope_ = false;           ///< behind `using`
  bool fixed_ = false;           ///< that scope is of the whole list
  std::string space_, pending_;  ///< that of the list; a name, of which `::` may follow
  clang::SourceLocation pending_at_;
};

/// Refuses what is declared of the host, and assembly; not labels of functions that the text does not define
/// (clang/apple_functions.hpp).
std::unique_ptr<clang::ASTConsumer> host_access(std::vector<Diagnostic>& refused);

}  // namespace assay::metal
