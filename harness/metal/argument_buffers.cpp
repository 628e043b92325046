#include "harness/metal/argument_buffers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/metal/errors.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

struct Member {
  std::string name;
  bool constant = false;  ///< its type has the word
};

/// A struct of the text, and its template's parameters.
struct Record {
  std::string name;           ///< within its namespaces: "Outer::Inner"
  std::string template_text;  ///< "class T, int N, "; "" of none
  std::vector<std::string> template_names;
  std::vector<std::string> scope;
  std::vector<Member> members;
  bool known = true;  ///< false: its members are not only data with names
};

class Describer {
 public:
  Describer(TokenText& text, const std::vector<Declaration>& declarations)
      : text_(text), tokens_(text.tokens), declarations_(declarations) {
    for (std::size_t i = 0; i < declarations.size(); ++i) {
      const Declaration& d = declarations[i];
      if (d.kind == DeclarationKind::function) continue;
      if (d.kind == DeclarationKind::type) by_name_[d.name].insert(i);
      for (const std::string& name : d.names) by_name_[name].insert(i);
    }
  }

  std::optional<std::string> write(const Declaration& kernel, const KernelInstantiation* instantiation) {
    const std::size_t open = *kernel.parameters;
    for (const TokenRange& parameter : parameter_ranges(tokens_, open)) {
      const auto begin = tokens_.begin();
      const auto leads =
          std::count_if(begin + static_cast<std::ptrdiff_t>(parameter.begin),
                        begin + static_cast<std::ptrdiff_t>(parameter.end), [](const Token& token) {
                          return token.is_any({"*", "&"});
                        });
      pointers_ |= leads > 1;
    }
    bool matrices = false;  // which are structs of the library's
    for (std::size_t i = open; i < closing_bracket(tokens_, open); ++i) matrices |= is_matrix(tokens_[i]);
    follow({open, closing_bracket(tokens_, open)});
    if (instantiation != nullptr) {
      for (const Token& token : tokenize(instantiation->template_id, "").tokens) follow(token);
    }
    std::string written;
    for (const std::size_t index : reached_) read(declarations_[index], "");
    write_handles();
    if (!pointers_ && !matrices && records_.empty()) return std::nullopt;
    for (const Record& record : records_) written += table(record);
    return written;
  }

 private:
  // "half3x4"
  static bool is_matrix(const Token& token) {
    const std::string& word = token.text;
    const auto sides = word.size() < 3 ? word.npos : word.size() - 3;
    return token.is_word() && sides != word.npos && word[sides + 1] == 'x' && word[sides] >= '2' &&
           word[sides] <= '4' && word.back() >= '2' && word.back() <= '4';
  }

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

  // `outer`: "Outer::" of a struct in a struct.
  void read(const Declaration& d, const std::string& outer) {
    if (!d.body) return;
    const std::string name = name_of(d);
    Record record{outer + name, {}, {}, d.scope, {}};
    record.known = !name.empty() && !d.explicit_specialisation && !is_specialised(name);
    record.known &= outer.empty() || d.template_header.end == d.template_header.begin;
    read_template(d, record);
    bool is_struct = false;
    for (std::size_t i = d.header; i < *d.body; ++i) {
      is_struct |= tokens_[i].is("struct");
      record.known &= !tokens_[i].is(":") && !tokens_[i].is("<");  // with a base, or specialised
    }
    record.known &= is_struct;
    std::map<std::string, std::string> ids;
    for (const Declaration& member : members_of(text_, d)) {
      if (member.kind == DeclarationKind::type && !name_of(member).empty()) read(member, record.name + "::");
      if (member.kind == DeclarationKind::type)  // one without a name, and a variable of one
        record.known &= !name_of(member).empty() && member.names.size() <= 1;
      if (member.kind == DeclarationKind::other) read_member(member, record, ids);
    }
    records_.push_back(std::move(record));
  }

  // "" where it has none; what stands behind it in a typedef.
  std::string name_of(const Declaration& d) const {
    if (tokens_[d.header].is("typedef")) {
      const auto behind = next_significant(tokens_, closing_bracket(tokens_, *d.body));
      return behind < d.range.end && tokens_[behind].is_word() ? tokens_[behind].text : "";
    }
    return d.name == "struct" || d.name == "union" || d.name == "class" ? "" : d.name;
  }

  // `template <class T, int N = 4>`: its parameters without their defaults, and their names.
  void read_template(const Declaration& d, Record& record) const {
    if (d.template_header.end <= d.template_header.begin) return;
    const auto open = next_significant(tokens_, d.template_header.begin);
    const auto close = std::min(closing_angle(tokens_, open), d.template_header.end);
    std::string parameter, name;
    bool value = false;
    for (auto i = open + 1; i <= close; ++i) {
      const Token& token = tokens_[i];
      if (i == close || token.is(",")) {
        record.template_text += parameter + ", ";
        record.template_names.push_back(name);
        parameter.clear();
        value = false;
        continue;
      }
      record.known &= !token.is_any({"...", "(", "<"});  // any number of them, or what is itself a template
      value |= token.is("=");
      if (value) continue;
      parameter += token.text;
      if (token.is_word()) name = token.text;
    }
  }

  bool is_specialised(const std::string& name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return false;
    return std::count_if(found->second.begin(), found->second.end(), [&](std::size_t i) {
             return declarations_[i].kind == DeclarationKind::type && declarations_[i].body;
           }) > 1;
  }

  void read_member(const Declaration& member, Record& record, std::map<std::string, std::string>& ids) {
    std::size_t begin = member.header;
    while (tokens_[begin].is_any({"public", "private", "protected"})) {
      record.known &= tokens_[begin].is("public");
      begin = next_significant(tokens_, next_significant(tokens_, begin));
      if (begin >= member.range.end) return;
    }
    if (tokens_[begin].is_any(
            {"using", "typedef", "static", "static_assert", "friend", "template", ";", "constexpr"}))
      return;
    bool constant = false;
    for (std::size_t i = begin; i < member.range.end; ++i) {
      const Token& token = tokens_[i];
      if (const auto stop = attribute_end(tokens_, i)) {
        read_id({i + 2, *stop - 2}, token, member, ids);
        i = *stop - 1;
        continue;
      }
      if (token.is_any({"=", "{"})) break;
      constant |= token.is("constant");
      pointers_ |= token.is_any({"*", "&"});
      record.known &= !token.is(":");  // a field of bits
      if (is_device_handle(token)) handle(i, member, record);
    }
    record.known &= !member.names.empty();
    for (const std::string& name : member.names) record.members.push_back({name, constant});
  }

  // A texture, a sampler and the like: it has no bytes here that a launch could write. What copies the
  // struct, and reads nothing through the handle, needs none.
  void handle(std::size_t i, const Declaration& member, const Record& record) {
    const std::string name = member.names.empty() ? record.name : member.names.front();
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
      const auto named = next_significant(tokens_, k);
      if (!tokens_[k].is_any({".", "->"}) || named >= tokens_.size() || !tokens_[named].is(name)) continue;
      throw UnsupportedFeature(
          text_.files[tokens_[i].file], tokens_[i].line,
          fmt::format("`{}`: a `{}` in a struct in memory (an argument buffer) is not supported; make it a "
                      "parameter of the kernel",
                      name, tokens_[i].text));
    }
    handles_.push_back(i);
  }

  void write_handles() {
    for (const std::size_t i : handles_) {
      const auto space = previous_significant(tokens_, i);
      const bool named = space < tokens_.size() && tokens_[space].is("::");
      if (named) erase_range(tokens_, {previous_significant(tokens_, space), i});  // metal::
      const auto open = next_significant(tokens_, i);
      if (open < tokens_.size() && tokens_[open].is("<"))
        erase_range(tokens_, {open, std::min(closing_angle(tokens_, open) + 1, tokens_.size())});
      tokens_[i].rewrite("assay_msl::handle_in_memory");
    }
  }

  void read_id(TokenRange inside, const Token& place, const Declaration& member,
               std::map<std::string, std::string>& ids) {
    for (const Attribute& attribute : attributes_in(tokens_, inside)) {
      if (attribute.name != "id") continue;
      pointers_ = true;
      const std::string name = member.names.empty() ? "" : member.names.front();
      const auto [taken, fresh] = ids.emplace(attribute.argument, name);
      if (!fresh)
        throw CompileError(
            text_.files[place.file], place.line,
            fmt::format("`{}`: [[id({})]] is taken by `{}`", name, attribute.argument, taken->second));
    }
  }

  // In the struct's own namespace, where overload resolution looks.
  static std::string table(const Record& record) {
    if (!record.known || record.members.empty()) return {};
    std::string opened, closed;
    for (const auto& scope : record.scope) {
      opened += fmt::format("namespace {} {{ ", scope);
      closed += "}";
    }
    const bool is_template = !record.template_names.empty();
    const std::string type = is_template
                                 ? fmt::format("{}<{}>", record.name, fmt::join(record.template_names, ", "))
                                 : record.name;
    std::string calls;
    for (const Member& member : record.members) {
      calls +=
          fmt::format("to.template member<decltype({0}::{1})>(\"{1}\", __builtin_offsetof({0}, {1}), {2}); ",
                      type, member.name, member.constant);
    }
    return fmt::format(
        "{}template <{}class Assay_To> constexpr void assay_members(Assay_To& to, "
        "const {}*) {{ {}}} {}\n",
        opened, record.template_text, type, calls, closed);
  }

  const TokenText& text_;
  Tokens& tokens_;
  const std::vector<Declaration>& declarations_;
  std::vector<std::size_t> handles_;  ///< the words of their types
  std::map<std::string, std::set<std::size_t>, std::less<>> by_name_;
  std::set<std::size_t> reached_;
  std::vector<Record> records_;
  bool pointers_ = false;
};

}  // namespace

std::optional<std::string> describe_argument_buffers(TokenText& text,
                                                     const std::vector<Declaration>& declarations,
                                                     const Declaration& kernel,
                                                     const KernelInstantiation* instantiation) {
  return Describer(text, declarations).write(kernel, instantiation);
}

}  // namespace assay::metal
