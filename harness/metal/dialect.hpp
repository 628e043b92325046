// Metal's own spellings, and clang's, of what C++ and the stand-in library have.
#pragma once

#include "harness/metal/declaration.hpp"

namespace assay::metal {

/// `[[...]]` goes: what the attributes of kernels and their parameters say has been read before.
void erase_attributes(TokenText& text);

/// `typedef half half4_t __attribute__((ext_vector_type(4)));` -> `typedef metal::vec<half, 4> half4_t;`, and
/// the same behind `using`, also of templates; `half __attribute__((ext_vector_type(8))) x` ->
/// `metal::vec<half, 8> x`. Throws UnsupportedFeature where the attribute stands anywhere else.
void rewrite_vector_types(TokenText& text);

/// Words of C for what C++ spells otherwise: `_Static_assert`. Before the text is read.
void spell_as_cpp(TokenText& text);

/// `template <> float of(float x) {...}` among the members of a class, which g++ 12 does not take, becomes an
/// overload: it is chosen where the specialisation was. `template <> struct Cast<int> {...}` there becomes a
/// partial specialisation. Throws UnsupportedFeature for functions that say their arguments: `template <>
/// float of<float>(...)`, and for members of templates that take any number of arguments.
void overload_member_specialisations(TokenText& text, const std::vector<Declaration>& declarations);

/// `template <> constexpr int Tile<half>::rows = 16;`, where the class template gives its static member a
/// value of its own, which g++ 12 does not take: the member asks a template that is specialised in its place.
void specialise_static_members(TokenText& text, const std::vector<Declaration>& declarations);

/// `typedef enum E : int E;`, which clang takes and Apple's NS_ENUM expands to -> `enum E : int;`.
void rewrite_enum_typedefs(TokenText& text);

/// `1.5h` -> half(1.5L), `2bf` -> bfloat(2.f).
void rewrite_literals(TokenText& text);

/// Strips the flags off line markers, which would have to nest.
void plain_line_markers(TokenText& text);

}  // namespace assay::metal
