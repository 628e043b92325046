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

/// Strips the flags off line markers, which would have to nest.
void plain_line_markers(TokenText& text);

}  // namespace assay::metal
