// Vectors whose new elements nobody has written yet.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace assay::blas {

/// As std::allocator, but an element that is made of nothing holds anything, where std::vector would write
/// zero: matrices of which every element is written anyway pass through memory once less.
template <class T>
struct UnwrittenAllocator : std::allocator<T> {
  template <class Other>
  struct rebind {
    using other = UnwrittenAllocator<Other>;
  };

  template <class Element>
  void construct(Element* place) {
    ::new (static_cast<void*>(place)) Element;
  }
  template <class Element, class... Arguments>
  void construct(Element* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) Element(std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using Unwritten = std::vector<T, UnwrittenAllocator<T>>;

}  // namespace assay::blas
