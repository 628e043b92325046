// Types of kernel parameters, as far as a manifest has to know them: elements, their size, the scalars of a
// struct.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/device/memory_shape.hpp"

namespace assay::draft {

/// A scalar that is passed by value: a whole parameter, or a field of a struct.
struct Scalar {
  std::string name;        ///< of the field; "" where the parameter is the scalar
  std::string type;        ///< as the manifest names types of scalars: "uint", "ulong", "float"
  bool whole = true;       ///< a whole number, which may be a size
  std::size_t offset = 0;  ///< in the struct or vector
  std::string fixed = {};  ///< its value, where a manifest can give it no other: the bits of a half that is 1
};

struct ElementType {
  std::string type;                 ///< as the manifest names it, "half"; "" where the type is not known
  std::size_t type_bytes = 0;       ///< of `type`
  std::vector<std::size_t> inner;   ///< axes of one element: {4} of half4, {18} of a struct of 18 bytes
  std::size_t size = 0, align = 1;  ///< in bytes
  bool atomic = false;
  bool wide = false;  ///< numbers of 64 bits, each two of `type`
  bool pointers =
      false;  ///< a struct that holds some, as an argument buffer does; nothing else is known then
  /// What it is made of, where a launch can pass it by value: one scalar, a vector or a struct of them.
  std::vector<Scalar> scalars;
  /// That of the elements of a struct with one member, `float data[1]`: as translated shaders declare a
  /// buffer.
  bool of_struct = false;
};

/// What a manifest calls a number that lies in memory.
struct NumberType {
  std::string tensor, scalar;  ///< "": a manifest has none
  std::size_t bytes = 0;       ///< of `tensor`
};
NumberType number_type(device::MemoryShape::Kind kind);

/// Of what lies there.
ElementType element_of(const device::MemoryShape& object);

/// Does it hold pointers, or is it one?
bool holds_pointers(const device::MemoryShape& object);

}  // namespace assay::draft
