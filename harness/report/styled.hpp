// Text with words that a terminal may colour. What it says does not depend on colour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/verdict.hpp"

namespace assay::report {

enum class Style {
  plain,
  good,    ///< what passes
  bad,     ///< what is rejected
  unsure,  ///< what could not be judged
};

Style style_of(Verdict verdict);
/// Of a whole run, by its exit status: 0, 1 or 2.
Style style_of_status(int exit_status);

/// Pieces of text, each in one style, one behind the other.
class StyledText {
 public:
  struct Piece {
    std::string text;
    Style style = Style::plain;
  };

  StyledText& add(std::string_view text, Style style = Style::plain);
  /// The first line in that style, the rest plain.
  StyledText& add_headline(std::string_view text, Style style);
  StyledText& add(const StyledText& other);

  /// Without the empty lines that it begins with.
  StyledText& without_blank_start();

  const std::vector<Piece>& pieces() const { return pieces_; }
  /// The same without styles.
  std::string plain() const;

 private:
  std::vector<Piece> pieces_;
};

}  // namespace assay::report
