#include "golden/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "golden/safetensors.hpp"
#include "reference/bfloat.hpp"
#include "reference/half.hpp"

namespace assay::golden {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One NaN for all: the sign of a computed one differs between processors.
double canonical(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(canonical(a)) == std::bit_cast<std::uint64_t>(canonical(b));
}

/// How halves are kept, of either sort.
struct Half {
  std::uint16_t bits = 0;
};
struct BFloat {
  std::uint16_t bits = 0;
};

/// A value of the type, rounded once.
template <class T>
T stored(double value) {
  if constexpr (std::is_same_v<T, Half>) {
    return {reference::half_from_double(canonical(value))};
  } else if constexpr (std::is_same_v<T, BFloat>) {
    return {reference::bfloat_from_double(canonical(value))};
  } else {
    return static_cast<T>(canonical(value));
  }
}

template <class T>
double loaded(T element) {
  if constexpr (std::is_same_v<T, Half>) {
    return reference::half_to_double(element.bits);
  } else if constexpr (std::is_same_v<T, BFloat>) {
    return reference::bfloat_to_double(element.bits);
  } else {
    return static_cast<double>(element);
  }
}

/// Calls `with` with a value of the C++ type that an element of that type is kept as.
template <class With>
auto with_type(DType dtype, const With& with) {
  switch (dtype) {
    case DType::u8:
      return with(std::uint8_t{});
    case DType::u32:
      return with(std::uint32_t{});
    case DType::i32:
      return with(std::int32_t{});
    case DType::f32:
      return with(float{});
    case DType::f64:
      return with(double{});
    case DType::u16:
      return with(std::uint16_t{});
    case DType::i8:
      return with(std::int8_t{});
    case DType::i16:
      return with(std::int16_t{});
    case DType::bf16:
      return with(BFloat{});
    case DType::f16:
      break;
  }
  return with(Half{});
}

Tensor tensor_of(const TensorLayout& layout, const std::vector<double>& values) {
  Tensor tensor = assay::make_tensor(layout.name, layout.dtype, layout.shape);
  with_type(layout.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::transform(values.begin(), values.end(), tensor.as<T>().begin(),
                   [](double one) { return stored<T>(one); });
  });
  return tensor;
}

std::vector<double> values_of(const Tensor& tensor) {
  return with_type(tensor.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::vector<double> values;
    values.reserve(tensor.element_count());
    for (const T one : tensor.as<T>()) values.push_back(loaded(one));
    return values;
  });
}

/// The exact result as a value of the output's type: one that is right.
double nearest_right(const Expectation& expected, std::size_t i, DType dtype) {
  const double low = expected.low[i], high = expected.high[i];
  if (same(low, high)) return low;
  const double rounded = with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      return std::nearbyint(expected.value[i]);
    } else {
      return loaded(stored<T>(expected.value[i]));
    }
  });
  return std::isnan(rounded) ? rounded : std::clamp(rounded, low, high);
}

/// The least float32 that is not below b - a; a <= b.
float distance_up(double a, double b) {
  if (a == b) return 0;
  double distance = b - a;
  if (a + distance < b) distance = std::nextafter(distance, kInfinity);
  const auto narrow = static_cast<float>(distance);
  return static_cast<double>(narrow) < distance
             ? std::nextafter(narrow, std::numeric_limits<float>::infinity())
             : narrow;
}

/// Throws unless it is the tensor that the layout says.
const Tensor& tensor_in(const Dataset& dataset, const TensorLayout& layout, const std::string& output) {
  const Tensor* const found = dataset.find(layout.name);
  if (found == nullptr) throw FormatError(fmt::format("tensor {}: missing", layout.name));
  if (found->dtype != layout.dtype || found->shape != layout.shape) {
    throw FormatError(fmt::format("tensor {}: type or shape is not that of {}", layout.name, output));
  }
  return *found;
}

}  // namespace

Kept kept_of(const Expectation& expected) {
  Kept kept;
  for (std::size_t i = 0; i < expected.low.size(); ++i) {
    kept.ranges = kept.ranges || !same(expected.low[i], expected.high[i]);
    kept.values = kept.values || !same(static_cast<float>(expected.value[i]), expected.low[i]);
  }
  return kept;
}

std::string expected_name(const std::string& output) { return "expected." + output; }

std::vector<TensorLayout> layout_of(const OutputSpec& output, const Kept& kept) {
  const std::string name = expected_name(output.name);
  std::vector<TensorLayout> layout = {{name, output.dtype, output.shape}};
  if (kept.ranges) {
    layout.push_back({name + ".low", output.dtype, output.shape});
    layout.push_back({name + ".high", output.dtype, output.shape});
    layout.push_back({name + ".half_width", DType::f32, output.shape});
  }
  if (kept.values) layout.push_back({name + ".value", DType::f32, output.shape});
  return layout;
}

std::vector<Tensor> tensors_of(const Expectation& expected, const OutputSpec& output, const Kept& kept) {
  const std::size_t count = expected.low.size();
  std::vector<double> nearest(count), width(kept.ranges ? count : 0);
  for (std::size_t i = 0; i < count; ++i) {
    const double one = nearest[i] = nearest_right(expected, i, output.dtype);
    if (kept.ranges && !std::isnan(one))
      width[i] = std::max(distance_up(expected.low[i], one), distance_up(one, expected.high[i]));
  }
  std::vector<Tensor> tensors;
  const std::vector<double>* values[] = {&nearest, &expected.low, &expected.high, &width, &expected.value};
  const auto layout = layout_of(output, kept);
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const bool is_value = kept.values && i + 1 == layout.size();
    tensors.push_back(tensor_of(layout[i], is_value ? expected.value : *values[i]));
  }
  return tensors;
}

void check_order(const Expectation& expected, const std::string& tensor) {
  for (std::size_t i = 0; i < expected.low.size(); ++i) {
    const double low = expected.low[i], high = expected.high[i];
    if (low <= high || (std::isnan(low) && std::isnan(high))) continue;
    throw FormatError(
        fmt::format("tensor {}: element {} is {}, above the largest right value, {}", tensor, i, low, high));
  }
}

Expectation expectation_in(const Dataset& dataset, const OutputSpec& output) {
  const std::string name = expected_name(output.name);
  const auto has = [&](const char* suffix) { return dataset.find(name + suffix) != nullptr; };
  const Kept kept{has(".low") || has(".high") || has(".half_width"), has(".value")};
  const auto layout = layout_of(output, kept);
  std::vector<const Tensor*> tensors;
  tensors.reserve(layout.size());
  for (const TensorLayout& one : layout) tensors.push_back(&tensor_in(dataset, one, output.name));
  Expectation expected;
  expected.tensor = output.name;
  expected.low = values_of(*tensors[kept.ranges ? 1 : 0]);
  expected.high = values_of(*tensors[kept.ranges ? 2 : 0]);
  check_order(expected, layout[kept.ranges ? 1 : 0].name);
  expected.value = values_of(*tensors[kept.values ? tensors.size() - 1 : 0]);
  return expected;
}

}  // namespace assay::golden
