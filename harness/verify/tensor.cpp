#include "assay/tensor.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "reference/bfloat.hpp"
#include "reference/half.hpp"

namespace assay {
namespace {

struct DTypeTraits {
  std::size_t size_bytes;
  std::string_view name;
};

// A switch, not a table: the compiler then warns when DType grows and this does not.
DTypeTraits traits_of(DType type) {
  switch (type) {
    case DType::u8:
      return {1, "u8"};
    case DType::u16:
      return {2, "u16"};
    case DType::u32:
      return {4, "u32"};
    case DType::i32:
      return {4, "i32"};
    case DType::f16:
      return {2, "f16"};
    case DType::f32:
      return {4, "f32"};
    case DType::f64:
      return {8, "f64"};
    case DType::i8:
      return {1, "i8"};
    case DType::i16:
      return {2, "i16"};
    case DType::bf16:
      return {2, "bf16"};
  }
  throw std::invalid_argument("dtype: " + std::to_string(static_cast<int>(type)) + " is no DType");
}

}  // namespace

std::size_t size_of(DType type) { return traits_of(type).size_bytes; }

std::string_view name_of(DType type) { return traits_of(type).name; }

bool is_integer(DType type) {
  return type != DType::f16 && type != DType::f32 && type != DType::f64 && type != DType::bf16;
}

std::size_t Tensor::element_count() const {
  // Bytes must fit too, so a caller may multiply by the element size without a check of its own.
  const std::size_t limit = std::numeric_limits<std::size_t>::max() / size_of(dtype);
  std::size_t count = 1;
  for (const std::size_t extent : shape) {
    if (extent != 0 && count > limit / extent) {
      throw std::length_error("tensor " + name + ": the product of its shape does not fit in memory");
    }
    count *= extent;
  }
  return count;
}

void Tensor::copy(std::size_t first, std::span<std::byte> to) const {
  if (repeated && order != nullptr) {
    const std::size_t size = size_of(dtype);
    for (std::size_t done = 0; done < to.size(); done += size)
      std::memcpy(to.data() + done, data.data() + place(first + done / size) * size % data.size(), size);
    return;
  }
  std::size_t from = first * size_of(dtype), done = 0;
  if (repeated) from %= data.size();
  while (done < to.size()) {
    const std::size_t piece = std::min(to.size() - done, data.size() - from);
    std::memcpy(to.data() + done, data.data() + from, piece);
    done += piece;
    from = 0;
  }
}

void put_rounded(Tensor& tensor, std::size_t index, double value) {
  const auto whole = [&] { return static_cast<std::int64_t>(value); };
  switch (tensor.dtype) {
    case DType::f16:
      tensor.as<std::uint16_t>()[index] = reference::half_from_double(value);
      break;
    case DType::bf16:
      tensor.as<std::uint16_t>()[index] = reference::bfloat_from_double(value);
      break;
    case DType::f32:
      tensor.as<float>()[index] = static_cast<float>(value);
      break;
    case DType::f64:
      tensor.as<double>()[index] = value;
      break;
    case DType::u8:
      tensor.as<std::uint8_t>()[index] = static_cast<std::uint8_t>(whole());
      break;
    case DType::i8:
      tensor.as<std::int8_t>()[index] = static_cast<std::int8_t>(whole());
      break;
    case DType::u16:
      tensor.as<std::uint16_t>()[index] = static_cast<std::uint16_t>(whole());
      break;
    case DType::i16:
      tensor.as<std::int16_t>()[index] = static_cast<std::int16_t>(whole());
      break;
    case DType::u32:
      tensor.as<std::uint32_t>()[index] = static_cast<std::uint32_t>(whole());
      break;
    case DType::i32:
      tensor.as<std::int32_t>()[index] = static_cast<std::int32_t>(whole());
      break;
  }
}

Tensor make_tensor(std::string name, DType dtype, std::vector<std::size_t> shape) {
  Tensor tensor{std::move(name), dtype, std::move(shape), {}};
  tensor.data.resize(tensor.element_count() * size_of(dtype));
  return tensor;
}

}  // namespace assay
