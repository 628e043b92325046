// 8x8 matrices of a simdgroup: what both implementations share, and the choice between them.
//
// By default a matrix lies whole in lane 0 and lane 0 alone works: no lane can see the difference, and it is
// several times faster. ASSAY_DISTRIBUTED_MATRICES spreads it over the lanes as Apple's GPUs do, for kernels
// that use thread_elements(). Results are the same bit for bit: sums run over k from 0 to 7 starting with the
// accumulator, products and sums are rounded to float, and the result is rounded to the element type of the
// destination.
#pragma once
#include "metal/eight.h"
#include "metal/synchronize.h"

namespace assay_msl {

/// Notes one matrix operation of this lane and what it is called with, which must be the same in every lane
/// of the simdgroup; the barriers compare, in checked mode.
#ifdef ASSAY_CHECKED
ASSAY_UNINSTRUMENTED static void count_matrix_operation(ulong first = 0, ulong second = 0) {
  ++assay_lane->matrix_operations;
  assay_lane->matrix_arguments = (assay_lane->matrix_arguments * 31 + first) * 31 + second;
}
/// Notes in lane 0 what its simdgroup does with matrices, for the counters. All lanes must be there.
ASSAY_UNINSTRUMENTED static void count_matrix_work(uint kind, uint line, const char* file) {
  if (assay_lane->index_in_simdgroup != 0) return;
  ++assay_lane->matrix_work[kind];
  assay_whole_simdgroup(line, file);
}
#else
ASSAY_INLINE void count_matrix_operation(ulong = 0, ulong = 0) {}
ASSAY_INLINE void count_matrix_work(uint, uint, const char*) {}
#endif

/// Where element (column 0, row 0) of a load or store lies, and how far apart columns and rows are, in
/// elements. The origin is (column, row) of the matrix as it is read, that is after the transpose.
struct matrix_place {
  long first, column_stride, row_stride;
  ASSAY_INLINE matrix_place(ulong elements_per_row, const ulong2& origin, bool transposed)
      : column_stride(transposed ? long(elements_per_row) : 1),
        row_stride(transposed ? 1 : long(elements_per_row)) {
    first = long(origin.x) * column_stride + long(origin.y) * row_stride;
  }
};

template <class T>
constexpr bool is_matrix_element = is_same_v<T, half> || is_same_v<T, bfloat> || is_same_v<T, float>;
template <class A, class B>
constexpr bool has_exact_products = is_same_v<A, half>&& is_same_v<B, half>;

}  // namespace assay_msl

#ifdef ASSAY_DISTRIBUTED_MATRICES
#include "metal/simdgroup_matrix_distributed.h"
#else
#include "metal/simdgroup_matrix_whole.h"
#endif

namespace assay_msl {

template <class T, int Rows, int Columns = Rows>
ASSAY_INLINE simdgroup_matrix<T, Rows, Columns> make_filled_simdgroup_matrix(T value) {
  simdgroup_matrix<T, Rows, Columns> r;
  r.fill(value);
  return r;
}
template <class T, class A, class B>
ASSAY_INLINE void simdgroup_multiply(simdgroup_matrix<T, 8, 8>& d, const simdgroup_matrix<A, 8, 8>& a,
                                     const simdgroup_matrix<B, 8, 8>& b, ASSAY_PLACE) {
  const simdgroup_matrix<T, 8, 8> zero = make_filled_simdgroup_matrix<T, 8, 8>(T(0));
  simdgroup_multiply_accumulate(d, a, b, zero, assay_line, assay_file);
}
template <class A, class B>
ASSAY_INLINE simdgroup_matrix<A, 8, 8> operator*(const simdgroup_matrix<A, 8, 8>& a,
                                                 const simdgroup_matrix<B, 8, 8>& b) {
  simdgroup_matrix<A, 8, 8> d;
  simdgroup_multiply(d, a, b);
  return d;
}

}  // namespace assay_msl

typedef assay_msl::simdgroup_matrix<float, 8, 8> simdgroup_float8x8;
typedef assay_msl::simdgroup_matrix<half, 8, 8> simdgroup_half8x8;
typedef assay_msl::simdgroup_matrix<bfloat, 8, 8> simdgroup_bfloat8x8;
