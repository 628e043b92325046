// Names of a manifest entry against the names of its operation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "harness/verify/binding.hpp"
#include "harness/verify/launch_sizes.hpp"
#include "harness/verify/packing.hpp"
#include "harness/verify/scalar_arguments.hpp"
#include "harness/verify/shown.hpp"

namespace assay {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string list(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

// Metal vectors have two to four components.
constexpr std::size_t kMostComponents = 4;

/// "MNK" -> M, N, K: at most four names from `scalars` that together spell `text`; longer names are tried
/// first.
bool split(std::string_view text, const std::vector<std::string>& longest_first,
           std::vector<std::string>& into) {
  if (text.empty()) return true;
  if (into.size() == kMostComponents) return false;
  for (const std::string& name : longest_first) {
    if (!text.starts_with(name)) continue;
    into.push_back(name);
    if (split(text.substr(name.size()), longest_first, into)) return true;
    into.pop_back();
  }
  return false;
}

/// The type of a scalar that has the bytes of an element; nothing where there is none.
std::optional<ScalarType> scalar_type_of(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return ScalarType::uchar;
    case DType::u16:
      return ScalarType::ushort;
    case DType::u32:
      return ScalarType::uint;
    case DType::i32:
      return ScalarType::int_;
    case DType::f32:
      return ScalarType::float_;
    case DType::i8:
      return ScalarType::char_;
    case DType::i16:
      return ScalarType::short_;
    case DType::f16:
    case DType::bf16:
    case DType::f64:
      break;
  }
  return std::nullopt;
}

class Resolver {
 public:
  Resolver(const KernelEntry& entry, const ArgumentNames& signature) : entry_(entry), signature_(signature) {
    scalars_ = signature.scalars;
    for (const auto& [name, unused] : entry.with_tile({})) scalars_.push_back(name);
    longest_first_ = signature.scalars;
    std::stable_sort(longest_first_.begin(), longest_first_.end(),
                     [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  }

  ResolvedArgument resolve(const std::string& field, const ArgumentEntry& argument) const {
    if (const auto* named = std::get_if<NamedArgument>(&argument)) return resolve(field, *named);
    if (const auto* scalars = std::get_if<ScalarArgument>(&argument)) {
      ScalarArgument resolved = *scalars;
      for (ScalarField& scalar : resolved.fields) {
        if (scalar.value.is_name() && contains(signature_.tensors, scalar.value.text())) {
          single(field, scalar);
          continue;
        }
        check(field, scalar.value);
        // What no size changes is known to fit, or not, before anything runs.
        if (scalar.value.names().empty()) pack_scalars(entry_, field, {{scalar}}, {});
      }
      return resolved;
    }
    if (const auto* packed = std::get_if<PackedArgument>(&argument)) {
      PackedArgument resolved = *packed;
      for (PackedField& one : resolved.fields) settle(one);
      return resolved;
    }
    if (const auto* shape = std::get_if<ShapeArgument>(&argument)) return *shape;
    return UnboundArgument{};
  }

  void check(const std::string& field, const Expression& expression) const {
    for (const std::string& name : expression.names()) {
      if (contains(scalars_, name)) continue;
      throw entry_.error(
          field, fmt::format("\"{}\": {} is no scalar of operation {}; scalars: {}", shown(expression.text()),
                             name, signature_.operation, list(scalars_)));
    }
    if (const auto idle = expression.idle_name()) {
      throw entry_.error(field, fmt::format("\"{}\" is the same whatever {} is; leave {} out",
                                            shown(expression.text()), *idle, *idle));
    }
  }

 private:
  /// A field of a buffer that several share: a tensor, as a whole or a row a struct, or a scalar.
  void settle(PackedField& packed) const {
    for (PackedField& one : packed.record) settle(one);
    if (!packed.record.empty()) return;
    if (packed.pointee != nullptr) {
      const auto pointer = resolve(packed.where + ".pointer", packed.pointee->argument);
      packed.pointee = std::make_shared<const Pointee>(pointee_of(pointer));
      return;
    }
    ScalarField& value = packed.value;
    const std::string& name = value.value.text();
    if (!value.value.is_name() || !contains(signature_.tensors, name)) {
      if (packed.sums) {
        throw entry_.error(packed.where,
                           fmt::format("{} is no tensor of operation {}; tensors: {}", shown(name),
                                       signature_.operation, list(signature_.tensors)));
      }
      check(packed.where, value.value);
      if (value.value.names().empty()) pack_scalars(entry_, packed.where, {{value}}, {});
      return;
    }
    if (!contains(signature_.inputs, name)) {
      throw entry_.error(packed.where, name + " is an output; give it a buffer of its own");
    }
    if (value.typed && !packed.sums)
      throw entry_.error(packed.where, name + " is a tensor; leave out the scalar type after ':'");
    value.tensor = name;
  }

  static Pointee pointee_of(const ResolvedArgument& resolved) {
    if (const auto* tensor = std::get_if<TensorArgument>(&resolved))
      return {NamedArgument{tensor->tensor, std::nullopt}};
    if (const auto* scalars = std::get_if<ScalarArgument>(&resolved)) return {*scalars};
    if (const auto* packed = std::get_if<PackedArgument>(&resolved)) return {*packed};
    return {UnboundArgument{}};
  }

  /// A field of a struct that is a tensor: it has one element, of a type that scalars have.
  void single(const std::string& field, ScalarField& scalar) const {
    const std::string& name = scalar.value.text();
    if (scalar.typed) throw entry_.error(field, name + " is a tensor; leave out the scalar type after ':'");
    const auto found = signature_.singles.find(name);
    const auto type = found == signature_.singles.end() ? std::nullopt : scalar_type_of(found->second);
    if (!type) {
      std::vector<std::string> names;
      for (const auto& [one, dtype] : signature_.singles) {
        if (scalar_type_of(dtype)) names.push_back(one);
      }
      throw entry_.error(field,
                         fmt::format("{} is a tensor of operation {} that no struct can hold; a struct "
                                     "holds scalars and tensors of one element: {}",
                                     name, signature_.operation, list(names)));
    }
    scalar.type = *type;
    scalar.tensor = name;
  }

  ResolvedArgument resolve(const std::string& field, const NamedArgument& named) const {
    if (contains(signature_.tensors, named.name)) {
      if (named.type)
        throw entry_.error(field, named.name + " is a tensor; leave out the scalar type after ':'");
      return TensorArgument{named.name};
    }
    const ScalarType type = named.type.value_or(ScalarType::uint);
    if (contains(scalars_, named.name)) return ScalarArgument{{{Expression(named.name), type}}};
    std::vector<std::string> parts;
    if (split(named.name, longest_first_, parts)) {
      ScalarArgument vector;
      for (const std::string& part : parts) vector.fields.push_back({Expression(part), type});
      if (parts.size() == 3) vector.fields.push_back({Expression("0"), type});  // uint3 has the size of uint4
      return vector;
    }
    throw entry_.error(
        field, fmt::format("\"{}\" is no tensor and no scalar of operation {}; tensors: {}; scalars: {}",
                           shown(named.name), signature_.operation, list(signature_.tensors),
                           list(signature_.scalars)));
  }

  const KernelEntry& entry_;
  const ArgumentNames& signature_;
  std::vector<std::string> scalars_;  // with the tile's
  std::vector<std::string> longest_first_;
};

}  // namespace

ArgumentNames argument_names_of(const Problem& problem) {
  ArgumentNames signature{problem.operation, {}, {}, {}};
  for (const Tensor& input : problem.inputs) {
    signature.tensors.push_back(input.name);
    signature.inputs.push_back(input.name);
    if (input.element_count() == 1) signature.singles.emplace(input.name, input.dtype);
  }
  for (const OutputSpec& output : problem.outputs) {
    if (!contains(signature.tensors, output.name)) signature.tensors.push_back(output.name);
    if (!output.optional) signature.outputs.push_back(output.name);
  }
  for (const auto& [name, unused] : problem.dims) signature.scalars.push_back(name);
  return signature;
}

std::vector<ResolvedArgument> resolve_arguments(const KernelEntry& entry, const ArgumentNames& signature) {
  const Resolver resolver(entry, signature);
  std::vector<ResolvedArgument> resolved;
  std::vector<std::string> bound;
  for (std::size_t i = 0; i < entry.arguments.size(); ++i) {
    resolved.push_back(resolver.resolve(entry.argument_field(i), entry.arguments[i]));
    if (const auto* tensor = std::get_if<TensorArgument>(&resolved.back())) bound.push_back(tensor->tensor);
    if (const auto* packed = std::get_if<PackedArgument>(&resolved.back())) {
      for (const PackedField* pointer : pointers_in(*packed)) bound.push_back(tensor_behind(*pointer));
    }
  }
  for (std::size_t i = 0; i < entry.textures.size(); ++i) {
    if (!entry.textures[i]) continue;
    bound.push_back(entry.textures[i]->tensor);
    if (!contains(signature.tensors, bound.back()))
      throw entry.error(fmt::format("textures[{}].tensor", i),
                        fmt::format("`{}` is no tensor of operation {}; tensors: {}", shown(bound.back()),
                                    signature.operation, list(signature.tensors)));
  }
  for (const std::string& output : signature.outputs) {
    if (contains(bound, output)) continue;
    throw entry.error("arguments",
                      fmt::format("the output {} of operation {} is not among them; add it{}", output,
                                  signature.operation, entry.textures.empty() ? "" : ", or to textures"));
  }
  const auto check = [&](const std::string& field, const Expression& size, auto value_of) {
    resolver.check(field, size);
    if (size.names().empty()) value_of(entry, field, size, Dims{});
  };
  for (std::size_t i = 0; entry.grid.rule == GridRule::list && i < entry.grid.size.size(); ++i) {
    check(fmt::format("grid[{}]", i), entry.grid.size[i], grid_side);
  }
  for (std::size_t i = 0; i < entry.threadgroup_memory.size(); ++i) {
    check(fmt::format("threadgroup_memory[{}]", i), entry.threadgroup_memory[i], threadgroup_bytes);
  }
  return resolved;
}

}  // namespace assay
