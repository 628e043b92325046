// Template parameters that are lengths of vectors.
#pragma once

#include "harness/metal/token.hpp"

namespace assay::metal {

/// `template <typename T, uint N> T sum(vec<T, N> v)`: Metal deduces a length whatever integer it is declared
/// as, C++ only one of the type that the class has. Such parameters become `int`, in the headers of functions
/// and of specialisations alike; so do those of `matrix`.
void lengths_as_int(TokenText& text);

}  // namespace assay::metal
