// Types of kernel parameters, as far as a manifest has to know them: elements, their size, the scalars of a
// struct.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/metal/declaration.hpp"

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

/// The types that a text declares, beside Metal's own.
class ElementTypes {
 public:
  explicit ElementTypes(const metal::TokenText& text, const std::vector<metal::Declaration>& declarations);

  /// From the words of a type: {"device", "const", "half4"}. `given`: what template parameters stand for.
  using Words = std::vector<std::string>;
  ElementType find(const Words& words, const std::map<std::string, Words>& given = {}) const;

 private:
  ElementType resolve(Words words, const std::map<std::string, Words>& given, int depth) const;
  ElementType record(const metal::Declaration& declared, const std::map<std::string, Words>& given,
                     int depth) const;
  /// Of `struct { T data[1]; }` the type of an element, with `of_struct`.
  std::optional<ElementType> of_open_array(const metal::Declaration& declared,
                                           const std::map<std::string, Words>& given, int depth) const;
  /// Puts the scalars of a member, `one`, into the struct; false where it has none.
  static void add_scalars(ElementType& whole, const ElementType& one, const std::string& name,
                          std::size_t offset);
  bool add_member(ElementType& whole, const metal::Declaration& member,
                  const std::map<std::string, Words>& given, int depth) const;

  const metal::TokenText& text_;
  std::map<std::string, const metal::Declaration*> records_;
  std::map<std::string, Words> aliases_;
};

}  // namespace assay::draft
