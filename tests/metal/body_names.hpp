// What bodies of functions in tests use, and may hide: variables, and functions of anything.
#pragma once

#include <string>

namespace assay::metal {

inline const std::string kBodyNames =
    "using namespace metal; template <class T, class U> T make(U); template <class... A> int f(A...); "
    "template <class... A> int g(A...); template <class... A> int h(A...); "
    "struct Count { int operator()() const; operator int() const; }; struct Pair { int first, second; }; "
    "extern int a, b, c, d, e, i, j, n, x, y; extern bool ok; extern Count k; extern device half *p, *q; "
    "extern half4 v, w; extern int rows[4][4]; extern mem_flags flags; ";

}  // namespace assay::metal
