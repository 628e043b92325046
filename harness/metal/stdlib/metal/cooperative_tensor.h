// Cooperative tensors: matrices in the registers of the lanes that execute an operation.
//
// Apple promises no layout. This is the one of Apple's GPUs as public kernels rely on it: a fragment of 16x16
// has 8 elements in each lane, two runs of 4 that are 8 rows apart (docs/simulator.md, "Tensors").
#pragma once
#include "metal/integer.h"
#include "metal/simdgroup.h"
#include "metal/simdgroup_matrix.h"
#include "metal/tensor.h"

namespace assay_msl {

__attribute__((const)) ASSAY_UNINSTRUMENTED static uint simdgroup_of_threadgroup() {
  return assay_lane->simdgroup_index;
}

/// A fragment of 16x16: where the 8 elements of a lane lie, and who holds an element.
struct fragment {
  static constexpr int side = 16, elements = 8;
  static ASSAY_INLINE int row(uint lane, uint i) {
    return int((lane >> 2 & 4) | (lane >> 1 & 3)) + int(i / 4) * 8;
  }
  static ASSAY_INLINE int column(uint lane, uint i) {
    return int((lane >> 2 & 2) | (lane & 1)) * 4 + int(i % 4);
  }
  static ASSAY_INLINE uint holder(int row, int column) {
    const uint r = uint(row) % 8, run = uint(column) / 4;
    return (r & 4) << 2 | (run & 2) << 2 | (r & 3) << 1 | (run & 1);
  }
  static ASSAY_INLINE uint index(int row, int column) { return uint(row) / 8 * 4 + uint(column) % 4; }
};

/// A matrix in fragments, row by row of them. Several simdgroups have as many each, those that are first
/// belonging to the first.
template <int Rows, int Columns, int Simdgroups>
struct fragments_layout {
  static constexpr int simdgroups = Simdgroups;
  static constexpr int across = (Columns + fragment::side - 1) / fragment::side;
  static constexpr int all = (Rows + fragment::side - 1) / fragment::side * across;
  static constexpr int own = (all + Simdgroups - 1) / Simdgroups;
  static constexpr int capacity = own * fragment::elements;

  static ASSAY_INLINE int first_own() { return Simdgroups == 1 ? 0 : int(simdgroup_of_threadgroup()) * own; }
  static ASSAY_INLINE int row(int i) {
    return (first_own() + i / fragment::elements) / across * fragment::side +
           fragment::row(lane_in_simdgroup(), uint(i % fragment::elements));
  }
  static ASSAY_INLINE int column(int i) {
    return (first_own() + i / fragment::elements) % across * fragment::side +
           fragment::column(lane_in_simdgroup(), uint(i % fragment::elements));
  }
};

/// The whole matrix in every thread, row by row.
template <int Rows, int Columns>
struct whole_layout {
  static constexpr int simdgroups = 0;
  static constexpr int capacity = Rows * Columns;
  static ASSAY_INLINE int row(int i) { return i / Columns; }
  static ASSAY_INLINE int column(int i) { return i % Columns; }
};

// Checked mode: an element that nobody has given a value holds a NaN that nothing else makes. Whole numbers
// have none.
template <class T>
constexpr bool shows_unset = is_same_v<T, float> || is_same_v<T, half> || is_same_v<T, bfloat>;
template <class T>
ASSAY_INLINE auto unset_bits() {
  if constexpr (sizeof(T) == 4) {
    return 0xFFFE5EEDu;
  } else {
    return is_same_v<T, bfloat> ? ushort(0xFFED) : ushort(0xFEED);
  }
}
template <class T>
ASSAY_UNINSTRUMENTED void unset_all(T* elements, int count) {
  for (int i = 0; i < count; ++i) elements[i] = bits_as<T>(unset_bits<T>());
}
template <class Layout, class T>
ASSAY_UNINSTRUMENTED bool any_unset(const T* elements, int rows, int columns) {
  for (int i = 0; i < Layout::capacity; ++i) {
    const bool there = Layout::row(i) < rows && Layout::column(i) < columns;
    if (there && bits_as<decltype(unset_bits<T>())>(elements[i]) == unset_bits<T>()) return true;
  }
  return false;
}

/// Notes that this lane takes part in an operation on tensors. All lanes of the simdgroup do, or of all
/// simdgroups, with the same arguments; where there is none, each thread is by itself.
template <int Simdgroups>
ASSAY_INLINE void note_tensor_operation(ulong first, ulong second, uint line, const char* file) {
  if constexpr (Simdgroups != 0) count_matrix_operation(first, second);
#ifdef ASSAY_CHECKED
  if constexpr (Simdgroups > 1) assay_group_operation(uint(Simdgroups), first, line, file);
#else
  (void)line, (void)file;
#endif
}
template <class Element, class Extents, class Kind>
ASSAY_INLINE ulong lengths_of(const tensor<Element, Extents, Kind>& t) {
  return ulong(t.get_extent(0)) * 31 + ulong(t.get_extent(1)) + ulong(t.get_stride(1)) * 961;
}

/// Checked mode: reports a lane whose own elements, up to there, have not all been given values.
template <class Layout, class T>
ASSAY_INLINE void demand_values(const T* elements, int rows, int columns, uint line, const char* file) {
#ifdef ASSAY_CHECKED
  if constexpr (shows_unset<T>) {
    if (any_unset<Layout>(elements, rows, columns)) assay_no_value(line, file);
  }
#endif
  (void)elements, (void)rows, (void)columns, (void)line, (void)file;
}

/// A matrix of extents (columns, rows), as `Layout` spreads it. Made by matmul2d.
template <class Element, class Extents, class Layout>
class cooperative_tensor {
 public:
  typedef Element element_type;
  typedef Element value_type;
  typedef Extents extents_type;
  typedef typename Extents::index_type index_type;
  typedef Layout layout;
  typedef Element* iterator;
  typedef const Element* const_iterator;
  static constexpr int columns = int(Extents::static_extent(0)), rows = int(Extents::static_extent(1));

  ASSAY_INLINE cooperative_tensor() {
    if constexpr (shows_unset<Element>) unset_all(elements_, Layout::capacity);
  }

  /// How many elements each lane has. Some may lie outside of the matrix.
  static constexpr ushort get_capacity() { return Layout::capacity; }
  static constexpr size_t get_rank() { return 2; }
  static constexpr Extents get_extents() { return Extents(columns, rows); }
  ASSAY_INLINE bool is_valid_element(int i) const {
    return Layout::row(i) < rows && Layout::column(i) < columns;
  }
  /// (column, row).
  ASSAY_INLINE array<index_type, 2> get_multidimensional_index(int i) const {
    return {index_type(Layout::column(i)), index_type(Layout::row(i))};
  }
  template <class I>
  ASSAY_INLINE Element& operator[](I i) {
    return elements_[ASSAY_INDEX(Layout::capacity, i)];
  }
  template <class I>
  ASSAY_INLINE const Element& operator[](I i) const {
    return elements_[ASSAY_INDEX(Layout::capacity, i)];
  }
  ASSAY_INLINE Element* begin() { return elements_; }
  ASSAY_INLINE Element* end() { return elements_ + Layout::capacity; }
  ASSAY_INLINE const Element* begin() const { return elements_; }
  ASSAY_INLINE const Element* end() const { return elements_ + Layout::capacity; }
  ASSAY_INLINE Element* data() { return elements_; }
  ASSAY_INLINE const Element* data() const { return elements_; }

  /// Elements beyond the tensor's extents are zero.
  template <class From, class Lengths, class Kind>
  ASSAY_INLINE void load(const tensor<From, Lengths, Kind>& from, ASSAY_PLACE) {
    note_tensor_operation<Layout::simdgroups>(ulong(from.data()), lengths_of(from), assay_line, assay_file);
    copy_from(from);
  }
  /// Those are not stored.
  template <class To, class Lengths, class Kind>
  ASSAY_INLINE void store(const tensor<To, Lengths, Kind>& to, ASSAY_PLACE) const {
    note_tensor_operation<Layout::simdgroups>(ulong(to.data()), lengths_of(to), assay_line, assay_file);
    demand_values<Layout>(elements_, min(rows, int(to.get_extent(1))), min(columns, int(to.get_extent(0))),
                          assay_line, assay_file);
    copy_to(to);
  }

  template <class From, class Lengths, class Kind>
  ASSAY_INLINE void copy_from(const tensor<From, Lengths, Kind>& from) {
    for (int i = 0; i < Layout::capacity; ++i)
      elements_[i] = reaches(from, i) ? Element(from[get_multidimensional_index(i)]) : Element(0);
  }
  template <class To, class Lengths, class Kind>
  ASSAY_INLINE void copy_to(const tensor<To, Lengths, Kind>& to) const {
    for (int i = 0; i < Layout::capacity; ++i) {
      if (reaches(to, i)) to[get_multidimensional_index(i)] = To(elements_[i]);
    }
  }

 private:
  template <class Tensor>
  ASSAY_INLINE bool reaches(const Tensor& t, int i) const {
    static_assert(Tensor::rank() == 2, "assay: only tensors of two dimensions are supported here");
    return is_valid_element(i) && Layout::row(i) < int(t.get_extent(1)) &&
           Layout::column(i) < int(t.get_extent(0));
  }

  Element elements_[Layout::capacity];
};

}  // namespace assay_msl
