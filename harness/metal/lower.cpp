#include "harness/metal/lower.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/metal/address_space.hpp"
#include "harness/metal/errors.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

// Parameter attributes that the entry point can fill; the names are enumerators of assay_entry (entry.h).
constexpr std::array<std::string_view, 17> kBuiltins = {
    "thread_position_in_grid",       "thread_position_in_threadgroup", "threadgroup_position_in_grid",
    "threads_per_threadgroup",       "threadgroups_per_grid",          "threads_per_grid",
    "dispatch_threads_per_threadgroup", "thread_index_in_threadgroup", "thread_index_in_simdgroup",
    "simdgroup_index_in_threadgroup", "simdgroups_per_threadgroup",    "threads_per_simdgroup",
    "thread_execution_width",        "thread_index_in_quadgroup",      "quadgroup_index_in_threadgroup",
    "quadgroups_per_threadgroup",    "grid_origin"};

void blank(Tokens& tokens, TokenRange range) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const bool marker = tokens[i].kind == TokenKind::directive && !tokens[i].text.starts_with("#pragma");
    if (tokens[i].kind != TokenKind::space && !marker) tokens[i].text.clear();
  }
}

class Lowering {
 public:
  Lowering(TokenText text, const LoweringRequest& request)
      : text_(std::move(text)), tokens_(text_.tokens), request_(request), index_(index_kernels(text_)) {}

  LoweredKernel run() {
    choose();
    drop_other_kernels();
    const std::string entry = entry_point();  // before attributes and address spaces go
    kernels_to_functions();
    function_constants();
    attributes();
    vector_typedefs();
    half_literals();
    const auto slots = erase_address_spaces(text_);
    return {text_.str() + "\n# 1 \"assay-entry\"\n" + entry + slot_names(slots)};
  }

 private:
  void choose() {
    for (const auto& one : index_.instantiations) {
      if (one.host_name == request_.function) chosen_instantiation_ = &one;
    }
    const std::string wanted = chosen_instantiation_ ? chosen_instantiation_->function : request_.function;
    for (const auto& one : index_.functions) {
      const auto bare = one.name.substr(one.name.rfind(':') == std::string::npos ? 0 : one.name.rfind(':') + 1);
      if ((bare == wanted || one.name == wanted) && one.is_template == (chosen_instantiation_ != nullptr)) {
        chosen_ = &one;
      }
    }
    if (chosen_ == nullptr) no_such_kernel();
  }

  [[noreturn]] void no_such_kernel() const {
    std::set<std::string> names;
    for (const auto& one : index_.functions) {
      if (!one.is_template) names.insert(one.name);
    }
    for (const auto& one : index_.instantiations) names.insert(one.host_name);
    throw CompileError(text_.files.at(0), 0,
                       names.empty() ? fmt::format("no kernel function `{}`: the file has none", request_.function)
                                     : fmt::format("no kernel function `{}`; the file has: {}", request_.function,
                                                   fmt::join(names, ", ")));
  }

  // Another kernel stays, as a plain function, only if its name is used outside its own text.
  void drop_other_kernels() {
    for (const auto& one : index_.instantiations) blank(tokens_, one.range);
    for (const auto& one : index_.functions) {
      if (&one == chosen_ || used_elsewhere(one)) continue;
      blank(tokens_, one.range);
      dropped_.insert(&one);
    }
  }

  bool used_elsewhere(const KernelFunction& function) const {
    const auto bare = function.name.substr(function.name.rfind(':') + 1);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (i == function.range.begin) i = function.range.end;
      if (i < tokens_.size() && tokens_[i].kind == TokenKind::identifier && tokens_[i].is(bare)) return true;
    }
    return false;
  }

  std::string entry_point() const {
    std::vector<std::string> arguments, table;
    for (const auto& parameter : chosen_->parameters) {
      const auto kind = kind_of(parameter);
      const auto index = parameter.index.empty() ? std::string("0") : parameter.index;
      arguments.push_back(fmt::format("assay_entry::spec<assay_entry::{}, int({})>", kind, index));
      table.push_back(fmt::format("{{\"{}\", assay_entry::{}, int({})}}", parameter.name, kind, index));
    }
    const auto target = chosen_instantiation_ ? chosen_instantiation_->template_id : chosen_->name;
    return fmt::format(
        "extern \"C\" void assay_kernel_entry(const assay_entry::arguments* a) {{\n"
        "  assay_entry::call<&{}>::with<{}>(*a);\n}}\n"
        "extern \"C\" const assay_entry::parameter assay_kernel_parameters[] = {{{}{}{{nullptr, 0, 0}}}};\n",
        target, fmt::join(arguments, ", "), fmt::join(table, ", "), table.empty() ? "" : ", ");
  }

  static std::string slot_names(const std::vector<std::string>& slots) {
    std::string list;
    for (const auto& name : slots) list += "\"" + name + "\", ";
    return "extern \"C\" const char* const assay_slot_names[] = {" + list + "nullptr};\n";
  }

  std::string kind_of(const KernelParameter& parameter) const {
    const auto& a = parameter.attribute;
    if (a == "buffer") return parameter.reference && parameter.constant ? "constant_reference" : "buffer";
    if (a == "threadgroup") return "threadgroup_memory";
    if (std::find(kBuiltins.begin(), kBuiltins.end(), a) != kBuiltins.end()) return a;
    const auto& file = text_.files[parameter.file];
    if (a.empty()) {
      throw UnsupportedFeature(file, parameter.line,
                               fmt::format("parameter `{}` of kernel {} has no attribute; write [[buffer(n)]] or "
                                           "what it stands for",
                                           parameter.name, chosen_->name));
    }
    throw UnsupportedFeature(file, parameter.line,
                             fmt::format("attribute [[{}]] of parameter `{}` is not supported", a, parameter.name));
  }

  void kernels_to_functions() {
    for (const auto& one : index_.functions) {
      if (dropped_.contains(&one) || !tokens_[one.keyword].is("kernel")) continue;
      const auto before = previous_significant(tokens_, one.keyword);
      const bool linkage = before < tokens_.size() && tokens_[before].kind == TokenKind::string;  // extern "C"
      tokens_[one.keyword].text = linkage ? "" : "static";
    }
  }

  // `constant bool flag [[function_constant(0)]];` gets the literal that the manifest gives it.
  void function_constants() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const auto end = attribute_end(tokens_, i);
      if (!end) continue;
      const auto list = attributes_in(tokens_, {i + 2, *end - 2});
      if (list.size() != 1 || list[0].name != "function_constant") continue;
      const auto name = previous_significant(tokens_, i);
      const auto stop = next_significant(tokens_, *end - 1);
      if (name >= tokens_.size() || stop >= tokens_.size() || !tokens_[stop].is(";")) continue;
      const auto value = constant_value(list[0].argument);
      if (value) {
        blank(tokens_, {i, *end});
        tokens_[i].text = " = " + *value;
      } else {
        undefined_constant(name, i, *end, list[0].argument);
      }
      defined_[tokens_[name].text] = value.has_value();
    }
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is("is_function_constant_defined")) continue;
      const auto open = next_significant(tokens_, i);
      if (open >= tokens_.size() || !tokens_[open].is("(")) continue;
      const auto close = closing_bracket(tokens_, open);
      const auto name = next_significant(tokens_, open);
      const bool is_defined = name < close && defined_[tokens_[name].text];
      blank(tokens_, {i, close + 1});
      tokens_[i].text = is_defined ? "true" : "false";
    }
  }

  std::optional<std::string> constant_value(const std::string& index) const {
    for (const auto& [number, value] : request_.function_constants) {
      if (std::to_string(number) == index) return value;
    }
    return std::nullopt;
  }

  // Fine as long as only is_function_constant_defined() asks for it.
  void undefined_constant(std::size_t name, std::size_t begin, std::size_t end, const std::string& index) {
    const std::string wanted = tokens_[name].text;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (i == name || !tokens_[i].is(wanted)) continue;
      const auto open = previous_significant(tokens_, i);
      const auto asks = open < tokens_.size() ? previous_significant(tokens_, open) : tokens_.size();
      if (asks < tokens_.size() && tokens_[asks].is("is_function_constant_defined")) continue;
      throw UnsupportedFeature(text_.files[tokens_[i].file], tokens_[i].line,
                               fmt::format("function constant {} (`{}`) has no value; give it one in the "
                                           "manifest: function_constants = {{ {} = ... }}",
                                           index, wanted, index));
    }
    blank(tokens_, {begin, end});
    tokens_[begin].text = " = {}";
  }

  void attributes() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (const auto end = attribute_end(tokens_, i)) blank(tokens_, {i, *end});
    }
  }

  // typedef half half4_t __attribute__((ext_vector_type(4)));  ->  typedef metal::vec<half, 4> half4_t;
  void vector_typedefs() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is("ext_vector_type")) continue;
      std::size_t begin = i;
      while (begin > 0 && !tokens_[begin].is(";") && !tokens_[begin].is("{") && !tokens_[begin].is("typedef")) --begin;
      if (!tokens_[begin].is("typedef")) continue;
      std::size_t end = i;
      while (end < tokens_.size() && !tokens_[end].is(";")) ++end;
      const auto open = next_significant(tokens_, i);
      std::string width;
      for (std::size_t j = open + 1; j < closing_bracket(tokens_, open); ++j) width += tokens_[j].text;
      std::vector<std::string> words;
      for (std::size_t j = begin + 1; j < end; ++j) {
        if (tokens_[j].is("__attribute__")) {
          j = closing_bracket(tokens_, next_significant(tokens_, j));
        } else if (tokens_[j].significant()) {
          words.push_back(tokens_[j].text);
        }
      }
      if (words.size() < 2) continue;
      const auto name = words.back();
      words.pop_back();
      blank(tokens_, {begin, end});
      tokens_[begin].text = fmt::format("typedef metal::vec<{}, {}> {}", fmt::join(words, " "), width, name);
    }
  }

  void half_literals() {
    for (auto& token : tokens_) {
      if (token.kind != TokenKind::number || token.text.size() < 2) continue;
      if (token.text.starts_with("0x") || token.text.starts_with("0X")) continue;
      const auto suffix = token.text.find_first_of("hHbB");
      if (suffix == std::string::npos) continue;
      const auto digits = token.text.substr(0, suffix), tail = token.text.substr(suffix);
      if (tail == "h" || tail == "H") token.text = "half(" + digits + ")";
      if (tail == "bf" || tail == "BF") token.text = "bfloat(" + digits + ")";
    }
  }

  TokenText text_;
  Tokens& tokens_;
  const LoweringRequest& request_;
  KernelIndex index_;
  const KernelFunction* chosen_ = nullptr;
  const KernelInstantiation* chosen_instantiation_ = nullptr;
  std::set<const KernelFunction*> dropped_;
  std::map<std::string, bool> defined_;
};

}  // namespace

LoweredKernel lower(TokenText text, const LoweringRequest& request) {
  return Lowering(std::move(text), request).run();
}

}  // namespace assay::metal
