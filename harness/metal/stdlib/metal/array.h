// <metal_array>.
#pragma once
#include "metal/inside.h"

namespace assay_msl {

template <class T, size_t N>
struct array {
  T elements[N ? N : 1];

  typedef T value_type;
  static constexpr size_t size() { return N; }
  static constexpr size_t max_size() { return N; }
  static constexpr bool empty() { return N == 0; }
  template <class I>
  constexpr T& operator[](I index) {
    return elements[ASSAY_INDEX(N, index)];
  }
  template <class I>
  constexpr const T& operator[](I index) const {
    return elements[ASSAY_INDEX(N, index)];
  }
  constexpr T& front() { return elements[0]; }
  constexpr const T& front() const { return elements[0]; }
  constexpr T& back() { return elements[N - 1]; }
  constexpr const T& back() const { return elements[N - 1]; }
  constexpr T* data() { return elements; }
  constexpr const T* data() const { return elements; }
  constexpr T* begin() { return elements; }
  constexpr const T* begin() const { return elements; }
  constexpr T* end() { return elements + N; }
  constexpr const T* end() const { return elements + N; }
  constexpr void fill(const T& value) {
    for (size_t i = 0; i < N; ++i) elements[i] = value;
  }
};

}  // namespace assay_msl
