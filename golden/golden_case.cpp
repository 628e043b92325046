#include "golden/golden_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "properties/cases/operation.hpp"
#include "reference/half.hpp"

namespace assay::golden {
namespace {

/// One NaN for all: the sign of a computed one differs between processors.
double canonical(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

template <class T, class Convert>
void store(Tensor& tensor, const std::vector<double>& values, Convert convert) {
  const auto elements = tensor.as<T>();
  std::transform(values.begin(), values.end(), elements.begin(),
                 [&](double value) { return static_cast<T>(convert(canonical(value))); });
}

/// Values of the tensor's own type; exact.
Tensor tensor_of(const std::string& name, DType dtype, const std::vector<std::size_t>& shape,
                 const std::vector<double>& values) {
  Tensor tensor = assay::make_tensor(name, dtype, shape);
  const auto same = [](double value) { return value; };
  switch (dtype) {
    case DType::f16:
      store<std::uint16_t>(tensor, values, reference::half_from_double);
      break;
    case DType::f32:
      store<float>(tensor, values, same);
      break;
    case DType::f64:
      store<double>(tensor, values, same);
      break;
    case DType::u8:
      store<std::uint8_t>(tensor, values, same);
      break;
    case DType::u16:
      store<std::uint16_t>(tensor, values, same);
      break;
    case DType::u32:
      store<std::uint32_t>(tensor, values, same);
      break;
    case DType::i32:
      store<std::int32_t>(tensor, values, same);
      break;
  }
  return tensor;
}

template <class T>
std::vector<double> load(const Tensor& tensor) {
  const auto elements = tensor.as<T>();
  return {elements.begin(), elements.end()};
}

std::vector<double> values_of(const Tensor& tensor) {
  switch (tensor.dtype) {
    case DType::f32:
      return load<float>(tensor);
    case DType::f64:
      return load<double>(tensor);
    case DType::u8:
      return load<std::uint8_t>(tensor);
    case DType::u16:
      return load<std::uint16_t>(tensor);
    case DType::u32:
      return load<std::uint32_t>(tensor);
    case DType::i32:
      return load<std::int32_t>(tensor);
    case DType::f16:
      break;
  }
  std::vector<double> values;
  for (const std::uint16_t half : tensor.as<std::uint16_t>())
    values.push_back(reference::half_to_double(half));
  return values;
}

bool same_values(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(canonical(x)) == std::bit_cast<std::uint64_t>(canonical(y));
  });
}

bool truth_of(const Dataset& dataset, const std::string& key) {
  const std::string& text = metadata_of(dataset, key);
  if (text == "true" || text == "false") return text == "true";
  throw FormatError(fmt::format("metadata {}: \"{}\" is neither true nor false", key, text));
}

/// What is right for an element is from low to high, or NaN alone.
void check_order(const Expectation& expected, const std::string& tensor) {
  for (std::size_t i = 0; i < expected.low.size(); ++i) {
    const double low = expected.low[i], high = expected.high[i];
    if (low <= high || (std::isnan(low) && std::isnan(high))) continue;
    throw FormatError(fmt::format("tensor {}: element {} is {}, above the largest that is right, {}", tensor,
                                  i, low, high));
  }
}

}  // namespace

const std::string& metadata_of(const Dataset& dataset, const std::string& key) {
  const auto found = dataset.metadata.find(key);
  if (found == dataset.metadata.end()) throw FormatError(fmt::format("metadata {}: missing", key));
  return found->second;
}

void add_expectation(const Expectation& expected, const OutputSpec& output, Dataset& dataset) {
  const std::string name = "expected." + output.name;
  const auto add = [&](const std::string& suffix, DType dtype, const std::vector<double>& values) {
    dataset.tensors.push_back(tensor_of(name + suffix, dtype, output.shape, values));
  };
  if (same_values(expected.low, expected.high)) {
    add("", output.dtype, expected.low);
  } else {
    add(".low", output.dtype, expected.low);
    add(".high", output.dtype, expected.high);
  }
  if (!same_values(expected.value, expected.low)) add(".value", DType::f64, expected.value);
  dataset.metadata["bound." + output.name] = expected.bound;
  dataset.metadata["signed_zero." + output.name] = expected.signed_zero ? "true" : "false";
}

GoldenCase read_case(const std::filesystem::path& path) try {
  const Dataset dataset = read_safetensors(path);
  const properties::Case described = properties::parse_line(metadata_of(dataset, "case"));
  const properties::Operation& operation = properties::find_operation(metadata_of(dataset, "operation"));
  if (described.operation != operation.name()) {
    throw FormatError(
        fmt::format("metadata case: is of {}, the file of {}", described.operation, operation.name()));
  }
  GoldenCase golden;
  golden.problem = {.operation = operation.name(), .dims = described.dims, .inputs = {}, .outputs = {}};
  golden.regime = described.regime;
  golden.arithmetic = {properties::precision_from_name(metadata_of(dataset, "dequantize")),
                       properties::precision_from_name(metadata_of(dataset, "accumulate"))};
  const auto tensor = [&](const std::string& name) -> const Tensor& {
    const Tensor* found = dataset.find(name);
    if (found == nullptr) throw FormatError(fmt::format("tensor {}: missing", name));
    return *found;
  };
  for (const properties::TensorSpec& spec : operation.declaration().tensors) {
    if (spec.role != properties::Role::output) golden.problem.inputs.push_back(tensor(spec.name));
  }
  operation.settle_counts(golden.problem);
  operation.check_problem(golden.problem);
  for (const properties::TensorSpec& spec : operation.declaration().tensors) {
    if (spec.role == properties::Role::input) continue;
    golden.problem.outputs.push_back({spec.name, spec.dtype, spec.shape(golden.problem.dims), spec.optional});
    const std::string name = "expected." + spec.name;
    const bool single = dataset.find(name) != nullptr;
    Expectation expected;
    expected.tensor = spec.name;
    expected.bound = metadata_of(dataset, "bound." + spec.name);
    expected.signed_zero = truth_of(dataset, "signed_zero." + spec.name);
    for (const auto& [suffix, values] :
         {std::pair{".low", &expected.low}, std::pair{".high", &expected.high}}) {
      const Tensor& stored = tensor(single ? name : name + suffix);
      if (stored.dtype != spec.dtype || stored.shape != golden.problem.outputs.back().shape) {
        throw FormatError(fmt::format("tensor {}: type or shape is not that of {}", stored.name, spec.name));
      }
      *values = values_of(stored);
    }
    check_order(expected, single ? name : name + ".low");
    const Tensor* exact = dataset.find(name + ".value");
    expected.value = exact == nullptr ? expected.low : values_of(*exact);
    if (expected.value.size() != expected.low.size()) {
      throw FormatError(fmt::format("tensor {}.value: size is not that of {}", name, spec.name));
    }
    golden.expectations.push_back(std::move(expected));
  }
  return golden;
} catch (const std::exception& fault) {
  const std::string what = fault.what();
  throw FormatError(what.find(path.string()) <= 1 ? what : fmt::format("{}: {}", path.string(), what));
}

}  // namespace assay::golden
