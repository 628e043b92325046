#include "harness/metal/signature.hpp"

#include <algorithm>
#include <map>

#include "harness/metal/declared_types.hpp"
#include "harness/metal/errors.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

// "a" "b" -> ab
std::string literal_value(const Tokens& tokens, TokenRange range) {
  std::string all;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const auto& text = tokens[i].text;
    if (tokens[i].kind == TokenKind::string && text.size() >= 2) all += text.substr(1, text.size() - 2);
  }
  return all;
}

// What a parameter is by the name of its type: `typedef device float* Rows;`, `template <class T> using
// Reader = const device T*;`.
struct PointerName {
  bool reference = false, constant = false, threadgroup = false;
};
using PointerNames = std::map<std::string, PointerName, std::less<>>;

PointerNames pointer_names(const Tokens& tokens, const std::vector<Declaration>& declarations) {
  PointerNames found;
  for (const auto& d : declarations) {
    if (d.kind != DeclarationKind::other || !tokens[d.header].is_any({"typedef", "using"})) continue;
    PointerName name;
    bool pointer = false;
    for (std::size_t i = d.header; i < d.range.end; ++i) {
      if (tokens[i].is_any({"(", "{"})) i = closing_bracket(tokens, i);  // of functions, or members
      if (i >= d.range.end) break;
      pointer |= tokens[i].is_any({"*", "&"});
      name.reference |= tokens[i].is("&");
      name.constant |= tokens[i].is("constant");
      name.threadgroup |= tokens[i].is("threadgroup");
    }
    if (!pointer) continue;
    for (const auto& one : d.names) found[one] = name;
  }
  return found;
}

// Words that stand in the type of a parameter beside its name.
bool stands_beside(const Token& token) {
  return qualifies(token) || token.is_any({"coherent", "struct", "class", "enum", "union", "typename"});
}

// The attribute of parameters of a type of that name, which need not be written.
std::string_view table_of(const Token& token) {
  if (token.is("sampler")) return "sampler";
  return token.is_any({"texture1d", "texture1d_array", "texture2d", "texture2d_array", "texture2d_ms",
                       "texture3d", "texture_buffer", "texturecube", "texturecube_array", "depth2d",
                       "depth2d_array", "depth2d_ms", "depthcube", "depthcube_array"})
             ? "texture"
             : "";
}

KernelParameter parse_parameter(const Tokens& tokens, TokenRange range, const PointerNames& pointers) {
  KernelParameter parameter;
  bool complete = false;   // has the type been named, so that a word that follows is the parameter's name?
  bool qualified = false;  // does "::" stand before this word?
  std::string_view type_table;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Token& token = tokens[i];
    if (!token.significant()) continue;
    if (const auto end = attribute_end(tokens, i)) {
      for (const auto& attribute : attributes_in(tokens, {i + 2, *end - 2})) {
        if (attribute.name != "function_constant" && attribute.name != "maybe_unused" &&
            attribute.name != "noescape" && attribute.name != "user" &&
            attribute.name != "raster_order_group")
          parameter.attribute = attribute.name;
      }
      i = *end - 1;
      continue;
    }
    if (token.is("<")) {  // template arguments of the type hold no parameter name
      const auto close = closing_angle(tokens, i);
      if (close < range.end) i = close;
      continue;
    }
    if (token.is("[")) {  // array bound: T x[n] is a T*
      parameter.pointer = true;
      i = std::min(closing_bracket(tokens, i), range.end);
      continue;
    }
    if (token.is("=")) break;
    if (token.is("coherent")) {  // coherent(device)
      const auto open = next_significant(tokens, i);
      if (open < range.end && tokens[open].is("(")) i = std::min(closing_bracket(tokens, open), range.end);
      continue;
    }
    parameter.pointer |= token.is("*") || token.is("&");
    parameter.reference |= token.is("&");
    parameter.constant |= token.is("constant");
    parameter.threadgroup |= token.is("threadgroup");
    if (token.is_word()) {
      if (const auto named = pointers.find(token.text); named != pointers.end()) {
        parameter.pointer = true;
        parameter.reference |= named->second.reference;
        parameter.constant |= named->second.constant;
        parameter.threadgroup |= named->second.threadgroup;
      }
      parameter.name = token.text;
      parameter.file = token.file;
      parameter.line = token.line;
      const bool part = stands_beside(token) || is_fundamental(token) || qualified;
      parameter.named = complete && !part;
      complete |= !stands_beside(token);
      if (type_table.empty()) type_table = table_of(token);
    }
    qualified = token.is("::");
  }
  if (parameter.attribute.empty() && !parameter.pointer) parameter.attribute = type_table;
  return parameter;
}

// Of `template <class T, int N = 4, class... Rest>`: how many arguments it takes.
void count_arguments(const Tokens& tokens, const Declaration& d, KernelFunction& found) {
  for (const auto& range : ranges_in_angles(tokens, next_significant(tokens, d.template_header.begin))) {
    bool optional = false;
    for (auto i = range.begin; i < range.end; ++i) {
      if (tokens[i].is("...")) {
        found.most_arguments = static_cast<std::size_t>(-1);
        return;
      }
      optional |= tokens[i].is("=");
    }
    ++found.most_arguments;
    if (!optional) ++found.least_arguments;
  }
}

// Every attribute of a declaration outside its parameters and its body.
std::vector<Attribute> attributes_of(const Tokens& tokens, const Declaration& d) {
  std::vector<Attribute> all;
  const std::size_t end = d.body.value_or(d.range.end);
  for (std::size_t i = d.range.begin; i < end; ++i) {
    if (d.parameters == i) i = closing_bracket(tokens, i);
    if (const auto stop = attribute_end(tokens, i)) {
      const auto list = attributes_in(tokens, {i + 2, *stop - 2});
      all.insert(all.end(), list.begin(), list.end());
      i = *stop - 1;
    }
  }
  return all;
}

KernelFunction function_of(const TokenText& text, const Declaration& d, std::size_t index,
                           const PointerNames& pointers) {
  const Tokens& tokens = text.tokens;
  KernelFunction found;
  for (const auto& scope : d.scope) {
    if (!scope.empty()) found.name += scope + "::";
  }
  found.name += d.name;
  found.declaration = index;
  found.is_template = d.template_header.end > d.template_header.begin;
  if (found.is_template) count_arguments(tokens, d, found);
  const Token& place = tokens[previous_significant(tokens, *d.parameters)];
  found.file = place.file;
  found.line = place.line;
  for (const auto& attribute : attributes_of(tokens, d)) {
    if (attribute.name == "host_name") found.host_name = attribute.argument;
  }
  for (const auto& range : parameter_ranges(tokens, *d.parameters)) {
    found.parameters.push_back(parse_parameter(tokens, range, pointers));
  }
  if (found.parameters.size() == 1 && found.parameters[0].name == "void") found.parameters.clear();
  return found;
}

// `template [[host_name("x")]] ... f<...> [(parameters)] ;`
std::optional<KernelInstantiation> instantiation_of(const TokenText& text, const Declaration& d,
                                                    const PointerNames& pointers) {
  const Tokens& tokens = text.tokens;
  KernelInstantiation found;
  for (const auto& attribute : attributes_of(tokens, d)) {
    if (attribute.name == "host_name") found.host_name = attribute.argument;
  }
  for (std::size_t i = d.header; i < d.parameters.value_or(d.range.end); ++i) {
    if (const auto stop = attribute_end(tokens, i)) {
      i = *stop - 1;
    } else if (tokens[i].is("decltype")) {
      i = closing_bracket(tokens, next_significant(tokens, i));
    } else if (tokens[i].is("<")) {
      const auto close = closing_angle(tokens, i);
      const auto name = previous_significant(tokens, i);
      if (close >= d.range.end || name >= tokens.size()) break;
      found.function = tokens[name].text;
      found.template_id = text_of(tokens, {name, close + 1});
      found.arguments = ranges_in_angles(tokens, i).size();
      i = close;
    }
  }
  if (found.host_name.empty() || found.function.empty()) return std::nullopt;
  if (!d.parameters) return found;
  for (const auto& range : parameter_ranges(tokens, *d.parameters))
    found.parameters.push_back(parse_parameter(tokens, range, pointers));
  return found;
}

}  // namespace

std::vector<Attribute> attributes_in(const std::vector<Token>& tokens, TokenRange inside) {
  std::vector<Attribute> list;
  for (std::size_t i = inside.begin; i < inside.end; ++i) {
    if (!tokens[i].is_word()) continue;
    auto next = next_significant(tokens, i);
    if (next < inside.end && tokens[next].is("::")) continue;  // a vendor's prefix
    Attribute attribute{tokens[i].text, {}};
    if (next < inside.end && tokens[next].is("(")) {
      const auto close = closing_bracket(tokens, next);
      const TokenRange argument{next + 1, std::min(close, inside.end)};
      attribute.argument =
          attribute.name == "host_name" ? literal_value(tokens, argument) : text_of(tokens, argument);
      i = close;
    }
    list.push_back(std::move(attribute));
  }
  return list;
}

std::vector<TokenRange> ranges_in_angles(const Tokens& tokens, std::size_t open) {
  std::vector<TokenRange> ranges;
  const std::size_t close = closing_angle(tokens, open);
  if (close >= tokens.size() || next_significant(tokens, open) == close) return ranges;
  std::size_t begin = open + 1;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (tokens[i].is_any({"(", "[", "{"})) i = closing_bracket(tokens, i);
    if (tokens[i].is("<")) i = std::min(closing_angle(tokens, i), close);
    if (!tokens[i].is(",")) continue;
    ranges.push_back({begin, i});
    begin = i + 1;
  }
  ranges.push_back({begin, close});
  return ranges;
}

std::vector<TokenRange> parameter_ranges(const Tokens& tokens, std::size_t open) {
  std::vector<TokenRange> ranges;
  const std::size_t close = closing_bracket(tokens, open);
  std::size_t begin = open + 1;
  const auto flush = [&](std::size_t end) {
    if (next_significant(tokens, begin - 1) < end) ranges.push_back({begin, end});
    begin = end + 1;
  };
  for (std::size_t i = open + 1; i < close; ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) {
      i = closing_bracket(tokens, i);
    } else if (tokens[i].is("<")) {
      const auto end = closing_angle(tokens, i);
      if (end < close) i = end;
    } else if (tokens[i].is(",")) {
      flush(i);
    }
  }
  flush(close);
  return ranges;
}

bool is_kernel(const TokenText& text, const Declaration& d) {
  const Tokens& tokens = text.tokens;
  if (d.kind == DeclarationKind::type) return false;
  for (std::size_t i = d.range.begin; i < d.parameters.value_or(d.range.end); ++i) {
    if (const auto stop = attribute_end(tokens, i)) {
      const auto list = attributes_in(tokens, {i + 2, *stop - 2});
      if (std::any_of(list.begin(), list.end(), [](const auto& a) { return a.name == "kernel"; }))
        return true;
      i = *stop - 1;
    } else if (tokens[i].is("kernel")) {
      return true;
    }
  }
  return false;
}

KernelIndex index_kernels(const TokenText& text, const std::vector<Declaration>& declarations) {
  KernelIndex index;
  const auto pointers = pointer_names(text.tokens, declarations);
  for (std::size_t i = 0; i < declarations.size(); ++i) {
    const Declaration& d = declarations[i];
    if (d.explicit_instantiation) {
      if (auto found = instantiation_of(text, d, pointers)) {
        found->declaration = i;
        index.instantiations.push_back(std::move(*found));
      }
      continue;
    }
    if (!is_kernel(text, d)) continue;
    const Token& begin = text.tokens[d.header];
    if (d.body && d.kind == DeclarationKind::function) {
      index.functions.push_back(function_of(text, d, i, pointers));
    } else if (d.kind != DeclarationKind::function) {
      throw CompileError(text.files[begin.file], begin.line, "`kernel` is not followed by a function");
    }
  }
  return index;
}

}  // namespace assay::metal
