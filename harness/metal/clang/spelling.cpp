#include "harness/metal/clang/spelling.hpp"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <vector>

namespace assay::metal {
namespace {

using namespace clang;

struct Word {
  tok::TokenKind kind = tok::eof;
  llvm::StringRef text;
  std::size_t begin = 0, end = 0;

  bool is(llvm::StringRef word) const { return text == word; }
};

// Lines that are the preprocessor's go to `directives`, by where they begin.
std::vector<Word> words_of(const std::string& text, std::vector<std::size_t>& directives) {
  LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
  language.HexFloats = true;
  Lexer lexer(SourceLocation(), language, text.data(), text.data(), text.data() + text.size());
  std::vector<Word> all;
  Token token;
  bool directive = false;
  for (bool last = false; !last;) {
    last = lexer.LexFromRawLexer(token);
    const char* const end = lexer.getBufferLocation();
    if (token.isAtStartOfLine()) {
      directive = token.is(tok::hash);
      if (directive) directives.push_back(static_cast<std::size_t>(end - text.data()) - token.getLength());
    }
    if (directive && !last) continue;
    const llvm::StringRef word(end - token.getLength(), token.getLength());
    const auto at = static_cast<std::size_t>(end - text.data());
    all.push_back({token.getKind(), word, at - token.getLength(), at});
  }
  return all;
}

class Speller {
 public:
  explicit Speller(const std::string& text) : text_(text), all_(words_of(text, directives_)) {}

  Edits run() {
    for (const std::size_t at : directives_) hint(at);
    unsigned lists = 0;  // brackets of attribute lists around this word
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (is(i, tok::l_square) && (lists > 0 || is(i + 1, tok::l_square))) ++lists;
      if (is(i, tok::r_square) && lists > 0) --lists;
      if (is(i, tok::numeric_constant)) number(all_[i]);
      if (!is(i, tok::raw_identifier)) continue;
      if (lists > 1 && (all_[i].is("kernel") || all_[i].is("threadgroup")))
        write(i, i, all_[i].is("kernel") ? "kernel_function" : "threadgroup_memory");
      if (all_[i].is("template")) instantiation(i);
      if (all_[i].is("coherent")) coherence(i);
      if (all_[i].is("noexcept") && i > 0 && is_space(i - 1)) exception(i);
      if (all_[i].is("constant") && ends_header(i + 1))
        write(i, i, is_constructor(i) ? "constant_object" : "const constant_object");
    }
    return std::move(edits_);
  }

 private:
  bool is(std::size_t i, tok::TokenKind kind) const { return i < all_.size() && all_[i].kind == kind; }
  bool is(std::size_t i, llvm::StringRef word) const { return i < all_.size() && all_[i].is(word); }
  void write(std::size_t first, std::size_t last, const std::string& words) {
    const llvm::StringRef gone(all_[first].text.begin(), all_[last].end - all_[first].begin);
    edits_.replace(all_[first].begin, all_[last].end, words + std::string(gone.count('\n'), '\n'));
  }

  void number(const Word& word) {
    const bool hexadecimal = word.text.starts_with_insensitive("0x");
    if (hexadecimal && word.text.find_first_of("pP") == llvm::StringRef::npos) return;
    if (word.text.ends_with("bf") || word.text.ends_with("BF")) {
      edits_.replace(word.end - 2, word.end, "_bf");
    } else if (word.text.ends_with("H")) {
      edits_.replace(word.end - 1, word.end, "h");
    }
  }

  // Hints of loops say how often with macros still, in a preprocessed text, or with what clang crashes on
  // where it is no constant. Those go: they change nothing but speed.
  void hint(std::size_t at) {
    const llvm::StringRef line = llvm::StringRef(text_).substr(at).split('\n').first;
    llvm::StringRef words = line.drop_front().ltrim();
    if (!words.consume_front("pragma")) return;
    words = words.ltrim();
    const bool of_loop =
        words.starts_with("unroll") || (words.consume_front("clang") && words.ltrim().starts_with("loop"));
    const llvm::StringRef behind = words.split('(').second;
    const auto [inside, more] = behind.split(')');
    const llvm::StringRef argument = inside.trim();
    const bool plain = llvm::all_of(argument, llvm::isDigit) || argument == "enable" ||
                       argument == "disable" || argument == "full" || argument == "assume_safety";
    if (of_loop && !behind.empty() && (!plain || more.contains('(')))
      edits_.replace(at, at + line.size(), "");
  }

  // Of a function, and no other use of the word.
  void instantiation(std::size_t i) {
    const bool begins = i == 0 || is(i - 1, tok::semi) || is(i - 1, tok::l_brace) || is(i - 1, tok::r_brace);
    if (!begins || is(i + 1, tok::less)) return;
    for (std::size_t k = i + 1; k < all_.size() && !is(k, tok::semi); ++k) {
      if (is(k, "struct") || is(k, "class") || is(k, "union")) return;
      if (is(k, tok::less)) break;
    }
    edits_.insert(all_[i].begin, "extern ");
  }

  bool is_space(std::size_t i) const {
    return is(i, "thread") || is(i, "device") || is(i, "threadgroup") || is(i, "constant");
  }

  // `const thread noexcept`: to clang the space is an attribute, which stands behind. Nothing in Metal
  // throws.
  void exception(std::size_t i) {
    std::size_t last = i;
    unsigned depth = is(i + 1, tok::l_paren) ? 1 : 0;
    if (depth > 0) ++last;
    while (depth > 0 && last + 1 < all_.size()) {
      ++last;
      depth += is(last, tok::l_paren) ? 1U : 0U;
      depth -= is(last, tok::r_paren) ? 1U : 0U;
    }
    write(i, last, "");
  }

  void coherence(std::size_t i) {
    const auto beside = [&](std::size_t k) { return is(k, "device") || is(k, "const") || is(k, "volatile"); };
    if (is(i + 1, tok::l_paren)) {
      if ((is(i + 2, "device") || is(i + 2, "system")) && is(i + 3, tok::r_paren))
        write(i, i + 3, "assay_coherent");
    } else if (is(i + 1, tok::raw_identifier) && (beside(i + 1) || (i > 0 && beside(i - 1)))) {
      write(i, i, "assay_coherent");
    }
  }

  // What follows the qualifiers of a member, and no type.
  bool ends_header(std::size_t i) const {
    return is(i, tok::l_brace) || is(i, tok::semi) || is(i, tok::equal) || is(i, tok::colon) ||
           is(i, tok::arrow) || is(i, "noexcept");
  }

  // The bracket that closes at `i` opens there.
  std::size_t opening(std::size_t i, tok::TokenKind open, tok::TokenKind close) const {
    unsigned depth = 0;
    for (; i > 0; --i) {
      depth += is(i, close) ? 1 : 0;
      if (is(i, open) && --depth == 0) break;
    }
    return i;
  }
  // Is the member whose qualifiers end at `i` one? There is no type ahead of its name.
  bool is_constructor(std::size_t i) const {
    while (i > 0 && !is(i, tok::r_paren)) --i;
    const std::size_t open = opening(i, tok::l_paren, tok::r_paren);
    if (open < 2 || !is(open - 1, tok::raw_identifier)) return false;
    const std::size_t before = open - 2;
    if (is(before, tok::greater)) {
      const std::size_t header = opening(before, tok::less, tok::greater);
      return header > 0 && is(header - 1, "template");
    }
    return is(before, tok::semi) || is(before, tok::l_brace) || is(before, tok::r_brace) ||
           is(before, tok::colon) || is(before, tok::r_paren) || is(before, tok::r_square) ||
           is(before, "constexpr") || is(before, "explicit") || is(before, "inline") ||
           is(before, "METAL_FUNC");
  }

  const std::string& text_;
  std::vector<std::size_t> directives_;
  std::vector<Word> all_;
  Edits edits_;
};

}  // namespace

Edits spelling_of_clang(const std::string& text) { return Speller(text).run(); }

}  // namespace assay::metal
