#include "harness/run/mlx_bodies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "harness/metal/compile/toolchain.hpp"
#include "harness/metal/text/mlx_body.hpp"
#include "harness/verify/binding.hpp"
#include "harness/verify/compare.hpp"
#include "harness/verify/manifest_arguments.hpp"
#include "harness/verify/shown.hpp"
#include "properties/cases/operation.hpp"
#include "properties/stated/stated.hpp"

namespace assay::run {
namespace {

using properties::Role;
using Form = metal::MlxInput::Form;

// MLX passes smaller inputs in constant memory.
constexpr std::size_t kFewElements = 8;
// A length that values decide, where it is not 1.
constexpr std::int64_t kManyElements = 1 << 20;
constexpr std::uintmax_t kLargestText = std::uintmax_t{16} << 20;

std::string_view metal_type_of(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return "uint8_t";
    case DType::u16:
      return "uint16_t";
    case DType::u32:
      return "uint32_t";
    case DType::i8:
      return "int8_t";
    case DType::i16:
      return "int16_t";
    case DType::i32:
      return "int32_t";
    case DType::f16:
      return "float16_t";
    case DType::bf16:
      return "bfloat16_t";
    case DType::f32:
      return "float";
    case DType::f64:
      break;
  }
  return "";
}

std::string_view metal_type_of(ScalarType type) {
  switch (type) {
    case ScalarType::uchar:
      return "uint8_t";
    case ScalarType::char_:
      return "int8_t";
    case ScalarType::ushort:
      return "uint16_t";
    case ScalarType::short_:
      return "int16_t";
    case ScalarType::uint:
      return "uint32_t";
    case ScalarType::int_:
      return "int32_t";
    case ScalarType::ulong:
      return "uint64_t";
    case ScalarType::long_:
      return "int64_t";
    case ScalarType::float_:
      break;
  }
  return "float";
}

const properties::Operation& operation_of(const KernelEntry& entry) {
  try {
    return properties::operation_of(entry);
  } catch (const std::invalid_argument& unknown) {
    throw entry.error("operation", unknown.what());
  }
}

/// The least or the largest value that a kernel's cases are drawn from.
std::int64_t end_of(const properties::Dimension& dimension, const Requirement& asked, bool largest) {
  std::vector<std::int64_t> some = asked.one_of.empty() ? dimension.choices : asked.one_of;
  std::erase_if(some, [&](std::int64_t value) { return !asked.allows(value); });
  if (!some.empty())
    return largest ? *std::max_element(some.begin(), some.end())
                   : *std::min_element(some.begin(), some.end());
  const std::int64_t step = std::lcm(dimension.multiple, asked.multiple);
  if (largest) return asked.max.value_or(std::max(dimension.largest, step)) / step * step;
  const std::int64_t least = std::max(dimension.least, asked.min.value_or(1));
  return (least + step - 1) / step * step;
}

/// Whether a tensor has few elements at the least or at the largest sizes; where that cannot be told, whether
/// it has at any.
bool is_small_at(const KernelEntry& entry, const properties::OperationDeclaration& declaration,
                 const properties::TensorSpec& spec, bool largest) {
  Dims dims;
  for (const auto& one : declaration.dimensions) {
    const auto asked = entry.requirements.find(one.name);
    dims[one.name] = end_of(one, asked == entry.requirements.end() ? Requirement{} : asked->second, largest);
  }
  for (const auto& one : declaration.counts) dims[one.name] = largest ? kManyElements : 1;
  try {
    const auto shape = spec.shape(dims);
    std::size_t elements = 1;
    for (std::size_t i = 0; i < shape.size() && elements < kFewElements; ++i) elements *= shape[i];
    return elements < kFewElements;
  } catch (const std::invalid_argument&) {  // ExpressionErrors too
    return !largest;
  }
}

/// What a file holds. Of one that is too large, an error of the field that names it.
std::string content_of(const KernelEntry& entry, const std::string& field,
                       const std::filesystem::path& file) {
  std::error_code failed;
  if (std::filesystem::file_size(file, failed) > kLargestText && !failed)
    throw entry.error(field, fmt::format("{} has more than 16 MiB; no kernel has", file.string()));
  return metal::content_of(file);
}

class Settling {
 public:
  explicit Settling(KernelEntry& entry)
      : entry_(entry), body_(*entry.mlx), declaration_(operation_of(entry).declaration()) {}

  void run() {
    if (body_.init_value && declaration_.launches > 1) {
      throw entry_.error(
          "init_value",
          fmt::format("operation {} launches a kernel {} times over the same outputs; MLX makes and "
                      "fills new ones each time",
                      declaration_.name, declaration_.launches));
    }
    call_.function = entry_.function;
    call_.atomic_outputs = body_.atomic_outputs;
    template_arguments();
    // An output that nothing binds is an error of the field that lists outputs.
    demand_outputs();
    resolved_ = resolve_arguments(entry_, operation_of(entry_).argument_names());
    for (std::size_t i = 0; i < body_.inputs.size(); ++i) input(i);
    for (std::size_t i = 0; i < body_.outputs.size(); ++i) output(i);
    make();
  }

 private:
  [[noreturn]] void fail(std::size_t argument, const std::string& why) const {
    throw entry_.error(entry_.argument_field(argument), why);
  }

  void template_arguments() {
    for (const auto& [name, value] : body_.template_arguments) {
      if (const auto* truth = std::get_if<bool>(&value)) {
        call_.template_arguments.push_back({name, "bool", *truth ? "true" : "false"});
      } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
        call_.template_arguments.push_back({name, "int", std::to_string(*number)});
      } else {
        const std::string& dtype = std::get<std::string>(value);
        const auto type = metal::metal_type_of_mlx(dtype);
        if (type.empty()) {
          throw entry_.error("template." + name,
                             fmt::format("`{}` is no dtype of MLX's for GPUs; there are {}", shown(dtype),
                                         fmt::join(metal::mlx_types(), ", ")));
        }
        call_.template_arguments.push_back({name, "typename", std::string(type)});
      }
    }
  }

  void demand_outputs() const {
    for (const auto& spec : declaration_.tensors) {
      if (spec.role == Role::input || spec.optional) continue;
      const bool named =
          std::any_of(entry_.arguments.begin(), entry_.arguments.end(), [&](const ArgumentEntry& one) {
            const auto* argument = std::get_if<NamedArgument>(&one);
            return argument != nullptr && argument->name == spec.name;
          });
      if (named) continue;
      throw entry_.error(
          "output_names",
          fmt::format("the output {} of operation {} is not among them; add it, or bind another name to "
                      "it by arguments",
                      spec.name, declaration_.name));
    }
  }

  const properties::TensorSpec& spec_of(const std::string& tensor) const {
    return *properties::find_named(declaration_.tensors, tensor);
  }

  std::string type_of(const properties::TensorSpec& spec) const {
    if (entry_.stated) {
      for (const StatedTensor& one : entry_.stated->tensors) {
        if (one.name == spec.name && one.type == "bool") return "bool";
      }
    }
    return std::string(metal_type_of(spec.dtype));
  }

  bool has_no_axes(const properties::TensorSpec& spec) const {
    return entry_.stated &&
           std::any_of(entry_.stated->tensors.begin(), entry_.stated->tensors.end(),
                       [&](const StatedTensor& one) { return one.name == spec.name && one.shape.empty(); });
  }

  void input(std::size_t i) {
    metal::MlxInput made{body_.inputs[i], "", Form::large};
    if (const auto* tensor = std::get_if<TensorArgument>(&resolved_[i])) {
      const auto& spec = spec_of(tensor->tensor);
      if (spec.role != Role::input) {
        fail(i, fmt::format("{} is an output of operation {}{}", spec.name, declaration_.name,
                            spec.role == Role::in_out
                                ? " that it is given too; MLX's kernels cannot change what they "
                                  "are given, and make outputs anew"
                                : "; write it into output_names"));
      }
      made.type = type_of(spec);
      made.form = form_of(spec);
    } else if (auto* scalars = std::get_if<ScalarArgument>(&resolved_[i])) {
      number(i, *scalars, made);
    } else {
      fail(i, "is no tensor, number or list of numbers, of which MLX makes arrays");
    }
    call_.inputs.push_back(std::move(made));
  }

  Form form_of(const properties::TensorSpec& spec) const {
    if (has_no_axes(spec)) return Form::scalar;
    if (!is_small_at(entry_, declaration_, spec, false)) return Form::large;
    return is_small_at(entry_, declaration_, spec, true) ? Form::small : Form::either;
  }

  // A dimension or another number is an array without axes, a list of them one of one axis.
  void number(std::size_t i, ScalarArgument& scalars, metal::MlxInput& made) {
    const auto* named = std::get_if<NamedArgument>(&entry_.arguments[i]);
    if (named != nullptr && !named->type) {
      for (ScalarField& field : scalars.fields) field.type = ScalarType::int_;
    }
    const bool list = body_.lists[i] || scalars.fields.size() > 1;
    for (const ScalarField& field : scalars.fields) {
      if (!field.tensor.empty())
        fail(i, fmt::format("{} is a tensor; pass it under a name of its own", field.tensor));
      if (field.type != scalars.fields.front().type)
        fail(i, fmt::format("holds numbers of type {} and of type {}; an array has one type",
                            name_of(scalars.fields.front().type), name_of(field.type)));
    }
    made.type = metal_type_of(scalars.fields.front().type);
    made.form = !list ? Form::scalar : scalars.fields.size() < kFewElements ? Form::small : Form::large;
    if (!list) {
      entry_.arguments[i] = scalars;
      return;
    }
    PackedArgument packed;
    for (ScalarField& field : scalars.fields) {
      PackedField& one = packed.fields.emplace_back();
      one.where = entry_.argument_field(i);
      one.value = std::move(field);
    }
    entry_.arguments[i] = std::move(packed);
  }

  void output(std::size_t i) {
    const std::size_t at = body_.inputs.size() + i;
    const auto* tensor = std::get_if<TensorArgument>(&resolved_[at]);
    if (tensor == nullptr) fail(at, "is no tensor; outputs are");
    const auto& spec = spec_of(tensor->tensor);
    if (spec.role == Role::input)
      fail(at, fmt::format("{} is an input; write it into input_names", spec.name));
    if (spec.role == Role::in_out) {
      fail(at,
           fmt::format(
               "{} is given to the kernel too, and MLX makes outputs anew; state it with access = \"out\", "
               "and what it begins with as init_value",
               spec.name));
    }
    const std::string type = type_of(spec);
    if (body_.atomic_outputs && metal::atomic_type_over(type).empty()) {
      throw entry_.error("atomic_outputs",
                         fmt::format("{} holds {}, over which Metal has no atomic type; there are "
                                     "those over int32, uint32 and float32",
                                     spec.name, type));
    }
    call_.outputs.push_back({body_.outputs[i], type});
    if (body_.init_value) initial(spec);
  }

  void initial(const properties::TensorSpec& spec) {
    Tensor one = make_tensor(spec.name, spec.dtype, {1});
    put_rounded(one, 0, *body_.init_value);
    const double kept = decode(one, 0), asked = *body_.init_value;
    const bool whole = spec.dtype != DType::f16 && spec.dtype != DType::bf16 && spec.dtype != DType::f32;
    if (whole ? kept != asked : std::abs(kept) > std::numeric_limits<float>::max()) {
      throw entry_.error(
          "init_value", fmt::format("{} is no value of {}, which holds {}", asked, spec.name, type_of(spec)));
    }
    entry_.initial[spec.name] = one.data;
  }

  void make() {
    metal::MlxKernel kernel;
    try {
      const metal::MlxText header{body_.header,
                                  body_.header.empty() ? "" : content_of(entry_, "header", body_.header)};
      kernel = metal::mlx_kernel(call_, header, {entry_.source, content_of(entry_, "source", entry_.source)});
    } catch (const metal::BodyError& wrong) {
      throw entry_.error(wrong.field(), wrong.what());
    }
    std::vector<ArgumentEntry> arguments;
    std::vector<std::string> fields;
    for (std::size_t i = 0; i < entry_.arguments.size(); ++i) {
      const auto add = [&](ArgumentEntry argument) {
        arguments.push_back(std::move(argument));
        fields.push_back(entry_.argument_field(i));
      };
      add(entry_.arguments[i]);
      if (i >= kernel.layouts.size()) continue;
      const auto& words = kernel.layouts[i];
      for (const auto& [asked, part] : {std::pair{words.shape, ShapeArgument::Part::shape},
                                        {words.strides, ShapeArgument::Part::strides},
                                        {words.ndim, ShapeArgument::Part::ndim}}) {
        if (asked) add(property(i, part));
      }
    }
    if (arguments.size() > kMaxArguments) {
      throw entry_.error("input_names",
                         fmt::format("the body asks for {} buffers with shapes and strides; Metal has {}",
                                     arguments.size(), kMaxArguments));
    }
    entry_.arguments = std::move(arguments);
    entry_.argument_fields = std::move(fields);
    entry_.composed = std::move(kernel.text);
  }

  // Of a list of numbers it is known; of a tensor it depends on the case.
  ArgumentEntry property(std::size_t i, ShapeArgument::Part part) const {
    if (const auto* tensor = std::get_if<TensorArgument>(&resolved_[i]))
      return ShapeArgument{tensor->tensor, part};
    const auto& packed = std::get<PackedArgument>(entry_.arguments[i]);
    if (part == ShapeArgument::Part::shape)
      return ScalarArgument{{{Expression(std::to_string(packed.fields.size())), ScalarType::int_}}};
    return ScalarArgument{
        {{Expression("1"), part == ShapeArgument::Part::strides ? ScalarType::long_ : ScalarType::int_}}};
  }

  KernelEntry& entry_;
  const MlxBody& body_;
  const properties::OperationDeclaration& declaration_;
  metal::MlxCall call_;
  std::vector<ResolvedArgument> resolved_;
};

}  // namespace

void settle_mlx_body(KernelEntry& entry) {
  if (entry.reference_kernel && entry.reference_kernel->mlx && !entry.reference_kernel->composed) {
    auto other = std::make_shared<KernelEntry>(*entry.reference_kernel);
    settle_mlx_body(*other);
    entry.reference_kernel = std::move(other);
  }
  if (!entry.mlx || entry.composed) return;
  KernelEntry settled = entry;
  Settling(settled).run();
  entry = std::move(settled);
}

}  // namespace assay::run
