#include "harness/metal/module/shape_records.hpp"

namespace assay::metal {
namespace {

using device::MemoryShape;

constexpr unsigned kEnd = static_cast<unsigned>(MemoryShape::Kind::bool_) + 1;

MemoryShape read_tree(const ShapeRecord*& next) {
  const ShapeRecord& record = *next++;
  MemoryShape shape{.name = record.name,
                    .kind = static_cast<MemoryShape::Kind>(record.kind),
                    .offset = record.offset,
                    .size = record.size,
                    .align = record.align,
                    .count = record.count,
                    .read_only = record.read_only != 0,
                    .single = record.single != 0,
                    .constant = record.constant != 0};
  while (next->kind < kEnd && next->depth > record.depth) shape.parts.push_back(read_tree(next));
  return shape;
}

}  // namespace

device::MemoryShape read_shape(const ShapeRecord* records) {
  return records == nullptr ? MemoryShape{} : read_tree(records);
}

}  // namespace assay::metal
