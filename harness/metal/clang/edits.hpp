// What a text has to say otherwise before clang makes of it what Metal means. Clang's types stay within this
// folder.
#pragma once

#include <clang/Basic/SourceManager.h>

#include <map>
#include <string>

namespace assay::metal {

/// The declaration around a place of the text, from behind the one ahead of it to its `;` behind the next
/// `close` from there on.
clang::CharSourceRange declaration_around(const clang::SourceManager& sources, clang::SourceLocation at,
                                          char close = ';');

/// Changes of the text that is read, found in what clang has made of it; clang then reads it again.
class Edits {
 public:
  /// Other words in place of a range, whose lines stay. What does not lie in the text itself is left alone.
  void replace(const clang::SourceManager& sources, clang::CharSourceRange range, const std::string& words);
  /// The same of bytes.
  void replace(std::size_t begin, std::size_t end, const std::string& words);
  /// Words ahead of that byte of the text; `closing`: ahead of others there.
  void insert(std::size_t at, const std::string& words, bool closing = false);

  bool none() const { return all_.empty(); }
  std::string applied_to(const std::string& text) const;
  /// Where a byte of the changed text stands in the text.
  std::size_t origin_of(std::size_t at) const;

 private:
  struct Edit {
    std::string words;
    std::size_t end = 0;  ///< of what goes
  };
  std::map<std::size_t, Edit> all_;  ///< by where it begins
};

}  // namespace assay::metal
