#include "harness/metal/entry_point.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "harness/metal/errors.hpp"

namespace assay::metal {
namespace {

// Parameter attributes that the entry point can fill; the names are enumerators of assay_entry::kind.
constexpr std::array<std::string_view, 19> kBuiltins = {"thread_position_in_grid",
                                                        "thread_position_in_threadgroup",
                                                        "threadgroup_position_in_grid",
                                                        "threads_per_threadgroup",
                                                        "threadgroups_per_grid",
                                                        "threads_per_grid",
                                                        "dispatch_threads_per_threadgroup",
                                                        "thread_index_in_threadgroup",
                                                        "thread_index_in_simdgroup",
                                                        "simdgroup_index_in_threadgroup",
                                                        "simdgroups_per_threadgroup",
                                                        "dispatch_simdgroups_per_threadgroup",
                                                        "threads_per_simdgroup",
                                                        "thread_execution_width",
                                                        "thread_index_in_quadgroup",
                                                        "quadgroup_index_in_threadgroup",
                                                        "quadgroups_per_threadgroup",
                                                        "dispatch_quadgroups_per_threadgroup",
                                                        "grid_origin"};

class EntryPoint {
 public:
  EntryPoint(const TokenText& text, const KernelFunction& kernel,
             const std::vector<UndefinedConstant>& undefined, bool shapes)
      : text_(text), kernel_(kernel), undefined_(undefined), shapes_(shapes) {}

  std::string write(const Declaration& declaration, const KernelInstantiation* instantiation) const {
    refuse_result(declaration);
    std::vector<std::string> specs, table, places;
    std::string checks;
    // By its whole name: the library may have one of the kernel's, as `fast`, that `using namespace` brings
    // in.
    std::string opened, closed, function = "::";
    for (const auto& scope : declaration.scope) {
      if (scope.empty()) continue;  // what is in an unnamed namespace is visible around it
      opened += fmt::format("namespace {} {{ ", scope);
      closed += "}";
      function += scope + "::";
    }
    function += instantiation ? instantiation->template_id : declaration.name;
    for (const auto& parameter : kernel_.parameters) {
      const auto kind = conditional(kind_of(parameter), parameter);
      const auto index = index_of(parameter);
      specs.push_back(fmt::format("assay_entry::spec<{}, int({})>", kind, index));
      const std::string shape = shapes_ && is_memory(parameter)
                                    ? fmt::format("assay_entry::call<&{}>::shape({})", function, table.size())
                                    : "nullptr";
      table.push_back(fmt::format("{{\"{}\", {}, int({}), assay_entry::call<&{}>::traits({}), {}}}",
                                  parameter.name, kind, index, function, table.size(), shape));
      if (!is_memory(parameter) && !is_texture(parameter)) continue;
      const auto traits = is_texture(parameter) ? fmt::format(", assay_entry::call<&{}>::traits({})",
                                                              function, table.size() - 1)
                                                : std::string();
      places.push_back(fmt::format("assay_entry::place{{{}, int({}){}}}", kind, index, traits));
      checks += check(parameter, places);
    }
    table.push_back("{nullptr, 0, 0, 0, nullptr}");
    return fmt::format(
        "{} {} ASSAY_EXPORT void assay_kernel_entry(const assay_entry::arguments* a) {{ "
        "assay_entry::call<&{}>::with<{}>(*a); }} "
        "ASSAY_EXPORT const assay_entry::parameter assay_kernel_parameters[] = {{{}}}; {}\n",
        opened, checks, function, fmt::join(specs, ", "), fmt::join(table, ", "), closed);
  }

 private:
  void refuse_result(const Declaration& declaration) const {
    for (auto i = declaration.range.begin; i < *declaration.parameters; ++i) {
      if (text_.tokens[i].is("void")) return;
    }
    throw CompileError(text_.files[kernel_.file], kernel_.line,
                       fmt::format("kernel `{}` returns a value; kernels return void", kernel_.name));
  }

  // Indices are expressions, and parameters may be there or not: the compiler knows. What it says is said of
  // the parameter's line.
  std::string check(const KernelParameter& parameter, const std::vector<std::string>& places) const {
    const std::string kind = table_of(parameter);
    const int last = kind == "sampler" ? 15 : 30;
    return fmt::format(
        "\n# {} \"{}\"\n"
        "static_assert(assay_entry::exists({}), \"`{}`: [[{}({})]] is out of range; indices are 0 to {}\"); "
        "static_assert(assay_entry::is_alone({{{}}}), \"`{}`: [[{}({})]] is taken by an earlier parameter\");"
        "\n# {} \"{}\"\n",
        parameter.line, file(parameter), places.back(), parameter.name, kind, shown_index(parameter), last,
        fmt::join(places, ", "), parameter.name, kind, shown_index(parameter), kernel_.line,
        text_.files[kernel_.file]);
  }

  // For a message: words and numbers alone.
  static std::string shown_index(const KernelParameter& parameter) {
    std::string text;
    for (const char c : parameter.index) {
      if (c != '"' && c != '\\' && c != '\n') text += c;
    }
    return text;
  }

  // Metal numbers what has no [[buffer(n)]], [[texture(n)]] or [[sampler(n)]] in order, leaving out the
  // indices that are taken.
  std::string index_of(const KernelParameter& parameter) const {
    if (!parameter.index.empty()) return parameter.index;
    if (!is_memory(parameter) && !is_texture(parameter)) return "0";
    std::size_t place = 0;
    std::vector<std::string> taken;
    for (const auto& other : kernel_.parameters) {
      if (table_of(other) != table_of(parameter)) continue;
      if (!other.index.empty()) taken.push_back(other.index);
      if (other.index.empty() && &other < &parameter) ++place;
    }
    if (taken.empty()) return std::to_string(place);
    return fmt::format("assay_entry::free_index({}, {{{}}})", place, fmt::join(taken, ", "));
  }

  static bool is_memory(const KernelParameter& parameter) {
    return parameter.attribute == "buffer" || parameter.attribute == "threadgroup" ||
           (parameter.attribute.empty() && parameter.pointer);
  }
  static bool is_texture(const KernelParameter& parameter) {
    return parameter.attribute == "texture" || parameter.attribute == "sampler";
  }
  /// Which of Metal's argument tables it takes an index of; "": none.
  static std::string table_of(const KernelParameter& parameter) {
    if (is_texture(parameter)) return parameter.attribute;
    return !is_memory(parameter) ? "" : in_threadgroup(parameter) ? "threadgroup" : "buffer";
  }
  static bool in_threadgroup(const KernelParameter& parameter) {
    return parameter.attribute == "threadgroup" || (parameter.attribute.empty() && parameter.threadgroup);
  }

  // [[function_constant(flag)]]: the parameter is there only if the flag is set.
  std::string conditional(const std::string& kind, const KernelParameter& parameter) const {
    if (parameter.condition.empty()) return "assay_entry::" + kind;
    const bool undefined = std::any_of(undefined_.begin(), undefined_.end(),
                                       [&](const auto& one) { return one.name == parameter.condition; });
    if (undefined) return "assay_entry::absent";
    return fmt::format("(({}) ? assay_entry::{} : assay_entry::absent)", parameter.condition, kind);
  }

  std::string kind_of(const KernelParameter& parameter) const {
    const auto& a = parameter.attribute;
    if (std::find(kBuiltins.begin(), kBuiltins.end(), a) != kBuiltins.end()) {
      if (!parameter.pointer || parameter.reference) return a;
      throw CompileError(file(parameter), parameter.line,
                         fmt::format("`{}` is a pointer, but [[{}]] is a value", parameter.name, a));
    }
    if (parameter.tensor && !parameter.pointer) {
      throw UnsupportedFeature(
          file(parameter), parameter.line,
          fmt::format("`{}`: tensors that the host binds (tensor_handle) are not "
                      "supported; take a pointer, and make a tensor of it (tensor_inline)",
                      parameter.name));
    }
    if (is_memory(parameter)) {
      if (!parameter.pointer) {
        throw CompileError(
            file(parameter), parameter.line,
            fmt::format("`{}` has [[{}]] but is neither a pointer nor a reference{}", parameter.name, a,
                        parameter.handle ? " (acceleration structures, function tables and command buffers "
                                           "are not supported)"
                                         : ""));
      }
      if (in_threadgroup(parameter)) return "threadgroup_memory";
      return parameter.reference && parameter.constant ? "constant_reference" : "buffer";
    }
    if (a.empty()) {
      throw CompileError(
          file(parameter), parameter.line,
          fmt::format("parameter `{}` of kernel {} has no attribute that says what it stands for",
                      parameter.name, kernel_.name));
    }
    if (is_texture(parameter)) {
      if (!parameter.pointer) return a;
      throw CompileError(file(parameter), parameter.line,
                         fmt::format("`{}` has [[{}]], so it must not be a pointer", parameter.name, a));
    }
    throw UnsupportedFeature(
        file(parameter), parameter.line,
        fmt::format("parameter `{}`: the attribute [[{}]] is not supported", parameter.name, a));
  }

  const std::string& file(const KernelParameter& parameter) const { return text_.files[parameter.file]; }

  const TokenText& text_;
  const KernelFunction& kernel_;
  const std::vector<UndefinedConstant>& undefined_;
  bool shapes_;
};

}  // namespace

std::string entry_point(const TokenText& text, const Declaration& declaration, const KernelFunction& kernel,
                        const KernelInstantiation* instantiation,
                        const std::vector<UndefinedConstant>& undefined, bool shapes) {
  return EntryPoint(text, kernel, undefined, shapes).write(declaration, instantiation);
}

}  // namespace assay::metal
