#include "golden/model/model_file.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "golden/safetensors_format.hpp"
#include "golden/safetensors_header.hpp"
#include "reference/half.hpp"

static_assert(std::endian::native == std::endian::little, "weights are read as they lie in the file");

namespace assay::golden {
namespace {

std::optional<WeightType> weight_type_of(std::string_view dtype) {
  for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16}) {
    if (name_of(type) == dtype) return type;
  }
  return std::nullopt;
}

/// reference::half_to_float for all halves: a table, since it is asked a hundred million times.
const std::vector<float>& floats_of_halves() {
  static const std::vector<float> table = [] {
    std::vector<float> floats(std::size_t{1} << 16);
    for (std::size_t bits = 0; bits < floats.size(); ++bits)
      floats[bits] = reference::half_to_float(static_cast<std::uint16_t>(bits));
    return floats;
  }();
  return table;
}

/// Widens 16-bit values that stand in the second half of `values`' bytes. Value i is read before its place is
/// written: that of value i ends at 4 i + 4, and those still to be read begin at 2 n + 2 i + 2.
template <class Convert>
void widen(std::span<float> values, Convert convert) {
  auto* const bytes = reinterpret_cast<std::byte*>(values.data());
  const std::byte* narrow = bytes + values.size() * sizeof(std::uint16_t);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, narrow + i * sizeof bits, sizeof bits);
    const float value = convert(bits);
    std::memcpy(bytes + i * sizeof value, &value, sizeof value);
  }
}

}  // namespace

std::string_view name_of(WeightType type) {
  switch (type) {
    case WeightType::f32:
      return "F32";
    case WeightType::f16:
      return "F16";
    case WeightType::bf16:
      break;
  }
  return "BF16";
}

float float_from_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

ModelFile::ModelFile(const std::filesystem::path& path) : file_(path) {
  Header header = golden::read_header(file_);
  for (HeaderEntry& tensor : header.entries) {
    const auto type = weight_type_of(tensor.dtype);
    std::string reason;
    if (tensor.shape.size() != 2) {
      reason = fmt::format("has {} dimensions; a matrix has 2", tensor.shape.size());
    } else if (!type) {
      reason = fmt::format("is {}; weights are F32, F16 or BF16", escaped(tensor.dtype));
    } else if (tensor.begin == tensor.end) {
      reason = "is empty";
    } else {
      matrices_.push_back(
          {std::move(tensor.name), *type, tensor.shape[0], tensor.shape[1], header.data_at + tensor.begin});
      continue;
    }
    left_out_.push_back({std::move(tensor.name), std::move(reason)});
  }
}

void ModelFile::read_rows(const MatrixInfo& matrix, std::size_t begin, std::size_t end,
                          std::span<float> out) const {
  if (begin > end || end > matrix.rows || out.size() != (end - begin) * matrix.columns) {
    throw std::invalid_argument(fmt::format("rows {} to {} of {} x {} do not fit in {} values", begin, end,
                                            matrix.rows, matrix.columns, out.size()));
  }
  const std::size_t element = matrix.type == WeightType::f32 ? sizeof(float) : sizeof(std::uint16_t);
  const auto bytes = std::as_writable_bytes(out).last(out.size() * element);
  file_.read(matrix.at + std::uint64_t{begin} * matrix.columns * element, bytes);
  if (matrix.type == WeightType::bf16) widen(out, float_from_bf16);
  if (matrix.type == WeightType::f16) {
    const std::vector<float>& floats = floats_of_halves();
    widen(out, [&](std::uint16_t bits) { return floats[bits]; });
  }
}

}  // namespace assay::golden
