// The table in which a compiled kernel says what the memory behind its parameters holds.
#pragma once

#include "harness/device/memory_shape.hpp"

namespace assay::metal {

/// A record of assay_entry::part.
struct ShapeRecord {
  const char* name;
  unsigned depth, kind, offset, size, align, count, read_only, single, constant;
};

/// The tree that such a table stands for; null: of kind `unknown`.
device::MemoryShape read_shape(const ShapeRecord* records);

}  // namespace assay::metal
