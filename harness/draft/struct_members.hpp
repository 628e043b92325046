// The members of a struct that a kernel's parameter, or a pointer in one, leads to, as a manifest has to fill
// them in.
#pragma once

#include <string>
#include <vector>

#include "harness/device/memory_shape.hpp"
#include "harness/draft/element_type.hpp"

namespace assay::draft {

struct StructMember {
  enum class Kind {
    buffer,  ///< a pointer to elements
    block,   ///< a pointer to a struct whose members a manifest fills in too
    scalar,  ///< a value
    filler,  ///< bytes that a manifest has no words for: halves, matrices, long arrays
  };
  Kind kind = Kind::scalar;
  std::string path;  ///< "set.rows[2]"
  std::size_t offset = 0, size = 0;
  Scalar scalar = {};
  ElementType element = {};  ///< of `buffer`
  bool writable = false;
  std::vector<StructMember> members = {};  ///< of `block`
  std::size_t block_size = 0;              ///< of what it leads to

  bool is_pointer() const { return kind == Kind::buffer || kind == Kind::block; }
};

/// Those of the first object that `pointer` leads to, in the order of their offsets. `path`: what the pointer
/// is called. Throws std::invalid_argument where there are more than 512, in all that it leads to.
std::vector<StructMember> members_behind(const device::MemoryShape& pointer, const std::string& path);

/// A name for the last of a path: "rows_2"; `whole`: "set_rows_2".
std::string name_of_member(const std::string& path, bool whole);

}  // namespace assay::draft
