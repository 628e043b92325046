#include "golden/model/model_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "golden/model/model_header.hpp"
#include "golden/safetensors.hpp"
#include "golden/safetensors_format.hpp"
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

ModelFile::ModelFile(const std::filesystem::path& path) : path_(path) {
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  try {
    if (file_ < 0) throw FormatError(fmt::format("cannot be opened for reading: {}", std::strerror(errno)));
    read_header();
  } catch (const FormatError& fault) {
    if (file_ >= 0) ::close(file_);
    throw FormatError(fmt::format("{}: {}", escaped(path.string(), std::string::npos), fault.what()));
  }
}

ModelFile::~ModelFile() { ::close(file_); }

void ModelFile::read_header() {
  struct stat status {};
  if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) throw FormatError("is not a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < kLengthBytes)
    throw FormatError(fmt::format("is cut short: has {} bytes, the header length alone takes 8", size));
  std::uint64_t length = 0;
  read_bytes(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length > size - kLengthBytes || length > kLongestModelHeader) {
    throw FormatError(fmt::format(
        "is cut short or no safetensors file: header length is {} bytes, {} follow, {} are the most", length,
        size - kLengthBytes, kLongestModelHeader));
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  read_bytes(kLengthBytes, std::as_writable_bytes(std::span(text)));
  const std::uint64_t data = kLengthBytes + length;
  for (ModelTensor& tensor : parse_model_header(text, size - data)) {
    const auto type = weight_type_of(tensor.dtype);
    std::string reason;
    if (tensor.shape.size() != 2) {
      reason = fmt::format("has {} dimensions; a matrix has 2", tensor.shape.size());
    } else if (!type) {
      reason = fmt::format("is {}; weights are F32, F16 or BF16", escaped(tensor.dtype));
    } else if (tensor.begin == tensor.end) {
      reason = "is empty";
    } else {
      matrices_.push_back({std::move(tensor.name), *type, static_cast<std::size_t>(tensor.shape[0]),
                           static_cast<std::size_t>(tensor.shape[1]), data + tensor.begin});
      continue;
    }
    left_out_.push_back({std::move(tensor.name), std::move(reason)});
  }
}

void ModelFile::read_bytes(std::uint64_t at, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t read = ::pread(file_, to.data(), to.size(), static_cast<off_t>(at));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) throw FormatError(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (read == 0) throw FormatError(fmt::format("is cut short: ends at byte {}", at));
    at += static_cast<std::uint64_t>(read);
    to = to.subspan(static_cast<std::size_t>(read));
  }
}

void ModelFile::read_rows(const MatrixInfo& matrix, std::size_t begin, std::size_t end,
                          std::span<float> out) const try {
  if (begin > end || end > matrix.rows || out.size() != (end - begin) * matrix.columns) {
    throw std::invalid_argument(fmt::format("rows {} to {} of {} x {} do not fit in {} values", begin, end,
                                            matrix.rows, matrix.columns, out.size()));
  }
  const std::size_t element = matrix.type == WeightType::f32 ? sizeof(float) : sizeof(std::uint16_t);
  const auto bytes = std::as_writable_bytes(out).last(out.size() * element);
  read_bytes(matrix.at + std::uint64_t{begin} * matrix.columns * element, bytes);
  if (matrix.type == WeightType::bf16) widen(out, float_from_bf16);
  if (matrix.type == WeightType::f16) {
    const std::vector<float>& floats = floats_of_halves();
    widen(out, [&](std::uint16_t bits) { return floats[bits]; });
  }
} catch (const FormatError& fault) {
  throw FormatError(fmt::format("{}: tensor {}: {}", escaped(path_.string(), std::string::npos),
                                escaped(matrix.name), fault.what()));
}

}  // namespace assay::golden
