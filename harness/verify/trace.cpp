#include "harness/verify/trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "harness/verify/binding.hpp"
#include "harness/verify/compare.hpp"
#include "harness/verify/packing.hpp"
#include "harness/verify/tensor_statistics.hpp"

namespace assay {
namespace {

constexpr std::size_t kFirstBytes = 12;
/// Elements of a tensor; of one that is larger, so many at even distances.
constexpr std::size_t kMostLookedAt = std::size_t{1} << 20;

/// The tensor of that name as its problem declares it, without data.
Tensor declared(const Problem& problem, const std::string& name) {
  for (const OutputSpec& output : problem.outputs) {
    if (output.name == name) return {name, output.dtype, output.shape, {}};
  }
  for (const Tensor& input : problem.inputs) {
    if (input.name == name) return {name, input.dtype, input.shape, {}};
  }
  return {name, DType::u8, {}, {}};
}

/// What a buffer holds, as the tensor is documented; of a buffer that is shown in part, what it holds.
std::vector<std::byte> as_documented(const KernelEntry& entry, const Problem& problem, const Tensor& tensor,
                                     const std::vector<std::byte>& held) {
  const Storage* const storage = storage_of(entry, tensor.name);
  for (const Tensor& input : problem.inputs) {
    if (input.name != tensor.name || storage != nullptr || entry.mlx == nullptr) continue;
    const Layout layout = layout_of(entry, problem, input);
    if (held.size() == layout.elements * size_of(input.dtype))
      return gathered(layout, size_of(input.dtype), held);
  }
  if (storage == nullptr || held.size() != tensor.element_count() * size_of(storage->kept(tensor.dtype)))
    return held;
  std::vector<std::byte> documented(tensor.element_count() * size_of(tensor.dtype));
  storage->load(tensor.shape, held, documented);
  return documented;
}

/// ", strides [1, 8]" of an input that may lie in any; "" of others.
std::string strides_text(const KernelEntry& entry, const Problem& problem, const std::string& tensor) {
  if (entry.mlx == nullptr || entry.mlx->ensure_row_contiguous) return "";
  const auto input = std::find_if(problem.inputs.begin(), problem.inputs.end(),
                                  [&](const Tensor& one) { return one.name == tensor; });
  if (input == problem.inputs.end()) return "";
  return fmt::format(", strides [{}]", fmt::join(layout_of(entry, problem, *input).strides, ", "));
}

/// Enough digits to tell any two floats apart.
std::string shortest(double value) { return fmt::format("{:.9g}", value); }

std::string scalar_text(const KernelEntry& entry, const ScalarField& field, const Problem& problem) {
  const Dims& dims = problem.dims;
  for (const Tensor& input : problem.inputs) {
    if (!field.tensor.empty() && input.name == field.tensor)
      return fmt::format("{}={}", field.tensor, shortest(decode(input, 0)));
  }
  const Fraction value = field.value.evaluate(entry.with_tile(dims));
  const std::string denominator = value.denominator == 1 ? "" : fmt::format("/{}", value.denominator);
  return fmt::format("{}={}{}", field.value.text(), value.numerator, denominator);
}

}  // namespace

std::string describe_tensor(const Tensor& tensor) {
  const std::size_t size = size_of(tensor.dtype), held = tensor.data.size() / size;
  const std::size_t step = held / kMostLookedAt | 1;  // odd: what repeats every power of two is seen
  StatisticsGatherer gatherer(tensor.dtype);
  if (step == 1) gatherer.add(tensor.data);
  for (std::size_t i = 0; step > 1 && i < held; i += step)
    gatherer.add(std::span(tensor.data).subspan(i * size, size));
  const TensorStatistics found = gatherer.statistics();
  std::string text =
      fmt::format("{}: {} [{}]", tensor.name, name_of(tensor.dtype), fmt::join(tensor.shape, ", "));
  if (step > 1) text += fmt::format(", of every {}th of the first {}", step, held);
  if (found.distinct > 0) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const bool finite = found.finite > 0;
    const double least = found.minus_infinity > 0 ? -kInfinity : finite ? found.least : kInfinity;
    const double largest = found.infinity > 0 ? kInfinity : finite ? found.largest : -kInfinity;
    text += fmt::format(", min={}, max={}", shortest(least), shortest(largest));
  }
  text += fmt::format(", nan={}, inf={}", found.nan, found.infinity + found.minus_infinity);
  if (!found.values.empty()) {
    std::vector<std::string> values;
    for (const Bin& one : found.values) values.push_back(shortest(one.low));
    text += fmt::format(", distinct={{{}}}", fmt::join(values, ", "));
  } else if (found.distinct > 0) {
    text += fmt::format(", distinct{}{}", found.more_distinct ? ">" : "=", found.distinct);
  }
  text += ", first bytes";
  for (std::size_t i = 0; i < std::min(kFirstBytes, tensor.data.size()); ++i) {
    text += fmt::format(" {:02x}", static_cast<unsigned>(tensor.data[i]));
  }
  return text;
}

std::string trace_text(const KernelEntry& entry, const Problem& problem,
                       const device::LaunchSnapshot& snapshot) {
  const bool before = snapshot.moment == device::LaunchSnapshot::Moment::before;
  std::string text =
      fmt::format("=== {} {} launch {} ===\n", entry.name, before ? "before" : "after", snapshot.launch);
  std::vector<std::string> scalars;
  const auto arguments = resolve_arguments(entry, argument_names_of(problem));
  for (std::size_t i = 0; i < std::min(arguments.size(), snapshot.arguments.size()); ++i) {
    if (const auto* named = std::get_if<TensorArgument>(&arguments[i])) {
      Tensor tensor = declared(problem, named->tensor);
      tensor.data = as_documented(entry, problem, tensor, snapshot.arguments[i]);
      text += describe_tensor(tensor) + strides_text(entry, problem, tensor.name) + "\n";
    } else if (const auto* values = std::get_if<ScalarArgument>(&arguments[i])) {
      for (const ScalarField& field : values->fields) scalars.push_back(scalar_text(entry, field, problem));
    } else if (const auto* packed = std::get_if<PackedArgument>(&arguments[i])) {
      const Dims dims = entry.with_tile(problem.dims);
      for (const PackedPlace& place : pack_buffer(entry, *packed, dims, problem.inputs).places) {
        Tensor tensor = declared(problem, place.tensor);
        tensor.data = unpack(place, snapshot.arguments[i]);
        text += describe_tensor(tensor) + "\n";
      }
    }
  }
  for (std::size_t i = 0; i < std::min(entry.textures.size(), snapshot.textures.size()); ++i) {
    if (!entry.textures[i]) continue;
    Tensor tensor = declared(problem, entry.textures[i]->tensor);
    tensor.data = snapshot.textures[i];
    text += describe_tensor(tensor) + "\n";
  }
  std::size_t number = 0;
  for (const auto& argument : arguments) {
    const auto* packed = std::get_if<PackedArgument>(&argument);
    if (packed == nullptr) continue;
    for (const PackedField* pointer : pointers_in(*packed)) {
      if (number == snapshot.pointers.size()) break;
      const std::vector<std::byte>& bytes = snapshot.pointers[number++];
      if (const std::string name = tensor_behind(*pointer); !name.empty()) {
        Tensor tensor = declared(problem, name);
        tensor.data = as_documented(entry, problem, tensor, bytes);
        text += describe_tensor(tensor) + "\n";
      }
    }
  }
  return scalars.empty() ? text : text + fmt::format("{}\n", fmt::join(scalars, ", "));
}

}  // namespace assay
