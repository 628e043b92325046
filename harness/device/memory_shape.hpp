// What the memory behind a parameter holds, as the text declares it: where pointers lie, and what they are
// called.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace assay::device {

/// A part of memory, and what makes it up: the members of a structure, the element of an array, the
/// column of a matrix, what a pointer leads to.
struct MemoryShape {
  /// Numbered as assay_entry::part_kind is.
  enum class Kind {
    unknown,
    pointer,
    structure,
    array,
    matrix,
    uchar,
    char_,
    ushort,
    short_,
    uint,
    int_,
    ulong,
    long_,
    float_,
    half,
    bfloat,
    bool_,
  };
  std::string name = {};  ///< of a member; else ""
  Kind kind = Kind::unknown;
  std::size_t offset = 0, size = 0, align = 1;  ///< size 0: not known
  std::size_t count = 1;                        ///< of an array; columns of a matrix; components of a vector
  bool read_only = false;                       ///< a pointer through which nothing can be written
  bool single = false;                          ///< a reference: to one object
  bool constant = false;                        ///< a member that is a pointer to constant memory
  std::vector<MemoryShape> parts = {};

  bool is_pointer() const { return kind == Kind::pointer; }
  bool is_scalar() const { return kind >= Kind::uchar; }
};

/// A pointer among what another pointer, or a parameter, leads to.
struct PlacedPointer {
  std::string path;  ///< "set.rows[2]", "tensors[3].data"
  std::size_t offset = 0;
  const MemoryShape* pointer = nullptr;
};

/// The pointer at byte `offset` of what `leads` leads to, where `size_bytes` are bound; `name` is what
/// `leads` is called. Nothing where the text has none there, or is not understood.
std::optional<PlacedPointer> pointer_at(const MemoryShape& leads, const std::string& name,
                                        std::size_t size_bytes, std::size_t offset);

/// All pointers of the first object that `leads` leads to, in order, up to 4,096.
std::vector<PlacedPointer> pointers_behind(const MemoryShape& leads, const std::string& name);

}  // namespace assay::device
