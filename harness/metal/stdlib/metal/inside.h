// Indices of arrays in checked mode. clang checks them too, but where a reference is bound to the element it
// lets the one behind the last pass, since that may be an address that nobody follows: so it is with each
// element of a class, as vectors and matrices are, that is assigned to, changed or handed over.
#pragma once
#include "metal/type_traits.h"

namespace assay_msl {

#ifdef ASSAY_CHECKED
template <class I>
ASSAY_INLINE constexpr I index_below(size_t count, I index, uint line, const char* file) {
  if (size_t(index) >= count)
    assay_no_element(long(index), count, line, line != 0 ? file : (const char*)assay_here());
  return index;
}

template <class A>
struct extent_of {
  static constexpr size_t count = 0;
};
template <class T, size_t N>
struct extent_of<T[N]> {
  static constexpr size_t count = N;
};

/// What lowering puts around an index of checked code (harness/metal/subscripts.hpp). `A` is what is indexed:
/// where that is no array, any index will do.
template <class A, class I>
ASSAY_INLINE constexpr I inside(I index, uint line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  constexpr size_t count = extent_of<remove_reference_t<A>>::count;
  if constexpr (count != 0) return index_below(count, index, line, file);
  return index;
}

/// The same for an array that is a member. One of a single element is how translated shaders declare the last
/// array of a buffer, which goes on for as long as that: the bounds of the buffer hold.
template <class A, class I>
ASSAY_INLINE constexpr I inside_member(I index, uint line = __builtin_LINE(),
                                       const char* file = __builtin_FILE()) {
  constexpr size_t count = extent_of<remove_reference_t<A>>::count;
  if constexpr (count > 1) return index_below(count, index, line, file);
  return index;
}

/// Around the index of an operator: the line is that of its caller.
#define ASSAY_INDEX(count, index) index_below(count, index, 0, nullptr)
#else
#define ASSAY_INDEX(count, index) index
#endif

}  // namespace assay_msl
