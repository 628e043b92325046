// Simdgroup matrices spread over the lanes, two elements in each. Included by simdgroup_matrix.h.
#pragma once
#include "metal/simdgroup.h"

namespace assay_msl {

/// The elements a lane holds: (row, column) and (row, column + 1). The layout of Apple's GPUs, as published
/// with MLX and metal-flash-attention.
struct lane_place {
  uint row, column;
  explicit ASSAY_INLINE lane_place(uint lane) {
    const uint quad = lane / 4;
    row = (quad & 4) + lane / 2 % 4;
    column = (quad & 2) * 2 + lane % 2 * 2;
  }
  /// The lane that holds (row, column & ~1).
  static ASSAY_INLINE uint holder(uint row, uint column) {
    return (row / 4) * 16 + (column / 4) * 8 + (row % 4) * 2 + column / 2 % 2;
  }
};

template <class T, int Rows, int Columns>
struct simdgroup_matrix {
  static_assert(Rows == 8 && Columns == 8, "simdgroup matrices are 8x8");
  static_assert(is_matrix_element<T>, "invalid element type 'T' for 'simdgroup_matrix': half, bfloat or float");
  vec<T, 2> elements;

  ASSAY_INLINE vec<T, 2>& thread_elements() { return elements; }
  ASSAY_INLINE const vec<T, 2>& thread_elements() const { return elements; }

  ASSAY_INLINE simdgroup_matrix() : elements(T(__builtin_nanf(""))) {}  // what was never set must show
  ASSAY_INLINE explicit simdgroup_matrix(T diagonal) {
    count_matrix_operation();
    const lane_place place(lane_in_simdgroup());
    elements = vec<T, 2>(place.row == place.column ? diagonal : T(0),
                         place.row == place.column + 1 ? diagonal : T(0));
  }
  ASSAY_INLINE void fill(T value) {
    count_matrix_operation();
    elements = vec<T, 2>(value);
  }
};

template <class T, class U>
ASSAY_INLINE void simdgroup_load(simdgroup_matrix<T, 8, 8>& m, const U* source, ulong elements_per_row = 8,
                                 ulong2 origin = 0, bool transpose = false, ASSAY_PLACE) {
  count_matrix_operation();
  count_matrix_work(ASSAY_MATRIX_LOAD, assay_line, assay_file);
  const matrix_place at(elements_per_row, origin, transpose);
  const lane_place place(lane_in_simdgroup());
  const U* from = source + at.first + long(place.row) * at.row_stride + long(place.column) * at.column_stride;
  m.elements = vec<T, 2>(T(from[0]), T(from[at.column_stride]));
}

template <class T, class U>
ASSAY_INLINE void simdgroup_store(const simdgroup_matrix<T, 8, 8>& m, U* target, ulong elements_per_row = 8,
                                  ulong2 origin = 0, bool transpose = false, ASSAY_PLACE) {
  count_matrix_operation();
  count_matrix_work(ASSAY_MATRIX_STORE, assay_line, assay_file);
  const matrix_place at(elements_per_row, origin, transpose);
  const lane_place place(lane_in_simdgroup());
  U* to = target + at.first + long(place.row) * at.row_stride + long(place.column) * at.column_stride;
  to[0] = U(m.elements.x);
  to[at.column_stride] = U(m.elements.y);
}

/// What each lane shows the others to multiply.
template <class A, class B>
struct fragments {
  vec<A, 2> a;
  vec<B, 2> b;
};
template <class T, class A, class B, class C>
ASSAY_UNINSTRUMENTED vec<T, 2> distributed_multiply_accumulate(vec<A, 2> a, vec<B, 2> b, vec<C, 2> c,
                                                               uint line, const char* file) {
  const fragments<A, B> own = {a, b};
  const auto lanes = gather<32>(own, line, file);
  const lane_place place(lanes.lane);
  float sum[2] = {float(flushed(c.x)), float(flushed(c.y))};
  for (uint k = 0; k < 8; ++k) {
    const vec<A, 2> pair = lanes.at(lane_place::holder(place.row, k)).a;
    const vec<B, 2> row = lanes.at(lane_place::holder(k, place.column)).b;
    const float factor = float(flushed(pair.s[k % 2]));
    sum[0] = sum[0] + factor * float(flushed(row.x));
    sum[1] = sum[1] + factor * float(flushed(row.y));
  }
  return vec<T, 2>(flushed(T(sum[0])), flushed(T(sum[1])));
}

/// d = a * b + c.
template <class T, class A, class B, class C>
ASSAY_INLINE void simdgroup_multiply_accumulate(simdgroup_matrix<T, 8, 8>& d,
                                                const simdgroup_matrix<A, 8, 8>& a,
                                                const simdgroup_matrix<B, 8, 8>& b,
                                                const simdgroup_matrix<C, 8, 8>& c, ASSAY_PLACE) {
  count_matrix_operation();
  count_matrix_work(ASSAY_MATRIX_MULTIPLY, assay_line, assay_file);
  d.elements = distributed_multiply_accumulate<T>(a.elements, b.elements, c.elements, assay_line, assay_file);
}

}  // namespace assay_msl
