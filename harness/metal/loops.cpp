#include "harness/metal/loops.hpp"

#include <vector>

namespace assay::metal {
namespace {

class Loops {
 public:
  explicit Loops(const std::vector<Token>& tokens) : tokens_(tokens), ends_a_do_(tokens.size(), false) {}

  void run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is("do")) continue;
      found_.push_back(i);
      const auto tail = end_of_statement(next(i));
      if (tail < tokens_.size()) ends_a_do_[tail] = true;
    }
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is("for") && !(tokens_[i].is("while") && !ends_a_do_[i])) continue;
      if (end_of_head(i) < tokens_.size()) found_.push_back(i);
    }
  }

  std::vector<LoopLines> lines() const {
    std::vector<LoopLines> all;
    for (const std::size_t i : found_) {
      const auto end = previous_significant(tokens_, end_of_statement(i));
      if (end < tokens_.size() && end > i)
        all.push_back({tokens_[i].line, tokens_[end].line, calls_within(i, end) <= 1});
    }
    return all;
  }

 private:
  // But those of atomic loads.
  std::size_t calls_within(std::size_t begin, std::size_t end) const {
    std::size_t calls = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Token& token = tokens_[i];
      const bool statement = token.is_any({"for", "while", "if", "switch", "sizeof"});
      if (!token.is_word() || statement || !is(next(i), "(")) continue;
      if (!token.text.starts_with("atomic_load")) ++calls;
    }
    return calls;
  }

  std::size_t next(std::size_t i) const { return i < tokens_.size() ? next_significant(tokens_, i) : i; }
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }

  // The ")" of the head that belongs to the word at `i`, or tokens_.size().
  std::size_t end_of_head(std::size_t i) const {
    auto open = next(i);
    if (is(open, "constexpr")) open = next(open);
    return is(open, "(") ? closing_bracket(tokens_, open) : tokens_.size();
  }

  // The first significant token behind the statement that begins at `i`. Statements within statements are
  // walked in a loop where they are last, so that a long chain of `else if` needs no stack.
  std::size_t end_of_statement(std::size_t i) const {
    while (i < tokens_.size()) {
      if (is(i, "{")) return next(closing_bracket(tokens_, i));
      if (is(i, "if")) {
        i = end_of_statement(next(end_of_head(i)));
        if (!is(i, "else")) return i;
        i = next(i);
      } else if (is(i, "for") || is(i, "while") || is(i, "switch")) {
        i = next(end_of_head(i));
      } else if (is(i, "do")) {
        const auto tail = end_of_statement(next(i));  // at its `while`
        return next(next(end_of_head(tail)));         // behind the ";"
      } else {
        return behind_semicolon(i);
      }
    }
    return i;
  }

  std::size_t behind_semicolon(std::size_t i) const {
    for (; i < tokens_.size(); i = next(i)) {
      if (is(i, "(") || is(i, "[") || is(i, "{")) i = closing_bracket(tokens_, i);
      if (is(i, ";")) return next(i);
    }
    return i;
  }

  const std::vector<Token>& tokens_;
  std::vector<std::size_t> found_;  // by token: the words that loops begin with
  std::vector<bool> ends_a_do_;     // by token: the `while` that closes a `do`
};

}  // namespace

std::vector<LoopLines> loops_of(const TokenText& text) {
  Loops loops(text.tokens);
  loops.run();
  return loops.lines();
}

}  // namespace assay::metal
