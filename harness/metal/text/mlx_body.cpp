#include "harness/metal/text/mlx_body.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "harness/metal/text/token.hpp"

namespace assay::metal {
namespace {

struct TypeOfMlx {
  std::string_view dtype, metal;
};

constexpr std::array<TypeOfMlx, 13> kTypesOfMlx = {{{"bool_", "bool"},
                                                    {"uint8", "uint8_t"},
                                                    {"uint16", "uint16_t"},
                                                    {"uint32", "uint32_t"},
                                                    {"uint64", "uint64_t"},
                                                    {"int8", "int8_t"},
                                                    {"int16", "int16_t"},
                                                    {"int32", "int32_t"},
                                                    {"int64", "int64_t"},
                                                    {"float16", "float16_t"},
                                                    {"bfloat16", "bfloat16_t"},
                                                    {"float32", "float"},
                                                    {"complex64", "complex64_t"}}};

/// What a kernel function may be told of its threads (Metal Shading Language Specification, "Kernel Function
/// Input Attributes"), and the type of each.
const std::map<std::string_view, std::string_view> kThreadAttributes = {
    {"dispatch_quadgroups_per_threadgroup", "uint"},
    {"dispatch_simdgroups_per_threadgroup", "uint"},
    {"dispatch_threads_per_threadgroup", "uint3"},
    {"grid_origin", "uint3"},
    {"grid_size", "uint3"},
    {"quadgroup_index_in_threadgroup", "uint"},
    {"quadgroups_per_threadgroup", "uint"},
    {"simdgroup_index_in_threadgroup", "uint"},
    {"simdgroups_per_threadgroup", "uint"},
    {"thread_execution_width", "uint"},
    {"thread_index_in_quadgroup", "uint"},
    {"thread_index_in_simdgroup", "uint"},
    {"thread_index_in_threadgroup", "uint"},
    {"thread_position_in_grid", "uint3"},
    {"thread_position_in_threadgroup", "uint3"},
    {"threadgroup_position_in_grid", "uint3"},
    {"threadgroups_per_grid", "uint3"},
    {"threads_per_grid", "uint3"},
    {"threads_per_simdgroup", "uint"},
    {"threads_per_threadgroup", "uint3"},
};

// BodyWords that no parameter can be called.
const std::set<std::string_view> kNoNames = {
    "alignas",  "alignof",  "and",     "asm",         "auto",     "bfloat",    "bool",      "break",
    "case",     "char",     "class",   "const",       "constant", "constexpr", "continue",  "decltype",
    "default",  "delete",   "device",  "do",          "double",   "else",      "enum",      "explicit",
    "extern",   "false",    "float",   "for",         "fragment", "friend",    "goto",      "half",
    "if",       "inline",   "int",     "kernel",      "long",     "mutable",   "namespace", "new",
    "noexcept", "not",      "nullptr", "operator",    "or",       "private",   "protected", "public",
    "register", "return",   "short",   "signed",      "sizeof",   "static",    "struct",    "switch",
    "template", "this",     "thread",  "threadgroup", "true",     "typedef",   "typename",  "uchar",
    "uint",     "ulong",    "union",   "unsigned",    "ushort",   "using",     "vertex",    "virtual",
    "void",     "volatile", "while"};

// What stands ahead of every kernel.
constexpr std::string_view kPrelude =
    "#include <metal_stdlib>\nusing namespace metal;\ntypedef half float16_t;\ntypedef bfloat bfloat16_t;\n";

// MLX's helper for inputs that are not row-contiguous: where the element with this row-major number lies.
constexpr std::string_view kElementPlace =
    "template <typename Number>\n"
    "inline Number elem_to_loc(Number elem, const constant int* shape, const constant int64_t* strides, int "
    "ndim) {\n"
    "  int64_t place = 0;\n"
    "  uint64_t rest = uint64_t(elem);\n"
    "  for (int axis = ndim - 1; axis >= 0; --axis) {\n"
    "    place += int64_t(rest % uint64_t(shape[axis])) * strides[axis];\n"
    "    rest /= uint64_t(shape[axis]);\n"
    "  }\n"
    "  return Number(place);\n"
    "}\n";

// MLX's complex numbers, of which Metal has none.
constexpr std::string_view kComplex = R"metal(struct complex64_t {
  float real;
  float imag;
  complex64_t() = default;
  constexpr complex64_t(float real_part, float imag_part) : real(real_part), imag(imag_part) {}
  constexpr complex64_t(float real_part) : real(real_part), imag(0) {}
  explicit constexpr operator float() const { return real; }
};
constexpr complex64_t operator-(complex64_t a) { return {-a.real, -a.imag}; }
constexpr complex64_t operator+(complex64_t a, complex64_t b) { return {a.real + b.real, a.imag + b.imag}; }
constexpr complex64_t operator-(complex64_t a, complex64_t b) { return {a.real - b.real, a.imag - b.imag}; }
constexpr complex64_t operator*(complex64_t a, complex64_t b) {
  return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}
constexpr complex64_t operator/(complex64_t a, complex64_t b) {
  const float norm = b.real * b.real + b.imag * b.imag;
  return {(a.real * b.real + a.imag * b.imag) / norm, (a.imag * b.real - a.real * b.imag) / norm};
}
constexpr bool operator==(complex64_t a, complex64_t b) { return a.real == b.real && a.imag == b.imag; }
constexpr bool operator!=(complex64_t a, complex64_t b) { return !(a == b); }
)metal";

/// The words of a text and the lines on which each stands first, those of directives too.
class BodyWords {
 public:
  explicit BodyWords(const MlxText& source)
      : file_(source.file.string()), tokens_(tokenize(source.text, file_)) {
    for (const Token& token : tokens_.tokens) {
      if (token.is_word()) lines_.try_emplace(token.text, token.line);
      if (token.kind != TokenKind::directive) continue;
      for (const Token& inside : tokenize(token.text.substr(1), "").tokens)
        if (inside.is_word()) lines_.try_emplace(inside.text, token.line);
    }
  }

  bool has(std::string_view word) const { return lines_.find(word) != lines_.end(); }
  std::string place_of(std::string_view word) const { return place(lines_.find(word)->second); }
  std::string place(std::uint32_t line) const { return fmt::format("{}:{}", file_, line); }
  const std::vector<Token>& tokens() const { return tokens_.tokens; }

 private:
  std::string file_;
  TokenText tokens_;
  std::map<std::string, std::uint32_t, std::less<>> lines_;
};

/// `include` of "#  include <x>"; "" of no directive.
std::string directive_of(const Token& token) {
  if (token.kind != TokenKind::directive) return "";
  for (const Token& inside : tokenize(token.text.substr(1), "").tokens) {
    if (inside.significant()) return inside.text;
  }
  return "";
}

void refuse_whole_file(const BodyWords& body) {
  const auto& tokens = body.tokens();
  std::vector<const Token*> words;
  for (const Token& one : tokens)
    if (one.significant()) words.push_back(&one);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool kernel = words[i]->is("kernel"), attribute = i > 0 && words[i - 1]->is("[");
    const bool function = kernel && i + 1 < words.size() && words[i + 1]->is("void");
    if (!function && !(attribute && (kernel || words[i]->is("host_name")))) continue;
    throw BodyError("source",
                    fmt::format("{} begins a kernel function; a body is only what stands between its braces. "
                                "Leave source_kind out, or give the body alone and what stands ahead of "
                                "the function as header",
                                body.place(words[i]->line)));
  }
  for (const Token& token : tokens) {
    const std::string word = directive_of(token);
    if (word != "include" && word != "import" && word != "include_next") continue;
    throw BodyError("source",
                    fmt::format("{} includes a file inside of a function; put that into the header, or leave "
                                "source_kind out if this is a whole Metal file",
                                body.place(token.line)));
  }
}

// A brace may stand in each of two branches of the preprocessor's: of such texts the compiler alone can tell.
void refuse_open_braces(const BodyWords& body) {
  std::vector<std::uint32_t> open;
  for (const Token& token : body.tokens()) {
    if (directive_of(token).starts_with("if")) return;
  }
  for (const Token& token : body.tokens()) {
    if (token.is("{")) open.push_back(token.line);
    if (!token.is("}")) continue;
    if (open.empty()) {
      throw BodyError("source",
                      fmt::format("{} closes a brace that the body does not open; a body is only what stands "
                                  "between the braces of a function",
                                  body.place(token.line)));
    }
    open.pop_back();
  }
  if (!open.empty())
    throw BodyError("source",
                    fmt::format("{} opens a brace that the body does not close", body.place(open.back())));
}

class MlxSignature {
 public:
  MlxSignature(const MlxCall& call, const BodyWords& header, const BodyWords& body)
      : call_(call), header_(header), body_(body) {}

  void check() {
    for (std::size_t i = 0; i < call_.inputs.size(); ++i)
      take(fmt::format("input_names[{}]", i), call_.inputs[i].name, "an input");
    for (std::size_t i = 0; i < call_.outputs.size(); ++i)
      take(fmt::format("output_names[{}]", i), call_.outputs[i].name, "an output");
    for (const auto& one : call_.template_arguments)
      take("template." + one.name, one.name, "a template argument");
    for (std::size_t i = 0; i < call_.inputs.size(); ++i) {
      for (const char* of : {"_shape", "_strides", "_ndim"}) check_layout_word(i, call_.inputs[i].name + of);
    }
    for (std::size_t i = 0; i < call_.outputs.size(); ++i)
      demand_use(fmt::format("output_names[{}]", i), call_.outputs[i].name);
    if (body_.has("grid_size")) {
      throw BodyError("source",
                      fmt::format("{}: grid_size is not supported; threads_per_grid is the size of the grid",
                                  body_.place_of("grid_size")));
    }
  }

  std::vector<MlxLayoutWords> layouts() const {
    std::vector<MlxLayoutWords> all;
    for (const MlxInput& input : call_.inputs)
      all.push_back({body_.has(input.name + "_shape"), body_.has(input.name + "_strides"),
                     body_.has(input.name + "_ndim")});
    return all;
  }

  /// From `template` to the brace that the body stands behind. `small`: inputs that may have fewer than 8
  /// elements have.
  std::string opening(bool small) const {
    std::vector<std::string> parameters;
    std::size_t index = 0;
    const auto buffer = [&](const std::string& declared) {
      parameters.push_back(fmt::format("{} [[buffer({})]]", declared, index++));
    };
    const auto words = layouts();
    for (std::size_t i = 0; i < call_.inputs.size(); ++i) {
      const MlxInput& input = call_.inputs[i];
      const bool constant = input.form == MlxInput::Form::scalar || input.form == MlxInput::Form::small ||
                            (input.form == MlxInput::Form::either && small);
      buffer(fmt::format("const {} {}{} {}", constant ? "constant" : "device", input.type,
                         input.form == MlxInput::Form::scalar ? "&" : "*", input.name));
      if (words[i].shape) buffer(fmt::format("const constant int* {}_shape", input.name));
      if (words[i].strides) buffer(fmt::format("const constant int64_t* {}_strides", input.name));
      if (words[i].ndim) buffer(fmt::format("const constant int& {}_ndim", input.name));
    }
    for (const MlxOutput& output : call_.outputs)
      buffer(fmt::format("device {}* {}", call_.atomic_outputs ? atomic_type_over(output.type) : output.type,
                         output.name));
    for (const auto& [name, type] : kThreadAttributes) {
      if (body_.has(name)) parameters.push_back(fmt::format("{} {} [[{}]]", type, name, name));
    }
    std::vector<std::string> header;
    for (const auto& one : call_.template_arguments) header.push_back(one.kind + " " + one.name);
    return fmt::format("{}[[kernel]] void {}(\n    {}) {{\n",
                       header.empty() ? "" : fmt::format("template <{}>\n", fmt::join(header, ", ")),
                       call_.function, fmt::join(parameters, ",\n    "));
  }

  std::string closing() const {
    if (call_.template_arguments.empty()) return "}\n";
    std::vector<std::string> values;
    for (const auto& one : call_.template_arguments) values.push_back(one.value);
    const std::string instance = fmt::format("{}<{}>", call_.function, fmt::join(values, ", "));
    return fmt::format("}}\ntemplate [[host_name(\"{}\")]] [[kernel]] decltype({}) {};\n", call_.function,
                       instance, instance);
  }

  std::string ahead() const {
    const bool places = body_.has("elem_to_loc") || header_.has("elem_to_loc");
    return std::string(kPrelude) + std::string(is_complex() ? kComplex : "") +
           std::string(places ? kElementPlace : "");
  }

 private:
  bool is_complex() const {
    constexpr std::string_view name = "complex64_t";
    return body_.has(name) || header_.has(name) ||
           std::any_of(call_.inputs.begin(), call_.inputs.end(),
                       [&](const MlxInput& one) { return one.type == name; }) ||
           std::any_of(call_.outputs.begin(), call_.outputs.end(),
                       [&](const MlxOutput& one) { return one.type == name; }) ||
           std::any_of(call_.template_arguments.begin(), call_.template_arguments.end(),
                       [&](const auto& one) { return one.value == name; });
  }

  void take(const std::string& field, const std::string& name, const std::string& what) {
    if (kNoNames.contains(name))
      throw BodyError(field, fmt::format("`{}` is a keyword of Metal; use another name", name));
    if (kThreadAttributes.contains(name))
      throw BodyError(field,
                      fmt::format("`{}` is Metal's name for a thread position; use another name", name));
    const auto [known, fresh] = taken_.try_emplace(name, what);
    if (fresh) return;
    throw BodyError(field,
                    fmt::format("`{}` is {} already; each name stands for one thing", name, known->second));
  }

  void check_layout_word(std::size_t i, const std::string& word) const {
    const MlxInput& input = call_.inputs[i];
    if (const auto other = taken_.find(word); other != taken_.end()) {
      throw BodyError(
          fmt::format("input_names[{}]", i),
          fmt::format("`{}` is {} already, and what MLX calls a property of `{}`; rename one of them", word,
                      other->second, input.name));
    }
    if (input.form != MlxInput::Form::scalar || !body_.has(word)) return;
    throw BodyError(fmt::format("input_names[{}]", i),
                    fmt::format("{} names {}, but `{}` is a scalar, of which MLX passes the value alone",
                                body_.place_of(word), word, input.name));
  }

  // An input that stays unused costs nothing, and bodies that are put together from pieces have some. An
  // output would never be written.
  void demand_use(const std::string& field, const std::string& name) const {
    if (body_.has(name) || header_.has(name)) return;
    throw BodyError(field,
                    fmt::format("the body does not use `{}`; leave it out, or check the spelling", name));
  }

  const MlxCall& call_;
  const BodyWords& header_;
  const BodyWords& body_;
  std::map<std::string, std::string, std::less<>> taken_;
};

}  // namespace

MlxKernel mlx_kernel(const MlxCall& call, const MlxText& header, const MlxText& body) {
  const BodyWords header_words(header), body_words(body);
  refuse_whole_file(body_words);
  refuse_open_braces(body_words);
  MlxSignature signature(call, header_words, body_words);
  signature.check();
  const auto pieces = [&](bool small) {
    std::vector<device::SourcePiece> all = {{"", signature.ahead()}};
    if (!header.file.empty()) all.push_back({header.file, ""});
    all.push_back({"", signature.opening(small)});
    all.push_back({body.file, ""});
    all.push_back({"", signature.closing()});
    return all;
  };
  MlxKernel made{{.pieces = pieces(false)}, signature.layouts()};
  std::vector<std::string> either;
  for (const MlxInput& input : call.inputs) {
    if (input.form == MlxInput::Form::either) either.push_back("`" + input.name + "`");
  }
  if (!either.empty()) {
    made.text.other = pieces(true);
    made.text.when = fmt::format(
        "MLX passes inputs of fewer than 8 elements in constant memory, which {} may be; write auto, or let "
        "requires "
        "or the dimensions exclude such sizes",
        fmt::join(either, " and "));
  }
  return made;
}

std::string_view metal_type_of_mlx(std::string_view dtype) {
  const auto* found = std::find_if(kTypesOfMlx.begin(), kTypesOfMlx.end(),
                                   [&](const TypeOfMlx& one) { return one.dtype == dtype; });
  return found == kTypesOfMlx.end() ? std::string_view() : found->metal;
}

std::vector<std::string_view> mlx_types() {
  std::vector<std::string_view> names;
  names.reserve(kTypesOfMlx.size());
  for (const TypeOfMlx& one : kTypesOfMlx) names.push_back(one.dtype);
  return names;
}

std::string atomic_type_over(std::string_view type) {
  const bool known = type == "float" || type == "int32_t" || type == "uint32_t";
  return known ? fmt::format("atomic<{}>", type) : "";
}

}  // namespace assay::metal
