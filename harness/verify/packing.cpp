#include "harness/verify/packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "harness/verify/binding.hpp"
#include "harness/verify/scalar_arguments.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 28;

std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

/// What a field holds: `rows` pieces of `each` bytes; a scalar is the same in every row.
struct Content {
  std::vector<std::byte> bytes;
  std::size_t each = 0, alignment = 1, rows = 0;
  std::string tensor = {};  // whose bytes these are

  bool is_scalar() const { return rows == 0; }
};

/// A field of a record and where it lies in each.
struct RecordField {
  Content content;
  std::size_t offset = 0;
};

std::uint64_t element_at(std::span<const std::byte> bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, size);
  return value;
}

bool leads_somewhere(const PackedField& field) {
  return field.pointee != nullptr && !std::holds_alternative<UnboundArgument>(field.pointee->argument);
}

class Packer {
 public:
  Packer(const KernelEntry& entry, const Dims& dims, std::span<const Tensor> inputs)
      : entry_(entry), dims_(dims), inputs_(inputs) {}

  PackedBuffer pack(const PackedArgument& argument) {
    for (const PackedField& field : argument.fields) field.record.empty() ? single(field) : records(field);
    const bool pointers = std::any_of(argument.fields.begin(), argument.fields.end(),
                                      [](const PackedField& field) { return field.pointee != nullptr; });
    if (pointers) reserve(argument.fields.back(), round_up(packed_.bytes.size(), device::kPointerBytes));
    return std::move(packed_);
  }

  /// As pack() lays them out, up to the first tensor.
  PointerLayout layout(const PackedArgument& argument) {
    PointerLayout found;
    std::size_t end = 0;
    for (const PackedField& field : argument.fields) {
      if (!field.record.empty() || !field.value.tensor.empty()) return found;
      const bool pointer = field.pointee != nullptr;
      const std::size_t size = pointer ? device::kPointerBytes : size_of(field.value.type);
      const std::size_t at = offset(field, end, size);
      if (pointer) found.pointers.push_back({at, &field});
      end = at + size;
    }
    found.end = end;
    return found;
  }

 private:
  void single(const PackedField& field) {
    const Content content = content_of(field);
    const std::size_t at = offset(field, packed_.bytes.size(), content.alignment);
    reserve(field, at + content.bytes.size());
    std::copy(content.bytes.begin(), content.bytes.end(), packed_.bytes.begin() + difference(at));
    if (leads_somewhere(field)) packed_.pointers.push_back({at, &field});
    if (!content.tensor.empty())
      packed_.places.push_back({content.tensor, at, content.bytes.size(), content.bytes.size(), 1});
  }

  void records(const PackedField& field) {
    std::vector<RecordField> members;
    std::size_t end = 0, alignment = 1, rows = 0;
    for (const PackedField& one : field.record) {
      RecordField member{content_of(one)};
      const Content& content = member.content;
      if (!content.is_scalar() && rows != 0 && content.rows != rows) {
        throw entry_.error(one.where, fmt::format("has {} rows where a field before it has {}; tensors of a "
                                                  "record have one row a record",
                                                  content.rows, rows));
      }
      if (!content.is_scalar()) rows = content.rows;
      member.offset = offset(one, end, content.alignment);
      end = member.offset + content.each;
      alignment = std::max(alignment, content.alignment);
      members.push_back(std::move(member));
    }
    if (rows == 0)
      throw entry_.error(field.where, "a record holds no tensor, so nothing says how many there are");
    std::size_t stride = round_up(end, alignment);
    if (field.size) {
      const auto size = static_cast<std::size_t>(*field.size);
      if (size < stride || size % alignment != 0) {
        throw entry_.error(field.where, fmt::format("size = {}: its fields take {} bytes, and records lie at "
                                                    "multiples of {}",
                                                    size, end, alignment));
      }
      stride = size;
    }
    const std::size_t at = offset(field, packed_.bytes.size(), alignment);
    if (stride > kMostBytes || rows > kMostBytes / stride) too_large(field);
    reserve(field, at + rows * stride);
    for (const RecordField& member : members) {
      const Content& content = member.content;
      for (std::size_t row = 0; row < rows; ++row) {
        const auto from = content.bytes.begin() + difference(content.is_scalar() ? 0 : row * content.each);
        std::copy(from, from + difference(content.each),
                  packed_.bytes.begin() + difference(at + row * stride + member.offset));
      }
      if (!content.tensor.empty())
        packed_.places.push_back({content.tensor, at + member.offset, content.each, stride, rows});
    }
  }

  static std::ptrdiff_t difference(std::size_t size) { return static_cast<std::ptrdiff_t>(size); }

  [[noreturn]] void too_large(const PackedField& field) const {
    throw entry_.error(field.where, fmt::format("the buffer has more than {} bytes; bound the sizes by "
                                                "`requires`",
                                                kMostBytes));
  }

  void reserve(const PackedField& field, std::size_t size) {
    if (size > kMostBytes) too_large(field);
    packed_.bytes.resize(size, kPadding);
  }

  std::size_t offset(const PackedField& field, std::size_t end, std::size_t alignment) const {
    if (!field.at) return round_up(end, alignment);
    const auto at = static_cast<std::size_t>(*field.at);
    if (at < end)
      throw entry_.error(field.where, fmt::format("at = {}: the field before it ends at {}", at, end));
    if (at % alignment != 0)
      throw entry_.error(field.where,
                         fmt::format("at = {}: its type lies at multiples of {}", at, alignment));
    return at;
  }

  Content content_of(const PackedField& field) const {
    const ScalarField& value = field.value;
    if (field.pointee != nullptr) {
      Content content;
      content.bytes.resize(device::kPointerBytes);
      content.each = content.alignment = content.bytes.size();
      return content;
    }
    if (value.tensor.empty()) {
      Content content;
      content.bytes = pack_scalars(entry_, field.where, {{value}}, dims_);
      content.each = content.alignment = content.bytes.size();
      return content;
    }
    const auto found = std::find_if(inputs_.begin(), inputs_.end(),
                                    [&](const Tensor& one) { return one.name == value.tensor; });
    if (found == inputs_.end() || found->shape.empty())
      throw std::invalid_argument(value.tensor + ": is no input that a buffer could hold");
    const Tensor& tensor = *found;
    if (storage_of(entry_, tensor.name) != nullptr) {
      throw entry_.error(
          field.where,
          fmt::format("{} is kept as `semantics` says; give it a buffer of its own", tensor.name));
    }
    const std::size_t elements = tensor.element_count(), size = size_of(tensor.dtype);
    if (elements > kMostBytes / size) too_large(field);
    Content content;
    content.bytes.resize(elements * size);
    tensor.copy(0, content.bytes);
    content.rows = tensor.shape.empty() ? 1 : tensor.shape.front();
    content.alignment = size;
    if (field.sums) {
      content = sums_of(field, tensor, content);
    } else {
      content.tensor = tensor.name;
    }
    content.each = content.bytes.size() / content.rows;
    return content;
  }

  /// 0, and the sums of the first one, two, ... elements of each row: what cumulated frequencies are.
  Content sums_of(const PackedField& field, const Tensor& tensor, const Content& elements) const {
    if (tensor.dtype != DType::u8 && tensor.dtype != DType::u16 && tensor.dtype != DType::u32) {
      throw entry_.error(field.where, fmt::format("sums({}): it holds {}; sums are of uchar, ushort and uint",
                                                  tensor.name, name_of(tensor.dtype)));
    }
    const std::size_t width = tensor.shape.empty() ? 1 : tensor.shape.back(), from = size_of(tensor.dtype);
    const std::size_t to = field.value.typed ? size_of(field.value.type) : from;
    if (field.value.typed && field.value.type == ScalarType::float_)
      throw entry_.error(field.where, "sums are whole numbers; write an integer type");
    const bool is_signed = field.value.typed &&
                           (field.value.type == ScalarType::char_ || field.value.type == ScalarType::short_ ||
                            field.value.type == ScalarType::int_ || field.value.type == ScalarType::long_);
    const std::uint64_t most =
        std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * to + (is_signed ? 1 : 0));
    Content sums;
    sums.rows = elements.rows;
    sums.alignment = to;
    const std::size_t all = elements.bytes.size() / from / width;
    sums.bytes.resize(all * (width + 1) * to);
    for (std::size_t row = 0; row < all; ++row) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i <= width; ++i) {
        if (sum > most) {
          throw entry_.error(
              field.where,
              fmt::format("sums({}) has {}, which does not fit; choose a wider type", tensor.name, sum));
        }
        std::memcpy(sums.bytes.data() + (row * (width + 1) + i) * to, &sum, to);
        if (i < width) sum += element_at(elements.bytes, (row * width + i) * from, from);
      }
    }
    return sums;
  }

  const KernelEntry& entry_;
  const Dims& dims_;
  std::span<const Tensor> inputs_;
  PackedBuffer packed_;
};

void collect(const PackedArgument& argument, std::vector<const PackedField*>& into) {
  for (const PackedField& field : argument.fields) {
    if (!leads_somewhere(field)) continue;
    into.push_back(&field);
    if (const auto* packed = std::get_if<PackedArgument>(&field.pointee->argument)) collect(*packed, into);
  }
}

}  // namespace

std::vector<const PackedField*> pointers_in(const PackedArgument& argument) {
  std::vector<const PackedField*> all;
  collect(argument, all);
  return all;
}

std::string tensor_behind(const PackedField& pointer) {
  const auto* named = std::get_if<NamedArgument>(&pointer.pointee->argument);
  return named == nullptr ? "" : named->name;
}

PointerLayout pointer_layout(const KernelEntry& entry, const PackedArgument& argument) {
  return Packer(entry, {}, {}).layout(argument);
}

PackedBuffer pack_buffer(const KernelEntry& entry, const PackedArgument& argument, const Dims& dims,
                         std::span<const Tensor> inputs) {
  return Packer(entry, dims, inputs).pack(argument);
}

std::vector<std::byte> unpack(const PackedPlace& place, std::span<const std::byte> buffer) {
  std::vector<std::byte> bytes;
  bytes.reserve(place.each * place.count);
  for (std::size_t i = 0; i < place.count; ++i) {
    const auto piece = buffer.subspan(place.begin + i * place.stride, place.each);
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  }
  return bytes;
}

}  // namespace assay
