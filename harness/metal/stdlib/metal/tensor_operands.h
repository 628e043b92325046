// The factors of a product, in memory and in registers, read by row and column.
#pragma once
#include "metal/cooperative_tensor.h"

namespace assay_msl {

#ifdef ASSAY_CHECKED
constexpr bool kChecked = true;
#else
constexpr bool kChecked = false;
#endif

/// What the lanes of a simdgroup show one another: where their parts of the factors lie.
struct shown_inputs {
  const void *left, *right;
};
typedef const void* shown_inputs::*shown_side;

/// A factor in memory: element (r, c) lies at data[r * down + c * along]. Beyond its rows and columns are
/// zeros.
template <class T>
struct memory_operand {
  typedef T value_type;
  const T* data;
  long down, along;
  int rows, columns;

  ASSAY_INLINE T at(int row, int column) const { return data[row * down + column * along]; }

  // Any lane may read any element, so the simdgroup as a whole reads them all.
  ASSAY_INLINE void look(int read_rows, int read_columns, int simdgroups, uint line, const char* file) const {
#ifdef ASSAY_CHECKED
    if (lane_in_simdgroup() != 0 || read_rows <= 0 || read_columns <= 0) return;
    assay_check_tile(data, down * long(sizeof(T)), along * long(sizeof(T)), uint(read_rows),
                     uint(read_columns), sizeof(T), uint(simdgroups), line, file);
#else
    (void)read_rows, (void)read_columns, (void)simdgroups, (void)line, (void)file;
#endif
  }
  ASSAY_INLINE const void* own() const { return nullptr; }
  ASSAY_INLINE void take(const shown_inputs*, shown_side) {}
};

/// A factor in the registers of the lanes of a simdgroup.
template <class T, class Layout, bool turned>
struct register_operand {
  typedef T value_type;
  const T* lanes[ASSAY_SIMDGROUP_WIDTH];
  int rows, columns;

  ASSAY_INLINE T at(int row, int column) const {
    const uint r = uint(turned ? column : row), c = uint(turned ? row : column);
    const uint which = r / fragment::side * uint(Layout::across) + c / fragment::side;
    return lanes[fragment::holder(r % fragment::side, c % fragment::side)]
                [which * fragment::elements + fragment::index(r % fragment::side, c % fragment::side)];
  }
  ASSAY_INLINE void look(int, int, int, uint line, const char* file) const {
    const int r = turned ? columns : rows, c = turned ? rows : columns;
    demand_values<Layout>(lanes[0], r, c, line, file);
  }
  ASSAY_INLINE const void* own() const { return lanes[0]; }
  ASSAY_INLINE void take(const shown_inputs* all, shown_side side) {
    for (uint i = 0; i < ASSAY_SIMDGROUP_WIDTH; ++i) lanes[i] = static_cast<const T*>(all[i].*side);
  }
};

/// A factor in the registers of one thread.
template <class T, int across, bool turned>
struct own_operand {
  typedef T value_type;
  const T* elements;
  int rows, columns;

  ASSAY_INLINE T at(int row, int column) const {
    return turned ? elements[column * across + row] : elements[row * across + column];
  }
};

/// As far as the tensor and the tile go, `rows` x `columns`, either of which may be left open. `turned`: the
/// tensor's rows are columns here.
template <bool turned, class Element, class Extents, class Kind>
ASSAY_INLINE auto operand_for(const tensor<Element, Extents, Kind>& t, int rows, int columns) {
  static_assert(Extents::rank() == 2,
                "assay: matmul2d of tensors that have not two dimensions is not supported");
  constexpr size_t along = turned ? 1 : 0, down = turned ? 0 : 1;
  const auto within = [](int there, int tile) { return max(tile < 0 ? there : min(there, tile), 0); };
  return memory_operand<remove_cv_t<Element>>{t.data(), t.get_stride(down), t.get_stride(along),
                                              within(int(t.get_extent(down)), rows),
                                              within(int(t.get_extent(along)), columns)};
}
template <bool turned, class Element, class Extents, class Layout>
ASSAY_INLINE auto operand_for(const cooperative_tensor<Element, Extents, Layout>& t, int, int) {
  typedef cooperative_tensor<Element, Extents, Layout> Tensor;
  constexpr int rows = turned ? Tensor::columns : Tensor::rows,
                columns = turned ? Tensor::rows : Tensor::columns;
  if constexpr (Layout::simdgroups == 0) {
    return own_operand<Element, Tensor::columns, turned>{t.data(), rows, columns};
  } else {
    return register_operand<Element, Layout, turned>{{t.data()}, rows, columns};
  }
}

/// What all lanes must agree on.
template <class Element, class Extents, class Kind>
ASSAY_INLINE ulong input_number(const tensor<Element, Extents, Kind>& t) {
  return ulong(t.data()) * 31 + lengths_of(t);
}
template <class Element, class Extents, class Layout>
ASSAY_INLINE ulong input_number(const cooperative_tensor<Element, Extents, Layout>&) {
  return 1;
}

}  // namespace assay_msl
