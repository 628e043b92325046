#include "harness/metal/handles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/metal/errors.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

class Handles {
 public:
  Handles(TokenText& text, const std::vector<Declaration>& declarations)
      : text_(text), tokens_(text.tokens), declarations_(declarations) {
    for (std::size_t i = 0; i < declarations.size(); ++i) {
      const Declaration& d = declarations[i];
      if (d.kind == DeclarationKind::function) continue;
      if (d.kind == DeclarationKind::type) by_name_[d.name].insert(i);
      for (const std::string& name : d.names) by_name_[name].insert(i);
    }
  }

  void write(const Declaration& kernel, const KernelInstantiation* instantiation) {
    const std::size_t open = *kernel.parameters;
    follow({open, closing_bracket(tokens_, open)});
    if (instantiation != nullptr) {
      for (const Token& token : tokenize(instantiation->template_id, "").tokens) follow(token);
    }
    for (const std::size_t index : reached_) read(declarations_[index]);
    for (const std::size_t i : found_) write(i);
  }

 private:
  void follow(const Token& token) {
    if (!token.is_word()) return;
    const auto found = by_name_.find(token.text);
    if (found == by_name_.end()) return;
    for (const std::size_t index : found->second) {
      if (reached_.insert(index).second) follow(declarations_[index]);
    }
  }
  void follow(TokenRange range) {
    for (std::size_t i = range.begin; i < range.end; ++i) follow(tokens_[i]);
  }
  // Not into what functions of a struct do.
  void follow(const Declaration& d) {
    if (d.kind != DeclarationKind::type || !d.body) {
      const bool names_type = tokens_[d.header].is_any({"typedef", "using"});
      return names_type ? follow(TokenRange{d.header, d.range.end}) : void();
    }
    follow(TokenRange{d.header, *d.body});
    for (const Declaration& member : members_of(text_, d)) {
      if (member.kind == DeclarationKind::type) follow(member);
      if (member.kind == DeclarationKind::other) follow(TokenRange{member.header, member.range.end});
    }
  }

  void read(const Declaration& d) {
    if (!d.body) return;
    for (const Declaration& member : members_of(text_, d)) {
      if (member.kind == DeclarationKind::type) read(member);
      if (member.kind == DeclarationKind::other) read_member(member, d.name);
    }
  }

  void read_member(const Declaration& member, const std::string& record) {
    if (tokens_[member.header].is_any({"using", "typedef", "static", "static_assert", "friend", "template"}))
      return;
    for (std::size_t i = member.header; i < member.range.end && !tokens_[i].is_any({"=", "{"}); ++i) {
      if (const auto stop = attribute_end(tokens_, i)) {
        i = *stop - 1;
      } else if (is_device_handle(tokens_[i])) {
        refuse_named(i, member.names.empty() ? record : member.names.front());
        found_.push_back(i);
      }
    }
  }

  // What copies the struct, and reads nothing through the handle, needs no bytes of it.
  void refuse_named(std::size_t i, const std::string& name) const {
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
      const auto named = next_significant(tokens_, k);
      if (!tokens_[k].is_any({".", "->"}) || named >= tokens_.size() || !tokens_[named].is(name)) continue;
      throw UnsupportedFeature(
          text_.files[tokens_[i].file], tokens_[i].line,
          fmt::format("`{}`: a `{}` in a struct in memory (an argument buffer) is not supported; make it a "
                      "parameter of the kernel",
                      name, tokens_[i].text));
    }
  }

  void write(std::size_t i) {
    const auto space = previous_significant(tokens_, i);
    const bool named = space < tokens_.size() && tokens_[space].is("::");
    if (named) erase_range(tokens_, {previous_significant(tokens_, space), i});  // metal::
    const auto open = next_significant(tokens_, i);
    if (open < tokens_.size() && tokens_[open].is("<"))
      erase_range(tokens_, {open, std::min(closing_angle(tokens_, open) + 1, tokens_.size())});
    tokens_[i].rewrite("assay_msl::handle_in_memory");
  }

  const TokenText& text_;
  Tokens& tokens_;
  const std::vector<Declaration>& declarations_;
  std::vector<std::size_t> found_;  ///< the words of their types
  std::map<std::string, std::set<std::size_t>, std::less<>> by_name_;
  std::set<std::size_t> reached_;
};

}  // namespace

void write_handles(TokenText& text, const std::vector<Declaration>& declarations, const Declaration& kernel,
                   const KernelInstantiation* instantiation) {
  Handles(text, declarations).write(kernel, instantiation);
}

}  // namespace assay::metal
