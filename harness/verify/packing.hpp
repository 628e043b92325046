// Inputs and scalars that share one buffer: where each lies, and the bytes of all.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "assay/tensor.hpp"
#include "harness/verify/manifest.hpp"

namespace assay {

/// What lies between fields: no number that a kernel would be right to read.
inline constexpr std::byte kPadding{0xA5};

/// A tensor in a packed buffer: `count` pieces of `each` bytes, `stride` bytes apart, in the tensor's order.
struct PackedPlace {
  std::string tensor;
  std::size_t begin = 0, each = 0, stride = 0, count = 1;
};

/// A pointer in a packed buffer: bytes of zero, for a device to write an address to.
struct PackedPointer {
  std::size_t at = 0;
  const PackedField* field = nullptr;  ///< of the argument that was packed
};

/// The pointers of a resolved argument that lead somewhere: each followed by those of what it leads to, as
/// they stand in Dispatch::pointers.
std::vector<const PackedField*> pointers_in(const PackedArgument& argument);

/// The tensor that a pointer of a resolved argument leads to; "" where it leads to something else.
std::string tensor_behind(const PackedField& pointer);

/// Where the pointers of a resolved argument lie, and how long it is, as far as neither follows from sizes.
struct PointerLayout {
  std::vector<PackedPointer> pointers;  ///< with those that lead nowhere
  std::optional<std::size_t> end;       ///< nothing: what lies behind a tensor lies where sizes say
};
PointerLayout pointer_layout(const KernelEntry& entry, const PackedArgument& argument);

struct PackedBuffer {
  std::vector<std::byte> bytes;
  std::vector<PackedPointer> pointers;  ///< that lead somewhere
  std::vector<PackedPlace> places;      ///< of tensors as they are; running sums have none
};

/// Lays the fields of a resolved argument out as C lays out a struct: each at the next offset that suits its
/// type, or at the one that is stated. A record is an array of structs, one for each row (first axis) of its
/// tensors. A pointer is 8 bytes; a buffer with pointers ends at a multiple of 8, as a struct would. Throws
/// ManifestError at the field that is at fault: an offset that does not suit the type or lies
/// in the field before, a record too small for its fields, tensors of different numbers of rows in a record
/// or none, sums that do not fit their type, what the entry keeps otherwise (`semantics`), more than 2^28
/// bytes.
PackedBuffer pack_buffer(const KernelEntry& entry, const PackedArgument& argument, const Dims& dims,
                         std::span<const Tensor> inputs);

/// The bytes of one tensor, out of those of the buffer.
std::vector<std::byte> unpack(const PackedPlace& place, std::span<const std::byte> buffer);

}  // namespace assay
