// Products of factors (tensor_operands.h): k ascending, behind what is accumulated to.
#pragma once
#include "metal/tensor_operands.h"

namespace assay_msl {

/// What sums are kept in: whole numbers are summed as such.
template <class A, class B, class D>
using accumulator_t = conditional_t<is_integral_v<A> && is_integral_v<B> && is_integral_v<D>, int, float>;
template <class Sum, class T>
ASSAY_INLINE Sum term(T x) {
  return Sum(flushed(x));
}

/// The elements that this lane has, in runs of four: two at a time, since they share factors. Elements that
/// are not there are computed with the factors of a neighbour, and dropped.
template <class Layout, bool accumulates, class T, class A, class B>
ASSAY_UNINSTRUMENTED void multiply_fragments(T* elements, const A& a, const B& b, int depth) {
  typedef accumulator_t<typename A::value_type, typename B::value_type, T> Sum;
  for (int f = 0; f < Layout::own && Layout::first_own() + f < Layout::all; ++f) {
    T* const own = elements + f * fragment::elements;
    const int row = Layout::row(f * fragment::elements), column = Layout::column(f * fragment::elements);
    const bool there = row < a.rows && column < b.columns;
    const int second = row + 8 < a.rows ? row + 8 : row;
    int columns[4];
    Sum sums[2][4];
    for (int i = 0; i < 4; ++i) {
      columns[i] = min(column + i, b.columns - 1);
      for (int run = 0; run < 2; ++run) sums[run][i] = accumulates ? term<Sum>(own[run * 4 + i]) : Sum(0);
    }
    for (int k = 0; there && k < depth; ++k) {
      const Sum x = term<Sum>(a.at(row, k)), y = term<Sum>(a.at(second, k));
      for (int i = 0; i < 4; ++i) {
        const Sum factor = term<Sum>(b.at(k, columns[i]));
        sums[0][i] = sums[0][i] + x * factor;
        sums[1][i] = sums[1][i] + y * factor;
      }
    }
    for (int i = 0; i < fragment::elements; ++i) {
      const bool inside = row + i / 4 * 8 < a.rows && column + i % 4 < b.columns;
      if (inside)
        own[i] = flushed(T(sums[i / 4][i % 4]));
      else if (!accumulates)
        own[i] = T(0);
    }
  }
}

/// The whole product in one thread, whose loads checked mode sees one by one.
template <int across, bool accumulates, class T, class A, class B>
ASSAY_INLINE void multiply_whole(T* elements, int rows, const A& a, const B& b, int depth) {
  typedef accumulator_t<typename A::value_type, typename B::value_type, T> Sum;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < across; ++column) {
      T& element = elements[row * across + column];
      const bool inside = row < a.rows && column < b.columns;
      Sum sum = accumulates ? term<Sum>(element) : Sum(0);
      for (int k = 0; inside && k < depth; ++k)
        sum = sum + term<Sum>(a.at(row, k)) * term<Sum>(b.at(k, column));
      if (inside || !accumulates) element = flushed(T(sum));
    }
  }
}

/// Notes in lane 0 what its simdgroup multiplies, in units of 8x8x8.
ASSAY_UNINSTRUMENTED static void count_products(int fragments, int simdgroups, int depth) {
#ifdef ASSAY_CHECKED
  if (lane_in_simdgroup() == 0 && depth > 0)
    assay_lane->matrix_work[ASSAY_MATRIX_MULTIPLY] += uint(fragments * 4 * ((depth + 7) / 8) / simdgroups);
#endif
  (void)fragments, (void)simdgroups, (void)depth;
}

}  // namespace assay_msl
