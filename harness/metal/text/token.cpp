#include "harness/metal/text/token.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace assay::metal {
namespace {

bool identifier_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }
bool identifier_part(char c) { return identifier_start(c) || std::isdigit(static_cast<unsigned char>(c)); }

// Longest first. ">>" is left as two tokens, so that nested template lists close; rewriting keeps them
// adjacent, so the compiler still sees a shift.
constexpr std::array<std::string_view, 20> kPunctuators = {"<<=", "...", "::", "->", "++", "--", "<<",
                                                           "<=",  ">=",  "==", "!=", "&&", "||", "+=",
                                                           "-=",  "*=",  "/=", "%=", "&=", "|="};

class Tokenizer {
 public:
  Tokenizer(std::string_view text, std::string_view file) : text_(text), file_(number_of(file)) {}

  TokenText run() {
    out_.tokens.reserve(text_.size() /
                        2);  // as many as most texts have: to move them takes longer than to read
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void emit(TokenKind kind, std::size_t length) {
    const auto piece = text_.substr(at_, length);
    out_.tokens.push_back({kind, std::string(piece), file_, line_});
    line_ += static_cast<std::uint32_t>(std::count(piece.begin(), piece.end(), '\n'));
    if (!piece.empty()) line_start_ = piece.back() == '\n' || (line_start_ && kind == TokenKind::space);
    at_ += length;
  }

  void step() {
    const char c = peek();
    if (c == '#' && line_start_) return directive();
    if (std::isspace(static_cast<unsigned char>(c))) return space();
    if (c == '/' && (peek(1) == '/' || peek(1) == '*')) return comment();
    if (identifier_start(c)) return run_of(TokenKind::identifier);
    if (std::isdigit(static_cast<unsigned char>(c)) ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1))))) {
      return number();
    }
    if (c == '"' || c == '\'') return literal(c);
    for (const auto p : kPunctuators) {
      if (text_.substr(at_, p.size()) == p) return emit(TokenKind::punctuator, p.size());
    }
    emit(TokenKind::punctuator, 1);
  }

  void space() {
    std::size_t n = 0;
    while (std::isspace(static_cast<unsigned char>(peek(n)))) {
      if (text_[at_ + n++] == '\n') break;  // one token a line, so that '#' is seen at a line's start
    }
    emit(TokenKind::space, n);
  }

  void comment() {
    const auto end = peek(1) == '/' ? text_.find('\n', at_) : text_.find("*/", at_ + 2);
    const std::size_t stop = end == text_.npos ? text_.size() : (peek(1) == '/' ? end : end + 2);
    emit(TokenKind::space, stop - at_);
  }

  void run_of(TokenKind kind) {
    std::size_t n = 0;
    while (identifier_part(peek(n))) ++n;
    emit(kind, n);
  }

  void number() {
    const bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    std::size_t n = 0;
    while (identifier_part(peek(n)) || peek(n) == '.' || peek(n) == '\'') {
      const char c = peek(n++);
      const bool exponent = hex ? (c == 'p' || c == 'P') : (c == 'e' || c == 'E');
      if (exponent && (peek(n) == '+' || peek(n) == '-')) ++n;
    }
    emit(TokenKind::number, n);
  }

  void literal(char quote) {
    std::size_t n = 1;
    while (at_ + n < text_.size() && peek(n) != quote && peek(n) != '\n') n += peek(n) == '\\' ? 2 : 1;
    emit(TokenKind::string, std::min(n + 1, text_.size() - at_));
  }

  void directive() {
    auto end = text_.find('\n', at_);
    end = end == text_.npos ? text_.size() : end;
    const auto body = text_.substr(at_, end - at_);
    emit(TokenKind::directive, end - at_);
    // `# 12 "file" flags`, or `#line 12` in a text that is not preprocessed: the next line is line 12.
    const bool words = body.starts_with("#line ");
    std::size_t i = words ? std::string_view("#line").size() : 1;
    while (i < body.size() && body[i] == ' ') ++i;
    std::uint32_t number = 0;
    bool digits = false;
    for (; i < body.size() && std::isdigit(static_cast<unsigned char>(body[i])); ++i, digits = true) {
      number = number * 10 + static_cast<std::uint32_t>(body[i] - '0');
    }
    const auto open = body.find('"', i), close = body.find('"', open == body.npos ? i : open + 1);
    const bool named = open != body.npos && close != body.npos;
    if (!digits || !(named || words)) return;
    if (named) file_ = number_of(body.substr(open + 1, close - open - 1));
    line_ = number - 1;  // the newline that ends this directive brings it to `number`
  }

  std::uint32_t number_of(std::string_view file) {
    const auto [known, fresh] =
        numbers_.try_emplace(std::string(file), static_cast<std::uint32_t>(out_.files.size()));
    if (fresh) out_.files.emplace_back(file);
    return known->second;
  }

  TokenText out_;
  std::map<std::string, std::uint32_t> numbers_;  // of the files
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t file_ = 0, line_ = 1;
  bool line_start_ = true;
};

thread_local std::uint64_t visited = 0;

// Adds up what a walk looks at: from its first token to where it is when it ends.
class Walk {
 public:
  explicit Walk(const std::size_t& at) : at_(at), begin_(at) {}
  ~Walk() { visited += 1 + (at_ > begin_ ? at_ - begin_ : begin_ - at_); }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

 private:
  const std::size_t& at_;
  std::size_t begin_;
};

}  // namespace

TokenText tokenize(std::string_view text, std::string_view file) { return Tokenizer(text, file).run(); }

std::string TokenText::str() const {
  std::string all;
  for (const auto& token : tokens) all += token.text;
  return all;
}

std::size_t next_significant(std::span<const Token> tokens, std::size_t i) {
  ++i;
  const Walk walk(i);
  for (; i < tokens.size(); ++i) {
    if (tokens[i].significant()) return i;
  }
  return tokens.size();
}

std::size_t previous_significant(std::span<const Token> tokens, std::size_t i) {
  const Walk walk(i);
  for (; i > 0; --i) {
    if (tokens[i - 1].significant()) return i - 1;
  }
  return tokens.size();
}

std::size_t closing_bracket(std::span<const Token> tokens, std::size_t open) {
  std::size_t depth = 0, i = open;
  const Walk walk(i);
  for (; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::punctuator || tokens[i].text.size() != 1) continue;
    const char c = tokens[i].text[0];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') {
      if (--depth == 0) return i;
    }
  }
  return tokens.size();
}

namespace {

// Does the nested "<" at i open template arguments? Behind a number or a bracket it compares, as in
// `enable_if_t<sizeof(T) < 4>`.
bool may_open(std::span<const Token> tokens, std::size_t i) {
  const auto before = previous_significant(tokens, i);
  return before < tokens.size() && tokens[before].is_word();
}

// Those at `compared`, at most two, open none.
std::size_t closing_angle(std::span<const Token> tokens, std::size_t open,
                          std::span<const std::size_t> compared, std::vector<std::size_t>* doubtful) {
  std::size_t depth = 0, i = open;
  const Walk walk(i);
  for (; i < tokens.size(); ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) {
      i = closing_bracket(tokens, i);
      continue;
    }
    if (tokens[i].is("<") && (i == open || may_open(tokens, i)) &&
        std::find(compared.begin(), compared.end(), i) == compared.end()) {
      const auto behind = next_significant(tokens, i);
      if (doubtful && i != open && behind < tokens.size() && tokens[behind].kind == TokenKind::number)
        doubtful->push_back(i);
      ++depth;
    }
    if (tokens[i].is(">") && --depth == 0) return i;
    if (tokens[i].is(";") || tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) break;
  }
  return tokens.size();
}

}  // namespace

std::size_t closing_angle(std::span<const Token> tokens, std::size_t open) {
  std::vector<std::size_t> doubtful;
  auto close = closing_angle(tokens, open, {}, &doubtful);
  // Behind a word nobody knows. Where the ">" do not suffice, `n < 4` is a comparison, the last one first.
  std::reverse(doubtful.begin(), doubtful.end());
  for (std::size_t n = 1; close >= tokens.size() && n <= std::min<std::size_t>(doubtful.size(), 2); ++n)
    close = closing_angle(tokens, open, std::span(doubtful).first(n), nullptr);
  return close;
}

std::uint64_t tokens_visited() { return visited; }

std::string text_of(std::span<const Token> tokens, TokenRange range) {
  std::string all;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (tokens[i].significant()) {
      all += tokens[i].text;
    } else if (tokens[i].kind == TokenKind::space && !all.empty() && all.back() != ' ') {
      all += ' ';
    }
  }
  while (!all.empty() && all.back() == ' ') all.pop_back();
  return all;
}

}  // namespace assay::metal
