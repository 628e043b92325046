// Sums in Metal text: from one operator to the whole of the expression that it stands in.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/metal/token.hpp"
#include "harness/metal/type_words.hpp"

namespace assay::metal {

/// Factors joined by "*", "/" and "%". Ranges go from the first token to one past the last.
struct Term {
  std::vector<TokenRange> factors;
  std::vector<std::size_t> operators;  ///< operators[i] stands before factors[i + 1]

  std::size_t begin() const { return factors.front().begin; }
  std::size_t end() const { return factors.back().end; }
};

/// Terms joined by "+" and "-".
struct Sum {
  std::vector<Term> terms;
  std::vector<std::size_t> operators;  ///< operators[i] stands before terms[i + 1]
};

/// Reads expressions without knowing what names mean, but for those of types.
class SumReader {
 public:
  explicit SumReader(const TokenText& text);

  /// The whole sum that the binary operator at `i` ("+", "-", "*", "/") is part of; nothing if it is none, or
  /// if the text around it is not understood.
  std::optional<Sum> around(std::size_t i) const;
  /// The sum that begins at `begin`.
  std::optional<Sum> from(std::size_t begin) const;
  /// The first token of the operand that ends before the assignment at `i`.
  std::optional<std::size_t> assigned(std::size_t i) const;
  /// The first token of the postfix expression that ends with `last`, of `a` in `-a.b(c)[d]` for any of a, b,
  /// ")" and "]"; the number of tokens if it is not understood.
  std::size_t postfix_begin(std::size_t last) const;
  /// One past the operand that begins at `i`, with its unary operators and casts; 0 if it is not understood.
  std::size_t operand_end(std::size_t i) const;
  /// Is what stands in these parentheses a type, and something to convert behind them?
  bool is_cast(std::size_t open, std::size_t close) const;

 private:
  bool is_type(std::size_t i) const { return types_.is_type(i); }
  bool ends_operand(std::size_t i) const;
  bool is_binary(std::size_t i) const;
  std::size_t opening(std::size_t close) const;
  std::size_t operand_begin(std::size_t last) const;

  const std::vector<Token>& tokens_;
  TypeWords types_;
};

}  // namespace assay::metal
