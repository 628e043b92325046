// The operators of mutation testing. Each looks at one place of the text and adds what may be put there.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <regex>

#include "harness/metal/text/grammar.hpp"
#include "harness/mutate/mutation.hpp"

namespace assay::mutate {
namespace {

using metal::TokenRange;

struct Replacement {
  const char* kind;
  std::vector<const char*> with;
};

// Operators between two operands.
const std::map<std::string, Replacement, std::less<>> kBinary = {
    {"<", {"comparison", {"<=", ">="}}}, {"<=", {"comparison", {"<", ">"}}},
    {">", {"comparison", {">=", "<="}}}, {">=", {"comparison", {">", "<"}}},
    {"==", {"comparison", {"!="}}},      {"!=", {"comparison", {"=="}}},
    {"&&", {"logic", {"||"}}},           {"||", {"logic", {"&&"}}},
    {"+", {"arithmetic", {"-"}}},        {"-", {"arithmetic", {"+"}}},
    {"*", {"arithmetic", {"/", "+"}}},   {"/", {"arithmetic", {"*", "%"}}},
    {"%", {"arithmetic", {"/", "*"}}},   {"<<", {"shift", {">>"}}},
    {"&", {"mask", {"|", "^"}}},         {"|", {"mask", {"&", "^"}}},
    {"^", {"mask", {"|", "&"}}},         {"+=", {"arithmetic", {"-=", "="}}},
    {"-=", {"arithmetic", {"+=", "="}}}, {"*=", {"arithmetic", {"/=", "="}}},
    {"/=", {"arithmetic", {"*=", "="}}}, {"%=", {"arithmetic", {"/="}}},
    {"&=", {"mask", {"|=", "="}}},       {"|=", {"mask", {"&=", "="}}},
    {"<<=", {"shift", {">>="}}},
};

// Names that stand for one choice of several.
const std::map<std::string, Replacement, std::less<>> kNames = {
    {"min", {"function", {"max"}}},
    {"max", {"function", {"min"}}},
    {"true", {"constant", {"false"}}},
    {"false", {"constant", {"true"}}},
    {"float", {"precision", {"half"}}},
    {"float2", {"precision", {"half2"}}},
    {"float3", {"precision", {"half3"}}},
    {"float4", {"precision", {"half4"}}},
    {"simdgroup_float8x8", {"precision", {"simdgroup_half8x8"}}},
    {"threadgroup_barrier", {"barrier", {"simdgroup_barrier"}}},
    {"mem_threadgroup", {"barrier", {"mem_none"}}},
    {"mem_device", {"barrier", {"mem_none"}}},
    {"memory_order_seq_cst", {"fence", {"memory_order_relaxed"}}},
    {"memory_order_acq_rel", {"fence", {"memory_order_relaxed"}}},
    {"memory_order_acquire", {"fence", {"memory_order_relaxed"}}},
    {"memory_order_release", {"fence", {"memory_order_relaxed"}}},
    {"thread_scope_device", {"fence", {"thread_scope_threadgroup"}}},
    {"atomic_fetch_add_explicit", {"function", {"atomic_fetch_sub_explicit"}}},
};

const std::map<std::string, const char*, std::less<>> kComponents = {
    {"x", "y"}, {"y", "x"}, {"z", "y"}, {"w", "z"}, {"r", "g"}, {"g", "r"}, {"b", "g"}, {"a", "b"}};

// A number's neighbours; of a mask, one with a bit less at either end.
std::vector<std::string> other_numbers(const std::string& text) {
  static const std::regex kDecimal("([0-9]+)([uUlL]*)"), kHex("0[xX]([0-9a-fA-F]+)([uUlL]*)"),
      kReal("([0-9]*\\.?[0-9]*(?:[eE][-+]?[0-9]+)?)([hHfF]?)");
  std::smatch match;
  const auto value_of = [](const std::string& digits, int base) {
    std::uint64_t value = 0;
    const auto end = digits.data() + digits.size();
    return std::from_chars(digits.data(), end, value, base).ec == std::errc() ? value : 0;
  };
  if (std::regex_match(text, match, kDecimal)) {
    const auto value = value_of(match[1], 10);
    std::vector<std::string> others = {fmt::format("{}{}", value + 1, match[2].str())};
    if (value > 0) others.push_back(fmt::format("{}{}", value - 1, match[2].str()));
    return others;
  }
  if (std::regex_match(text, match, kHex)) {
    const auto value = value_of(match[1], 16);
    const auto hex = [&](std::uint64_t other) { return fmt::format("0x{:X}{}", other, match[2].str()); };
    if (value == 0) return {hex(1)};
    std::uint64_t highest = 1;
    while (value / 2 >= highest) highest *= 2;
    std::vector<std::string> others = {hex(value & (value - 1))};
    if ((value & (value - 1)) != 0) others.push_back(hex(value ^ highest));
    return others;
  }
  if (std::regex_match(text, match, kReal) && match[1].length() > 0) {
    const double value = std::strtod(match[1].str().c_str(), nullptr);
    std::vector<std::string> others = {fmt::format("{:#.9g}{}", value + 1, match[2].str())};
    if (value != 0) others.push_back("0.0" + match[2].str());
    return others;
  }
  return {};
}

class Operators {
 public:
  explicit Operators(const metal::Grammar& g) : g_(g) {}

  std::vector<Mutation> run() {
    for (std::size_t i = 0; i < g_.size(); ++i) {
      if (!g_.open(i)) continue;
      names(i);
      numbers(i);
      operators(i);
      if (g_.is(i, "[")) index(i);
      if (g_.is(i, "(") && g_.call(i)) swap(i);
      if (g_.is(i, "{") && g_.list(i)) swap(i);  // {a, b} -> {b, a}
      if (g_.is(i, "?")) branches(i);
      if (g_.is(i, "if")) condition(i);
      if (g_.is(i, "for")) bound(i);
    }
    for (const auto& statement : g_.statements()) drop(statement);
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return a.first_token() < b.first_token(); });
    return std::move(found_);
  }

 private:
  void add(const char* kind, std::vector<Edit> edits) { found_.push_back({kind, std::move(edits)}); }
  void replace(const char* kind, std::size_t i, std::string with) {
    add(kind, {{{i, i + 1}, std::move(with)}});
  }
  std::string text(TokenRange range) const { return metal::text_of(g_.tokens(), range); }

  void names(std::size_t i) {
    if (!g_[i].is_word()) return;
    if (const auto known = kNames.find(g_[i].text); known != kNames.end()) {
      for (const char* with : known->second.with) replace(known->second.kind, i, with);
    }
    const auto component = kComponents.find(g_[i].text);
    if (component != kComponents.end() && g_.is(g_.previous(i), ".")) {
      replace("component", i, component->second);
    }
  }

  void numbers(std::size_t i) {
    if (g_[i].kind != metal::TokenKind::number) return;
    for (auto& other : other_numbers(g_[i].text)) replace("constant", i, std::move(other));
  }

  void operators(std::size_t i) {
    if (g_[i].kind != metal::TokenKind::punctuator) return;
    const std::string& text = g_[i].text;
    // The tokenizer leaves ">>" in two.
    if (text == ">" && g_.is(i + 1, ">") && g_.binary(i)) return add("shift", {{{i, i + 2}, "<<"}});
    if (text == ">" && g_.is(i + 1, ">=") && g_.binary(i)) return add("shift", {{{i, i + 2}, "<<="}});
    if (const auto known = kBinary.find(text); known != kBinary.end() && g_.binary(i)) {
      for (const char* with : known->second.with) replace(known->second.kind, i, with);
      return;
    }
    if (text == "++") return replace("arithmetic", i, "--");
    if (text == "--") return replace("arithmetic", i, "++");
    const bool prefix = text == "!" || text == "~" || text == "-";
    if (prefix && g_.in_body(i) && !g_.binary(i)) add("negation", {{{i, i + 1}, " "}});
  }

  // a[i] -> a[i + 1]
  void index(std::size_t open) {
    if (!g_.subscript(open)) return;
    const auto close = metal::closing_bracket(g_.tokens(), open);
    if (close < g_.size()) add("index", {{{close, close + 1}, " + 1]"}});
  }

  void swap(std::size_t open) {
    const auto parts = g_.parts(open);
    for (std::size_t p = 0; p + 1 < parts.size(); ++p) {
      const auto first = text(parts[p]), second = text(parts[p + 1]);
      if (first != second) add("swap", {{parts[p], second}, {parts[p + 1], first}});
    }
  }

  // c ? a : b -> c ? b : a
  void branches(std::size_t question) {
    std::size_t colon = question + 1, nested = 0;
    for (; colon < g_.size(); ++colon) {
      if (g_.is(colon, "(") || g_.is(colon, "[") || g_.is(colon, "{")) {
        colon = metal::closing_bracket(g_.tokens(), colon);
      } else if (g_.is(colon, "?")) {
        ++nested;
      } else if (g_.is(colon, ":") && nested-- == 0) {
        break;
      }
    }
    std::size_t end = colon + 1;
    for (; end < g_.size(); ++end) {
      if (g_.is(end, "(") || g_.is(end, "[") || g_.is(end, "{")) {
        end = metal::closing_bracket(g_.tokens(), end);
      } else if (g_.is(end, ")") || g_.is(end, "]") || g_.is(end, "}") || g_.is(end, ";") ||
                 g_.is(end, ",")) {
        break;
      }
    }
    if (end >= g_.size()) return;
    const auto first = g_.trimmed({question + 1, colon}), second = g_.trimmed({colon + 1, end});
    if (first.begin >= first.end || second.begin >= second.end || text(first) == text(second)) return;
    add("condition", {{first, text(second)}, {second, text(first)}});
  }

  void condition(std::size_t i) {
    auto open = g_.next(i);
    if (g_.is(open, "constexpr")) open = g_.next(open);
    if (!g_.is(open, "(")) return;
    const auto inside = g_.trimmed({open + 1, metal::closing_bracket(g_.tokens(), open)});
    if (inside.begin >= inside.end || inside.end > g_.size()) return;
    add("condition", {{inside, "true"}});
    add("condition", {{inside, "false"}});
  }

  // for (...; i < n; ...) -> for (...; i < n - 1; ...)
  void bound(std::size_t i) {
    const auto open = g_.next(i);
    if (!g_.is(open, "(")) return;
    const auto close = metal::closing_bracket(g_.tokens(), open);
    std::size_t at = open + 1;
    while (at < close && !g_.is(at, ";")) ++at;
    bool compared = false;
    for (++at; at < close; ++at) {
      if (g_.is(at, "(") || g_.is(at, "[")) at = metal::closing_bracket(g_.tokens(), at);
      compared |= g_.is(at, "<") || g_.is(at, "<=") || g_.is(at, "!=");
      if (!g_.is(at, ";") && !g_.is(at, "&&") && !g_.is(at, "||")) continue;
      if (compared)
        add("loop",
            {{{at, at + 1}, g_.is(at, ";") ? std::string(" - 1;") : fmt::format(" - 1 {}", g_[at].text)}});
      return;
    }
  }

  void drop(TokenRange statement) {
    for (auto i = statement.begin; i < statement.end; ++i) {
      if (g_[i].significant() && !g_.open(i)) return;
    }
    const auto& word = g_[statement.begin].text;
    const bool orders = word.find("barrier") != word.npos || word.find("fence") != word.npos;
    add(orders ? "barrier" : "statement", {{statement, " "}});
  }

  const metal::Grammar& g_;
  std::vector<Mutation> found_;
};

}  // namespace

std::vector<Mutation> mutations_of(const metal::TokenText& text, const std::vector<bool>& live,
                                   const metal::Syntax& syntax) {
  const metal::Grammar grammar(text, live, syntax);
  return Operators(grammar).run();
}

}  // namespace assay::mutate
