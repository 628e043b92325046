// Simdgroup matrices that lie whole in lane 0's object. Included by simdgroup_matrix.h.
#pragma once

namespace assay_msl {

// The work itself: once per type in the text of a kernel, however many calls there are, and without the
// checker's hooks, which see the access as a whole (assay_check_matrix).

template <class T>
ASSAY_UNINSTRUMENTED void whole_load(float* to, const T* from, long row_stride, bool transposed) {
  eight row[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) row[i] = load_eight(from + i * row_stride);
  if (transposed) transpose_eights(row);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) reinterpret_cast<eight*>(to)[i] = row[i];
}

template <class T>
ASSAY_UNINSTRUMENTED void whole_store(const float* from, T* to, long row_stride, bool transposed) {
  eight row[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) row[i] = reinterpret_cast<const eight*>(from)[i];
  if (transposed) transpose_eights(row);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) store_eight(to + i * row_stride, row[i]);
}

/// d = round to T (a * b + c); d may be any of the others. `flush_*`: those hold halves that are flushed.
template <class T, bool exact_products, bool flush_a, bool flush_b, bool flush_c>
ASSAY_UNINSTRUMENTED void whole_multiply_accumulate(float* d, const float* a, const float* b,
                                                    const float* c) {
  eight sum[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) sum[i] = flushed_halves<flush_c>(reinterpret_cast<const eight*>(c)[i]);
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) {
    const eight row = flushed_halves<flush_b>(reinterpret_cast<const eight*>(b)[k]);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      const float factor = flushed_as_half<flush_a>(a[i * 8 + k]);
      sum[i] = multiply_add_eight<exact_products>(factor, row, sum[i]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    reinterpret_cast<eight*>(d)[i] = flushed_halves<flushed_here<T>>(round_eight<T>(sum[i]));
  }
}

ASSAY_UNINSTRUMENTED static void whole_fill(float* to, float value, bool diagonal) {
  for (int i = 0; i < 64; ++i) to[i] = !diagonal || i % 9 == 0 ? value : 0;
}

template <class T, int Rows, int Columns>
struct alignas(64) simdgroup_matrix {
  static_assert(Rows == 8 && Columns == 8, "simdgroup matrices are 8x8");
  static_assert(is_matrix_element<T>, "invalid element type 'T' for 'simdgroup_matrix': half, bfloat or float");
  float v[64];  ///< row-major, in lane 0; the other lanes' stay as they are

  ASSAY_INLINE simdgroup_matrix() {  // what was never set must show
    if (lane_in_simdgroup() == 0) whole_fill(v, __builtin_nanf(""), false);
  }
  ASSAY_INLINE explicit simdgroup_matrix(T diagonal) {
    count_matrix_operation(as_type<uint>(float(diagonal)));
    if (lane_in_simdgroup() == 0) whole_fill(v, float(diagonal), true);
  }
  ASSAY_INLINE simdgroup_matrix(const simdgroup_matrix& other) { *this = other; }
  ASSAY_INLINE simdgroup_matrix& operator=(const simdgroup_matrix& other) {
    count_matrix_operation();
    if (lane_in_simdgroup() == 0) __builtin_memmove(v, other.v, sizeof v);
    return *this;
  }
  ASSAY_INLINE void fill(T value) {
    count_matrix_operation(as_type<uint>(float(value)));
    if (lane_in_simdgroup() == 0) whole_fill(v, float(value), false);
  }
};

template <class T, class U>
ASSAY_INLINE void simdgroup_load(simdgroup_matrix<T, 8, 8>& m, const U* source, ulong elements_per_row = 8,
                                 ulong2 origin = 0, bool transpose = false, ASSAY_PLACE) {
  const U* first = source + matrix_place(elements_per_row, origin, transpose).first;
  count_matrix_operation(ulong(first), elements_per_row * 2 + transpose);
  if (lane_in_simdgroup() != 0) return;
  count_matrix_work(ASSAY_MATRIX_LOAD, assay_line, assay_file);
#ifdef ASSAY_CHECKED
  assay_check_matrix(first, long(elements_per_row * sizeof(U)), sizeof(U), 0, assay_line, assay_file);
#endif
  whole_load(m.v, first, long(elements_per_row), transpose);
}

template <class T, class U>
ASSAY_INLINE void simdgroup_store(const simdgroup_matrix<T, 8, 8>& m, U* target, ulong elements_per_row = 8,
                                  ulong2 origin = 0, bool transpose = false, ASSAY_PLACE) {
  U* first = target + matrix_place(elements_per_row, origin, transpose).first;
  count_matrix_operation(ulong(first), elements_per_row * 2 + transpose);
  if (lane_in_simdgroup() != 0) return;
  count_matrix_work(ASSAY_MATRIX_STORE, assay_line, assay_file);
#ifdef ASSAY_CHECKED
  assay_check_matrix(first, long(elements_per_row * sizeof(U)), sizeof(U), 1, assay_line, assay_file);
#endif
  whole_store(m.v, first, long(elements_per_row), transpose);
}

/// d = a * b + c.
template <class T, class A, class B, class C>
ASSAY_INLINE void simdgroup_multiply_accumulate(simdgroup_matrix<T, 8, 8>& d,
                                                const simdgroup_matrix<A, 8, 8>& a,
                                                const simdgroup_matrix<B, 8, 8>& b,
                                                const simdgroup_matrix<C, 8, 8>& c, ASSAY_PLACE) {
  count_matrix_operation();
  if (lane_in_simdgroup() != 0) return;
  count_matrix_work(ASSAY_MATRIX_MULTIPLY, assay_line, assay_file);
  whole_multiply_accumulate<T, has_exact_products<A, B>, flushed_here<A>, flushed_here<B>, flushed_here<C>>(
      d.v, a.v, b.v, c.v);
}

}  // namespace assay_msl
