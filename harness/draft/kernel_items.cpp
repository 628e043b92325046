#include "harness/draft/kernel_items.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "harness/draft/named_constants.hpp"

namespace assay::draft {
namespace {

constexpr std::array<std::string_view, 14> kWhole = {"int",      "uint",    "short",    "ushort",   "long",
                                                     "ulong",    "size_t",  "int32_t",  "uint32_t", "int64_t",
                                                     "uint64_t", "int16_t", "uint16_t", "unsigned"};

bool is_type(const Item& item) {
  return std::find(kWhole.begin(), kWhole.end(), item.text) != kWhole.end() && item.place.empty();
}

/// Is this behind a variable that gets another value?
bool changes(const Item& item) {
  const bool compares = item.is("==") || item.is("!=") || item.is("<=") || item.is(">=");
  return item.place.empty() && !item.word && !compares &&
         (item.text.ends_with('=') || item.is("++") || item.is("--"));
}

/// 0 of "x"; nothing of what is no axis.
std::optional<unsigned> axis_of(const metal::Token& token) {
  const auto at = std::string_view("xyz").find(token.text);
  return token.text.size() == 1 && at != std::string_view::npos ? std::optional(static_cast<unsigned>(at))
                                                                : std::nullopt;
}

class Itemizer {
 public:
  explicit Itemizer(const LiveText& text) : text_(text), constants_(text.text) {}

  std::vector<Item> run() {
    for (const Parameter& one : text_.parameters) {
      if (one.kind == Parameter::Kind::position) places_[one.name] = {one.name, {}, one.attribute, 0, true};
    }
    read();
    join();
    if (find_variables()) {
      read();
      join();
    }
    return items_;
  }

 private:
  void read() {
    items_.clear();
    begin_ = end_ = 0;
    const auto& tokens = text_.text.tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!text_.live[i] || !tokens[i].significant()) continue;
      if (i < text_.kernel.begin) begin_ = items_.size() + 1;
      if (i < text_.kernel.end) end_ = items_.size() + 1;
      Item item{tokens[i].text, {}, {}, 0, tokens[i].is_word()};
      const auto dot = metal::next_significant(tokens, i), behind = metal::next_significant(tokens, dot);
      const auto before = metal::previous_significant(tokens, i);
      const bool member = before < tokens.size() && (tokens[before].is(".") || tokens[before].is("->"));
      const auto place = places_.find(tokens[i].text);
      if (item.word && !member && place != places_.end()) {
        item = place->second;
        if (dot < tokens.size() && tokens[dot].is(".") && behind < tokens.size() && axis_of(tokens[behind])) {
          item.axis = *axis_of(tokens[behind]);
          item.text += '.' + tokens[behind].text;
          i = behind;
        }
      } else if (item.word) {
        if (!member) item.value = constant(tokens[i].text);
      } else if (tokens[i].kind == metal::TokenKind::number) {
        item.value = constants_.value(tokens[i].text);
      }
      items_.push_back(std::move(item));
    }
  }

  /// Takes the conversions off places: `int(tid)`, `(int)tid`, and parentheses that hold nothing else.
  void join() {
    std::vector<Item> joined;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      joined.push_back(items_[i]);
      const auto from_end = [&](std::size_t back) -> Item& { return joined[joined.size() - back]; };
      if (joined.size() >= 4 && from_end(1).is(")") && !from_end(2).place.empty() && from_end(3).is("(") &&
          (is_type(from_end(4)) || !from_end(4).word)) {
        const Item place = from_end(2);
        joined.resize(joined.size() - (is_type(from_end(4)) ? 4 : 3));
        joined.push_back(place);
      }
      if (joined.size() >= 4 && !from_end(1).place.empty() && from_end(2).is(")") && is_type(from_end(3)) &&
          from_end(4).is("(")) {
        const Item place = from_end(1);
        joined.resize(joined.size() - 4);
        joined.push_back(place);
      }
    }
    items_ = std::move(joined);
  }

  /// `const uint row = tid.y, column = tid.x;`, of the kernel alone: other functions may use the words
  /// otherwise. A variable that is changed is no place.
  bool find_variables() {
    std::map<std::string, Item> found;
    std::set<std::string> changed;
    const std::size_t end = std::min(end_, items_.size());
    for (std::size_t i = begin_; i + 3 < end; ++i) {
      const Item &name = items_[i + 1], &then = items_[i + 2];
      if (!name.word || !name.place.empty()) continue;
      const bool declared = is_type(items_[i]) || items_[i].is(",") || items_[i].is("auto");
      if (then.is("=") && declared && !items_[i + 3].place.empty() && i + 4 < items_.size() &&
          (items_[i + 4].is(";") || items_[i + 4].is(","))) {
        found.emplace(name.text, items_[i + 3]);
      } else if (changes(then) || items_[i].is("++") || items_[i].is("--")) {
        changed.insert(name.text);
      }
    }
    for (const auto& [name, place] : found) {
      if (!changed.contains(name)) places_.emplace(name, place);
    }
    return !found.empty();
  }

  std::optional<std::int64_t> constant(const std::string& word) {
    const auto given = text_.given.find(word);
    if (given != text_.given.end()) {
      std::string value;
      for (const auto& one : given->second) value += one + ' ';
      return constants_.value(value);
    }
    const auto known = known_.find(word);
    if (known != known_.end()) return known->second;
    return known_[word] = is_constant(text_.text, constants_, word) ? constants_.value(word) : std::nullopt;
  }

  const LiveText& text_;
  metal::IntegerConstants constants_;
  std::map<std::string, Item> places_;
  std::map<std::string, std::optional<std::int64_t>> known_;
  std::vector<Item> items_;
  std::size_t begin_ = 0, end_ = 0;  // of the kernel's body
};

}  // namespace

std::vector<Item> items_of(const LiveText& text) { return Itemizer(text).run(); }

unsigned axes_used(const LiveText& text, const Parameter& position) {
  const auto& tokens = text.text.tokens;
  unsigned axes = 0;
  for (std::size_t i = text.kernel.begin; i < text.kernel.end; ++i) {
    if (!tokens[i].is_word() || tokens[i].text != position.name) continue;
    const auto dot = metal::next_significant(tokens, i), axis = metal::next_significant(tokens, dot);
    const bool one =
        dot < tokens.size() && tokens[dot].is(".") && axis < tokens.size() && axis_of(tokens[axis]);
    axes = std::max(axes, one ? *axis_of(tokens[axis]) + 1 : position.axes);
  }
  return std::min(axes, position.axes);
}

}  // namespace assay::draft
