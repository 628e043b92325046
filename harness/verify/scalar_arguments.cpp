#include "harness/verify/scalar_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "harness/verify/launch_sizes.hpp"
#include "harness/verify/shown.hpp"

namespace assay {
namespace {

std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

template <class T>
void store(std::vector<std::byte>& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class T>
void store_integer(const KernelEntry& entry, const std::string& field, const ScalarField& scalar,
                   std::int64_t value, std::vector<std::byte>& bytes, std::size_t at) {
  if (!std::in_range<T>(value)) {
    throw entry.error(field, fmt::format("{} is {}, which does not fit in {}; choose a wider type",
                                         shown(scalar.value.text()), value, name_of(scalar.type)));
  }
  store(bytes, at, static_cast<T>(value));
}

void store_scalar(const KernelEntry& entry, const std::string& field, const ScalarField& scalar,
                  const Dims& dims, std::vector<std::byte>& bytes, std::size_t at) {
  if (scalar.type == ScalarType::float_) {
    try {
      const Fraction value = scalar.value.evaluate(dims);
      return store(
          bytes, at,
          static_cast<float>(static_cast<double>(value.numerator) / static_cast<double>(value.denominator)));
    } catch (const ExpressionError& e) {
      throw entry.error(field, e.what());
    }
  }
  const std::int64_t value = integer_of(entry, field, scalar.value, dims);
  const auto put = [&]<class T>(T) { store_integer<T>(entry, field, scalar, value, bytes, at); };
  switch (scalar.type) {
    case ScalarType::uchar:
      return put(std::uint8_t{});
    case ScalarType::char_:
      return put(std::int8_t{});
    case ScalarType::ushort:
      return put(std::uint16_t{});
    case ScalarType::short_:
      return put(std::int16_t{});
    case ScalarType::uint:
      return put(std::uint32_t{});
    case ScalarType::int_:
      return put(std::int32_t{});
    case ScalarType::ulong:
      return put(std::uint64_t{});
    case ScalarType::long_:
    case ScalarType::float_:
      return put(std::int64_t{});
  }
}

}  // namespace

std::vector<std::byte> pack_scalars(const KernelEntry& entry, const std::string& field,
                                    const ScalarArgument& argument, const Dims& dims,
                                    std::span<const Tensor> inputs) {
  std::vector<std::byte> bytes;
  std::size_t widest = 1;
  for (const ScalarField& scalar : argument.fields) {
    const std::size_t size = size_of(scalar.type);
    widest = std::max(widest, size);
    const std::size_t at = round_up(bytes.size(), size);
    bytes.resize(at + size);
    if (!scalar.tensor.empty()) {
      const auto tensor = std::find_if(inputs.begin(), inputs.end(),
                                       [&](const Tensor& one) { return one.name == scalar.tensor; });
      if (tensor == inputs.end() || tensor->data.size() != size)
        throw std::invalid_argument(scalar.tensor + ": is no input of one element that a struct could hold");
      std::copy(tensor->data.begin(), tensor->data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
      continue;
    }
    store_scalar(entry, field, scalar, dims, bytes, at);
  }
  bytes.resize(round_up(bytes.size(), widest));
  return bytes;
}

}  // namespace assay
