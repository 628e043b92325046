#include "harness/draft/kernel_reader.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "harness/draft/named_constants.hpp"
#include "harness/draft/threads.hpp"
#include "harness/metal/chosen_kernel.hpp"
#include "harness/metal/constant_expression.hpp"
#include "harness/metal/live.hpp"
#include "harness/metal/preprocess.hpp"
#include "harness/metal/signature.hpp"

namespace assay::draft {
namespace {

using metal::Declaration;
using metal::Token;
using metal::TokenRange;
using Words = ElementTypes::Words;

/// The last number of "uint3": 3; 1 of "uint".
unsigned axes_of_type(const Words& words) {
  for (const std::string& word : words) {
    if ((word.starts_with("uint") || word.starts_with("ushort")) && word.back() >= '2' && word.back() <= '3')
      return static_cast<unsigned>(word.back() - '0');
  }
  return 1;
}

class Reader {
 public:
  explicit Reader(const device::KernelSource& source)
      : source_(source),
        text_(metal::tokenize(metal::preprocess(source), source.path.string())),
        declarations_(metal::declarations_of(text_)),
        index_(metal::index_kernels(text_, declarations_)) {}

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& one : index_.functions) {
      if (!one.is_template) all.push_back(one.host_name.empty() ? one.name : one.host_name);
    }
    for (const auto& one : index_.instantiations) all.push_back(one.host_name);
    return all;
  }

  KernelText read() {
    // Refuses a kernel that is not there, with the words of the front end.
    live_ = metal::live_tokens(text_, source_);
    KernelText kernel;
    kernel.function = source_.function;
    std::map<std::string, Words> given;
    const auto chosen = metal::choose_kernel(text_, declarations_, index_, source_.function);
    const auto& function = *chosen.function;  // live_tokens() has refused what there is not
    const Declaration& declared = declarations_[function.declaration];
    if (chosen.instantiation != nullptr)
      given = metal::template_arguments(text_, declared, *chosen.instantiation);
    const ElementTypes types(text_, declarations_);
    const auto ranges = metal::parameter_ranges(text_.tokens, *declared.parameters);
    for (std::size_t i = 0; i < function.parameters.size() && i < ranges.size(); ++i)
      kernel.parameters.push_back(parameter(function.parameters[i], ranges[i], types, given));
    for (Parameter& one : kernel.parameters) {
      const bool record = one.kind == Parameter::Kind::scalars && one.written.ends_with('*');
      if (record && is_indexed(one.name, declared)) one.kind = Parameter::Kind::buffer;
    }
    kernel.constants = constants();
    find_threads(kernel, declared, given);
    return kernel;
  }

 private:
  Parameter parameter(const metal::KernelParameter& read, TokenRange range, const ElementTypes& types,
                      const std::map<std::string, Words>& given) const {
    Parameter one;
    one.name = read.name;
    one.named = read.named;
    one.line = read.line;
    Words words;  // the type: what stands before the name, without attributes, * and &
    bool is_const = read.constant;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Token& token = text_.tokens[i];
      if (const auto stop = metal::attribute_end(text_.tokens, i)) {
        i = *stop - 1;
        continue;
      }
      if (!token.significant()) continue;
      if (token.is("coherent")) {  // coherent(device)
        i = metal::closing_bracket(text_.tokens, metal::next_significant(text_.tokens, i));
        continue;
      }
      if (token.is_word() && token.text == read.name && !words.empty()) break;
      one.written += (one.written.empty() || token.is("*") || token.is("&") ? "" : " ") + token.text;
      is_const |= token.is("const") && one.written.find('*') == std::string::npos;
      if (!token.is("*") && !token.is("&") && !token.is("(") && !token.is(")")) words.push_back(token.text);
    }
    one.writable = !is_const;
    one.element = types.find(words, given);
    const bool memory =
        read.attribute.empty() || read.attribute == "buffer" || read.attribute == "threadgroup";
    if (memory && read.pointer) {
      const bool values = !one.writable && !one.element.of_struct && !one.element.scalars.empty() &&
                          (read.reference || (one.element.scalars.size() > 4 && !holds_halves(one)));
      one.kind = read.attribute == "threadgroup" || read.threadgroup ? Parameter::Kind::threadgroup
                 : values || is_record(one, read)                    ? Parameter::Kind::scalars
                                                                     : Parameter::Kind::buffer;
    } else if (!memory && read.attribute != "texture" && read.attribute != "sampler") {
      one.kind = Parameter::Kind::position;
      one.attribute = read.attribute;
      one.axes = axes_of_type(words);
    }
    return one;
  }

  // Behind a pointer these are scales of blocks, of which there are many.
  static bool holds_halves(const Parameter& one) {
    const auto& all = one.element.scalars;
    return std::any_of(all.begin(), all.end(), [](const Scalar& field) { return !field.fixed.empty(); });
  }

  // `constant Params* p`: a struct whose fields have names is passed by value, however it is declared.
  static bool is_record(const Parameter& one, const metal::KernelParameter& read) {
    return read.constant && !holds_halves(one) && !one.element.scalars.empty() &&
           one.element.type == "uchar" && one.element.inner.size() == 1 &&
           !one.element.scalars.front().name.empty() && one.element.scalars.front().name != "x";
  }

  /// `name[i]` or `name + i` in the kernel's body: there are several, unless i is 0.
  bool is_indexed(const std::string& name, const Declaration& declared) const {
    const auto& tokens = text_.tokens;
    for (std::size_t i = declared.body.value_or(declared.range.end); i < declared.range.end; ++i) {
      if (!tokens[i].is_word() || tokens[i].text != name) continue;
      const auto open = metal::next_significant(tokens, i), at = metal::next_significant(tokens, open);
      if (at >= tokens.size()) continue;
      if (tokens[open].is("+") || (tokens[open].is("[") && !tokens[at].is("0"))) return true;
    }
    return false;
  }

  std::vector<FunctionConstant> constants() {
    std::vector<FunctionConstant> found;
    metal::IntegerConstants values(text_);
    for (const Declaration& d : declarations_) {
      if (!live_[d.range.begin] && !live_[d.header]) continue;
      for (std::size_t i = d.range.begin; i < d.range.end && d.kind == metal::DeclarationKind::other; ++i) {
        const auto stop = metal::attribute_end(text_.tokens, i);
        if (!stop) continue;
        for (const auto& attribute : metal::attributes_in(text_.tokens, {i + 2, *stop - 2})) {
          const auto index = values.value(attribute.argument);
          if (attribute.name != "function_constant" || !index) continue;
          const auto name = metal::previous_significant(text_.tokens, i);
          const auto type = metal::previous_significant(text_.tokens, name);
          const std::string& word = text_.tokens[name].text;
          found.push_back({static_cast<std::uint32_t>(*index), word, text_.tokens[type].text,
                           is_asked_for(word), compared_with(word, values)});
        }
        i = *stop - 1;
      }
    }
    return found;
  }

  /// v of `NAME == v`, `v == NAME` and `switch (NAME) { case v: ...`, in code that the kernel uses.
  std::vector<std::int64_t> compared_with(const std::string& name, metal::IntegerConstants& values) const {
    const auto& tokens = text_.tokens;
    const auto next = [&](std::size_t i) { return metal::next_significant(tokens, i); };
    const auto is = [&](std::size_t i, std::string_view text) {
      return i < tokens.size() && tokens[i].is(text);
    };
    std::vector<std::int64_t> all;
    const auto note = [&](std::size_t i) {
      const auto value = i < tokens.size() ? values.value(tokens[i].text) : std::nullopt;
      if (value && std::find(all.begin(), all.end(), *value) == all.end()) all.push_back(*value);
    };
    for (const std::size_t at : values.places_of(name)) {
      if (!live_[at]) continue;
      const auto before = metal::previous_significant(tokens, at);
      if (is(next(at), "==")) note(next(next(at)));
      if (is(before, "==")) note(metal::previous_significant(tokens, before));
      const auto open = next(next(at));
      if (!is(before, "(") || !is(metal::previous_significant(tokens, before), "switch") || !is(open, "{"))
        continue;
      const auto close = metal::closing_bracket(tokens, open);
      for (std::size_t i = open; i < close; ++i) {
        if (tokens[i].is("case")) note(next(i));
      }
    }
    return all;
  }

  /// `is_function_constant_defined(NAME)`
  bool is_asked_for(const std::string& name) const {
    const auto& tokens = text_.tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].is("is_function_constant_defined")) continue;
      const auto open = metal::next_significant(tokens, i);
      const auto inner = open < tokens.size() ? metal::next_significant(tokens, open) : open;
      if (inner < tokens.size() && tokens[inner].is(name)) return true;
    }
    return false;
  }

  void find_threads(KernelText& kernel, const Declaration& declared,
                    const std::map<std::string, Words>& given) {
    const metal::TokenRange body{declared.body.value_or(declared.range.end), declared.range.end};
    const LiveText text{text_, live_, kernel.parameters, body, given};
    for (Parameter& one : kernel.parameters) {
      if (one.kind == Parameter::Kind::position) one.used_axes = axes_used(text, one);
    }
    for (std::size_t i = 0; i < text_.tokens.size(); ++i)
      kernel.waits |= live_[i] && text_.tokens[i].is("threadgroup_barrier");
    kernel.threads = threads_in(text, source_);
    kernel.strides = strides_in(text);
    kernel.threads_matter = threads_matter(kernel.parameters);
    kernel.tiles = named_sizes(text, source_);
  }

  const device::KernelSource& source_;
  metal::TokenText text_;
  std::vector<Declaration> declarations_;
  metal::KernelIndex index_;
  std::vector<bool> live_;
};

}  // namespace

const Parameter* KernelText::find(const std::string& name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& one) { return one.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

unsigned KernelText::used_axes_of(const std::string& attribute) const {
  unsigned axes = 0;
  for (const Parameter& one : parameters) {
    if (one.attribute == attribute) axes = std::max(axes, one.used_axes);
  }
  return axes;
}

unsigned KernelText::axes_of(const std::string& attribute) const {
  unsigned axes = 0;
  for (const Parameter& one : parameters) {
    if (one.attribute == attribute) axes = std::max(axes, one.axes);
  }
  return axes;
}

std::vector<std::string> kernels_of(const device::KernelSource& source) { return Reader(source).names(); }

KernelText read_kernel(const device::KernelSource& source) { return Reader(source).read(); }

}  // namespace assay::draft
