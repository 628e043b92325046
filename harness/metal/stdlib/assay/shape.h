// What the memory behind a kernel's parameters holds, as a table that harness/metal/clang/shapes.cpp writes and
// harness/metal/module/shape_records.cpp reads: where pointers lie in it, under which names, and what they lead to.
#pragma once

namespace assay_entry {

/// Numbered as device::MemoryShape::Kind is.
enum part_kind : unsigned {
  part_unknown,
  part_pointer,
  part_structure,
  part_array,
  part_matrix,
  part_uchar,
  part_char,
  part_ushort,
  part_short,
  part_uint,
  part_int,
  part_ulong,
  part_long,
  part_float,
  part_half,
  part_bfloat,
  part_bool,
  part_end,
};

/// A part of memory. Those that make it up stand behind it, one deeper: the members of a structure, the element
/// of an array, what a pointer leads to.
struct part {
  const char* name;  ///< of a member; else ""
  unsigned depth, kind, offset, size, align;
  unsigned count;      ///< of an array; components of a vector
  unsigned read_only;  ///< a pointer through which nothing can be written
  unsigned single;     ///< a reference
  unsigned constant;   ///< a pointer to constant memory, as far as the member says so itself
};

}  // namespace assay_entry
