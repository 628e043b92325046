#include "harness/metal/host_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "harness/metal/errors.hpp"
#include "harness/metal/host_words.hpp"
#include "harness/metal/signature.hpp"

namespace assay::metal {
namespace {

constexpr std::string_view kBuiltin = "__builtin_";

// `__noinline__` -> noinline
std::string plain_name(std::string_view name) {
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) {
    name = name.substr(2, name.size() - 4);
  }
  return std::string(name);
}

class HostAccess {
 public:
  HostAccess(const TokenText& text, const std::vector<Declaration>& declarations)
      : text_(text), tokens_(text.tokens), declarations_(declarations) {}

  void refuse() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.is("[")) {
        bracket(i);
      } else if (token.kind == TokenKind::identifier) {
        word(i);
      }
    }
  }

 private:
  [[noreturn]] void refused(std::size_t i, const std::string& why) const {
    const Token& place = tokens_[std::min(i, tokens_.size() - 1)];
    throw UnsupportedFeature(text_.files[place.file], place.line, why);
  }
  bool at(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }
  std::size_t next(std::size_t i) const { return next_significant(tokens_, i); }

  // The declaration that token i belongs to, or null: those of namespaces themselves.
  const Declaration* around(std::size_t i) const {
    auto found = std::upper_bound(declarations_.begin(), declarations_.end(), i,
                                  [](std::size_t a, const Declaration& d) { return a < d.range.begin; });
    if (found == declarations_.begin()) return nullptr;
    return i < (--found)->range.end ? &*found : nullptr;
  }

  void word(std::size_t i) const {
    const std::string_view text = tokens_[i].text;
    if (text == "extern") return linkage(i);
    if (text == "asm" || text == "__asm" || text == "__asm__") return assembly(i);
    if (text == "__attribute__" || text == "__attribute") return gnu_attributes(i);
    if (text == "goto" && at(next(i), "*")) refused(i, "a `goto` to an address is not supported");
    if (text.starts_with(kBuiltin)) {
      const bool called = at(next(i), "(");  // rather than its address taken
      if (is_plain_builtin(text.substr(kBuiltin.size())) && called) return;
      refused(i, fmt::format("`{}`: this function of the host's compiler is not supported", text));
    }
    const auto why = why_refused(text);
    const auto before = why.empty() ? tokens_.size() : previous_significant(tokens_, i);
    const bool deleted = text == "delete" && at(before, "=");  // void f() = delete;
    if (!why.empty() && !deleted) refused(i, fmt::format("`{}` is not supported: {}", text, why));
  }

  static bool is_defined_kernel(const TokenText& text, const Declaration* d) {
    return d != nullptr && d->kind == DeclarationKind::function && d->body && is_kernel(text, *d);
  }

  void linkage(std::size_t i) const {
    auto then = next(i);
    const bool language = then < tokens_.size() && tokens_[then].kind == TokenKind::string;
    const std::string what = language ? "extern " + tokens_[then].text : "extern";
    while (then < tokens_.size() && tokens_[then].kind == TokenKind::string) then = next(then);
    const auto* d = around(i);
    if (d == nullptr && language && at(then, "{")) return block(what, then);
    const bool header = is_defined_kernel(text_, d) && i < *d->body;
    const bool type = language && d != nullptr && names_types(*d, then);
    if (!header && !type) not_of_the_host(i, what);
  }

  // A type, or a name of one, whose first word behind the linkage is at `first`; no variable of it.
  bool names_types(const Declaration& d, std::size_t first) const {
    if (tokens_[first].is_any({"typedef", "using", "static_assert"})) return true;
    if (d.kind != DeclarationKind::type || !d.body) return false;
    return at(next(closing_bracket(tokens_, *d.body)), ";");
  }

  // Headers that the host program shares wrap their structures in it.
  void block(const std::string& what, std::size_t open) const {
    const auto close = closing_bracket(tokens_, open);
    for (const auto& d : declarations_) {
      if (d.range.begin < open || d.range.begin >= close) continue;
      if (!names_types(d, d.header) && !is_defined_kernel(text_, &d)) not_of_the_host(d.header, what);
    }
  }

  [[noreturn]] void not_of_the_host(std::size_t i, const std::string& what) const {
    refused(i, fmt::format("`{}` declares something of the host, which a kernel may not use", what));
  }

  // `void f() __asm("air.f");` names a function of Apple's; see replace_compiler_intrinsics().
  void assembly(std::size_t i) const {
    const auto* d = around(i);
    const bool inside = d != nullptr && d->body && i > *d->body;
    if (!inside && at(previous_significant(tokens_, i), ")") && at(next(i), "(")) return;
    refused(i, "inline assembly is not supported");
  }

  // __attribute__((a, b(c)))
  void gnu_attributes(std::size_t i) const {
    const auto outer = next(i), inner = next(outer);
    if (!at(outer, "(") || !at(inner, "(")) refused(i, "`__attribute__` must be followed by `((`");
    attributes(inner, "gnu");
  }

  // [[a, gnu::b(c), using clang: d]], with or without space between the brackets: two of them begin nothing
  // else. Other namespaces' mean nothing to clang, and standard ones without a namespace no harm.
  void bracket(std::size_t i) const {
    const auto inner = next(i);
    if (at(inner, "[")) attributes(inner, "");
  }

  void attributes(std::size_t open, std::string space) const {
    const auto close = closing_bracket(tokens_, open);
    auto i = next(open);
    if (at(i, "using")) {
      space = plain_name(tokens_[std::min(next(i), tokens_.size() - 1)].text);
      i = next(next(next(i)));
    }
    bool name = true;  // is the next word one?
    for (; i < close; i = next(i)) {
      if (at(i, "(") || at(i, "[") || at(i, "{")) {
        i = closing_bracket(tokens_, i);
      } else if (at(i, ",")) {
        name = true;
      } else if (name && tokens_[i].is_word()) {
        name = false;
        const bool scoped = at(next(i), "::");
        const auto own = scoped ? next(next(i)) : i;
        if (own < close) attribute(own, scoped ? plain_name(tokens_[i].text) : space);
      }
    }
  }

  void attribute(std::size_t i, const std::string& space) const {
    const std::string name = plain_name(tokens_[i].text);
    if ((space == "gnu" || space == "clang") && !is_kernel_attribute(name)) {
      refused(i,
              fmt::format("the attribute `{}` is not supported: a kernel may not choose symbols, sections or "
                          "how it is compiled",
                          name));
    }
  }

  const TokenText& text_;
  const std::vector<Token>& tokens_;
  const std::vector<Declaration>& declarations_;  // that stay, in the order of the text
};

}  // namespace

void refuse_host_access(const TokenText& text, const std::vector<Declaration>& declarations) {
  HostAccess(text, declarations).refuse();
}

}  // namespace assay::metal
