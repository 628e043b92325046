#include "harness/metal/designators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "harness/metal/constant_expression.hpp"
#include "harness/metal/declaration.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/signature.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

constexpr std::int64_t kLongest = 4096;  // elements of a list that is written out

/// One element of a list: `value`, `[first] = value` or `[first ... last] = value`.
struct Element {
  bool designated = false;
  TokenRange first, last, value;
};

/// What a list initialises: the array, and the "=" and the statement around it.
struct DeclaredArray {
  std::size_t name = 0, begin = 0, end = 0;  ///< `end`: the ";"
  std::size_t dimensions = 0;
};

class Designators {
 public:
  explicit Designators(TokenText& text)
      : text_(text), tokens_(text.tokens), declarations_(declarations_of(text)), names_(text) {}

  bool run() {
    find_lists();
    if (lists_.empty()) return false;
    std::map<std::size_t, Tokens> in_place, behind;  // of a list's first token; behind any token
    for (const auto open : lists_) {
      if (enclosed(open)) continue;
      if (!written_out(open, in_place[open])) in_place[open] = loops(open, behind);
    }
    Tokens out;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (const auto list = in_place.find(i); list != in_place.end()) {
        out.insert(out.end(), list->second.begin(), list->second.end());
        const std::size_t close = closing_bracket(tokens_, i);
        keep_lines({i, close + 1}, out);
        i = close;
      } else {
        out.push_back(tokens_[i]);
      }
      if (const auto more = behind.find(i); more != behind.end()) {
        out.insert(out.end(), more->second.begin(), more->second.end());
      }
    }
    tokens_ = std::move(out);
    return true;
  }

 private:
  [[noreturn]] void refuse(std::size_t i, const std::string& why) const {
    const Token& place = tokens_[i];
    throw UnsupportedFeature(text_.files[place.file], place.line, "an initialiser by index: " + why);
  }

  // Is there `[...] =` at i, at the beginning of an element?
  bool is_designator(std::size_t i) const {
    if (i >= tokens_.size() || !tokens_[i].is("[") || attribute_end(tokens_, i)) return false;
    const auto equals = next_significant(tokens_, closing_bracket(tokens_, i));
    return equals < tokens_.size() && tokens_[equals].is("=");
  }

  // Lists that hold a designator, or a list that holds one.
  void find_lists() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is_any({")", "]", "}"}) && !open.empty()) open.pop_back();
      if (tokens_[i].is("[") && !open.empty() && tokens_[open.back()].is("{") &&
          tokens_[previous_significant(tokens_, i)].is_any({"{", ","}) && is_designator(i)) {
        lists_.insert(open.back());
        for (auto depth = open.size() - 1; depth > 0 && is_element(open[depth]); --depth)
          lists_.insert(open[depth - 1]);
      }
      if (tokens_[i].is_any({"(", "[", "{"})) open.push_back(i);
    }
  }

  // Is the list at `open` an element of another? Else it follows the declarator of what it initialises.
  bool is_element(std::size_t open) const {
    const auto before = previous_significant(tokens_, open);
    if (before >= tokens_.size() || tokens_[before].is_any({"{", ","})) return before < tokens_.size();
    if (!tokens_[before].is("=")) return false;
    auto i = previous_significant(tokens_, before);
    for (; i < tokens_.size() && !tokens_[i].is_any({"[", ";"}); i = previous_significant(tokens_, i)) {
    }
    return i < tokens_.size() && is_designator(i) &&
           tokens_[previous_significant(tokens_, i)].is_any({"{", ","});
  }

  bool enclosed(std::size_t open) const {
    return std::any_of(lists_.begin(), lists_.end(), [&](std::size_t other) {
      return other < open && closing_bracket(tokens_, other) > open;
    });
  }

  std::vector<Element> elements(std::size_t open) const {
    std::vector<Element> found;
    for (const auto& range : parameter_ranges(tokens_, open)) {
      Element element;
      element.value = range;
      const auto bracket = next_significant(tokens_, range.begin - 1);
      if (is_designator(bracket)) {
        const auto close = closing_bracket(tokens_, bracket);
        element.designated = true;
        element.first = {bracket + 1, close};
        for (auto i = bracket; i < close; ++i) {
          if (tokens_[i].is("...")) element.first.end = i, element.last = {i + 1, close};
        }
        element.value.begin = next_significant(tokens_, close) + 1;
      }
      found.push_back(element);
    }
    return found;
  }

  // At namespace scope names stand for what is declared there; elsewhere they may be anybody's.
  bool names_are_global(std::size_t i) const {
    for (const auto& d : declarations_) {
      if (i < d.range.begin || i >= d.range.end) continue;
      return d.kind == DeclarationKind::other && d.template_header.begin == d.template_header.end;
    }
    return false;
  }

  std::optional<std::int64_t> number(TokenRange range) {
    const bool words = std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                   tokens_.begin() + static_cast<std::ptrdiff_t>(range.end),
                                   [](const Token& token) { return token.is_word(); });
    if (words && !names_are_global(range.begin)) return std::nullopt;
    return names_.value(text_of(tokens_, range));
  }

  // The list in order, or false where an index is not known here.
  bool written_out(std::size_t open, Tokens& out) {
    std::map<std::int64_t, Tokens> values;
    std::int64_t at = 0, count = 0;
    for (const auto& element : elements(open)) {
      std::int64_t last = at;
      if (element.designated) {
        const auto first = number(element.first);
        const auto end = element.last.end != 0 ? number(element.last) : first;
        if (!first || !end) return false;
        at = *first, last = *end;
        if (at < 0 || last < at || last >= kLongest)
          refuse(open, fmt::format("the range of indices from {} to {} is not supported", at, last));
      }
      Tokens value;
      if (!value_of(element.value, value)) return false;
      for (; at <= last; ++at) values[at] = value;
      count = std::max(count, at);
    }
    const auto mark = [&](const char* what) { out.push_back(like(open, what)); };
    mark("{");
    for (std::int64_t i = 0; i < count; ++i) {
      if (i > 0) mark(",");
      if (!values.contains(i)) mark("{"), mark("}");
      out.insert(out.end(), values[i].begin(), values[i].end());
    }
    mark("}");
    return true;
  }

  bool value_of(TokenRange range, Tokens& out) {
    const auto first = next_significant(tokens_, range.begin - 1);
    if (first < range.end && tokens_[first].is("{")) {
      if (lists_.contains(first)) return written_out(first, out);
    }
    copy(range, out);
    return true;
  }

  Token like(std::size_t i, const std::string& text) const {
    const bool word = std::isalpha(static_cast<unsigned char>(text[0])) != 0;
    return {word ? TokenKind::identifier : TokenKind::punctuator, text, tokens_[i].file, tokens_[i].line};
  }

  // Without its ends of lines: what is said several times must not move what follows.
  void copy(TokenRange range, Tokens& out) const {
    for (auto i = range.begin; i < range.end; ++i) {
      if (tokens_[i].significant())
        out.push_back(tokens_[i]);
      else
        out.push_back({TokenKind::space, " ", tokens_[i].file, tokens_[i].line});
    }
  }

  void keep_lines(TokenRange range, Tokens& out) const {
    for (auto i = range.begin; i < range.end; ++i) {
      if (tokens_[i].kind == TokenKind::directive)
        refuse(i, "preprocessor directives inside it are not supported");
      const auto lines = std::count(tokens_[i].text.begin(), tokens_[i].text.end(), '\n');
      if (lines > 0)
        out.push_back({TokenKind::space, std::string(static_cast<std::size_t>(lines), '\n'), tokens_[i].file,
                       tokens_[i].line});
    }
  }

  // `T name[a][b] = {`: the array that the list at `open` initialises.
  DeclaredArray declared(std::size_t open) const {
    DeclaredArray d;
    auto i = previous_significant(tokens_, open);
    if (i < tokens_.size() && tokens_[i].is("=")) i = previous_significant(tokens_, i);
    while (i < tokens_.size() && tokens_[i].is("]")) {
      std::size_t depth = 0;
      for (;; --i) {
        if (tokens_[i].is("]")) ++depth;
        if (tokens_[i].is("[") && --depth == 0) break;
        if (i == 0) break;
      }
      ++d.dimensions;
      i = previous_significant(tokens_, i);
    }
    d.name = i;
    if (i >= tokens_.size() || !tokens_[i].is_word() || d.dimensions == 0)
      refuse(open, "it must initialise an array that is declared in this statement");
    d.begin = i;
    for (auto k = i; k < tokens_.size() && !tokens_[k].is_any({";", "{", "}"});
         k = previous_significant(tokens_, k)) {
      if (tokens_[k].is("(")) refuse(open, "it is not supported in the head of a loop");
      d.begin = k;
      if (k == 0) break;
    }
    d.end = closing_bracket(tokens_, open);
    while (d.end < tokens_.size() && !tokens_[d.end].is(";")) {
      if (tokens_[d.end].is_any({"(", "[", "{"})) d.end = closing_bracket(tokens_, d.end);
      d.end = next_significant(tokens_, d.end);
    }
    if (d.end >= tokens_.size()) refuse(open, "the declaration is not closed");
    return d;
  }

  // `= {}` in its place, and behind the declaration loops that fill it. The elements are written to then.
  Tokens loops(std::size_t open, std::map<std::size_t, Tokens>& behind) {
    const auto inside = std::find_if(declarations_.begin(), declarations_.end(), [&](const Declaration& d) {
      return d.kind == DeclarationKind::function && d.body && open > *d.body && open < d.range.end;
    });
    const DeclaredArray array = declared(open);
    const bool in_function = inside != declarations_.end();
    bool pointers = false, constant = false;
    for (auto i = array.begin; i < array.name; ++i) {
      pointers |= tokens_[i].is("*");
      constant |= tokens_[i].is_any({"static", "constexpr", "constant"});
    }
    if (!in_function || constant) refuse(open, "the indices of a constant array must be plain numbers");
    Tokens fill{like(open, "{")};
    const Tokens name{tokens_[array.name]};
    assign(open, name, array.dimensions, fill);
    fill.push_back(like(open, "}"));
    auto& added = behind[array.end];
    added.insert(added.end(), fill.begin(), fill.end());
    for (auto i = array.begin; i < array.name && !pointers; ++i) {
      if (tokens_[i].is("const")) tokens_[i].rewrite();
    }
    return {like(open, "{"), like(open, "}")};
  }

  // Statements that give `target`, an array, what the list at `open` says.
  void assign(std::size_t open, const Tokens& target, std::size_t dimensions, Tokens& out) {
    Tokens at{number_token(open, 0)};
    std::int64_t plain = 0;
    for (const auto& element : elements(open)) {
      if (element.designated && element.last.end != 0) {
        const auto index = like(open, fmt::format("assay_at{}", loops_++));
        const auto words = [&](std::initializer_list<const char*> list) {
          for (const char* word : list) out.push_back(like(open, word));
        };
        out.push_back(like(open, "for"));
        words({"("});
        Tokens declaration = tokenize("int " + index.text + " = int(", "").tokens;
        for (auto& token : declaration) out.push_back(placed(open, token));
        copy(element.first, out);
        words({")", ";"});
        out.push_back(index);
        words({"<="});
        for (auto& token : tokenize(" int(", "").tokens) out.push_back(placed(open, token));
        copy(element.last, out);
        words({")", ";", "++"});
        out.push_back(index);
        words({")"});
        one(element.value, indexed(open, target, {index}), dimensions, out);
        continue;
      }
      Tokens index{number_token(open, plain++)};
      if (element.designated) {
        index.clear();
        copy(element.first, index);
      }
      one(element.value, indexed(open, target, index), dimensions, out);
    }
  }

  void one(TokenRange value, const Tokens& target, std::size_t dimensions, Tokens& out) {
    const auto first = next_significant(tokens_, value.begin - 1);
    if (dimensions > 1 && first < value.end && tokens_[first].is("{")) {
      out.push_back(like(first, "{"));
      assign(first, target, dimensions - 1, out);
      out.push_back(like(first, "}"));
      return;
    }
    out.insert(out.end(), target.begin(), target.end());
    out.push_back(like(first, "="));
    copy(value, out);
    out.push_back(like(first, ";"));
  }

  Token placed(std::size_t i, Token token) const {
    token.file = tokens_[i].file;
    token.line = tokens_[i].line;
    return token;
  }
  Token number_token(std::size_t i, std::int64_t value) const {
    return {TokenKind::number, std::to_string(value), tokens_[i].file, tokens_[i].line};
  }
  Tokens indexed(std::size_t i, Tokens target, const Tokens& index) const {
    target.push_back(like(i, "["));
    target.insert(target.end(), index.begin(), index.end());
    target.push_back(like(i, "]"));
    return target;
  }

  TokenText& text_;
  Tokens& tokens_;
  std::vector<Declaration> declarations_;
  IntegerConstants names_;
  std::set<std::size_t> lists_;  // their "{"
  std::size_t loops_ = 0;
};

}  // namespace

bool write_out_designators(TokenText& text) { return Designators(text).run(); }

}  // namespace assay::metal
