// <metal_tensor>: extents, and tensors that a kernel makes of a pointer (tensor_inline).
//
// Extent 0 is the innermost one: a matrix of r rows and c columns has the extents (c, r).
#pragma once
#include "metal/array.h"

namespace assay_msl {

constexpr size_t dynamic_extent = ~size_t(0);
template <class T>
constexpr T dynamic_length_v = T(dynamic_extent);

/// How long a tensor is in each dimension; `dynamic_extent` stands for a length that is known at run time.
template <class Index, size_t... Lengths>
struct extents {
  typedef Index index_type;
  typedef size_t size_type;
  typedef size_t rank_type;

  static constexpr size_t rank() { return sizeof...(Lengths); }
  static constexpr size_t rank_dynamic() { return (size_t(Lengths == dynamic_extent) + ... + 0); }
  static constexpr size_t static_extent(size_t r) {
    constexpr size_t all[] = {Lengths...};
    return all[r];
  }
  constexpr Index extent(size_t r) const { return lengths[ASSAY_INDEX(rank(), r)]; }

  constexpr extents() = default;
  /// All lengths, or those that are not constant.
  template <class... Given, enable_if_t<(sizeof...(Given) > 0) && (sizeof...(Given) == rank() ||
                                                                   sizeof...(Given) == rank_dynamic()),
                                        int> = 0>
  constexpr extents(Given... given) {
    const Index all[] = {Index(given)...};
    size_t next = 0;
    for (size_t r = 0; r < rank(); ++r) {
      if (static_extent(r) != dynamic_extent) continue;
      lengths[r] = all[sizeof...(Given) == rank() ? r : next++];
    }
  }

  Index lengths[sizeof...(Lengths)] = {Index(Lengths == dynamic_extent ? 0 : Lengths)...};
};

template <class Index, size_t Rank, size_t... Lengths>
struct dynamic_extents : dynamic_extents<Index, Rank - 1, dynamic_extent, Lengths...> {};
template <class Index, size_t... Lengths>
struct dynamic_extents<Index, 0, Lengths...> {
  typedef extents<Index, Lengths...> type;
};
template <class Index, size_t Rank>
using dextents = typename dynamic_extents<Index, Rank>::type;

struct tensor_inline {};
struct tensor_handle {};

/// Elements in memory. Nothing is known of the memory's own size: what lies within the extents may be read
/// and written, and checked mode sees whether there is memory.
template <class Element, class Extents, class Kind = tensor_handle>
class tensor {
  static_assert(is_same_v<Kind, tensor_inline>,
                "assay: tensors that the host binds (tensor_handle) are not supported; "
                "make one of a pointer: tensor<..., tensor_inline>");

 public:
  typedef Element element_type;
  typedef remove_cv_t<Element> value_type;
  typedef Extents extents_type;
  typedef typename Extents::index_type index_type;

  static constexpr size_t get_rank() { return Extents::rank(); }
  static constexpr size_t rank() { return Extents::rank(); }

  /// Packed: each dimension follows the one before it.
  ASSAY_INLINE tensor(Element* data, const Extents& lengths) : data_(data), extents_(lengths) {
    long stride = 1;
    for (size_t r = 0; r < rank(); ++r) {
      strides_[r] = stride;
      stride *= long(lengths.extent(r));
    }
  }
  template <class Stride>
  ASSAY_INLINE tensor(Element* data, const Extents& lengths, const array<Stride, Extents::rank()>& strides)
      : data_(data), extents_(lengths) {
    for (size_t r = 0; r < rank(); ++r) strides_[r] = long(strides[r]);
  }

  ASSAY_INLINE const Extents& get_extents() const { return extents_; }
  ASSAY_INLINE index_type get_extent(size_t r) const { return extents_.extent(r); }
  template <size_t r>
  ASSAY_INLINE index_type get_extent() const {
    return extents_.extent(r);
  }
  ASSAY_INLINE long get_stride(size_t r) const { return strides_[r]; }
  template <size_t r>
  ASSAY_INLINE long get_stride() const {
    return strides_[r];
  }
  ASSAY_INLINE Element* data() const { return data_; }

  template <class I>
  ASSAY_INLINE Element& operator[](const array<I, Extents::rank()>& at) const {
    long offset = 0;
    for (size_t r = 0; r < rank(); ++r) offset += long(at[r]) * strides_[r];
    return data_[offset];
  }

  /// The tensor from there on: as far as this one goes, or, with extents of its own, as far as those say.
  template <size_t... Lengths, class... First>
  ASSAY_INLINE auto slice(First... first) const {
    static_assert(sizeof...(First) == rank(), "a slice begins at one index for each dimension");
    if constexpr (sizeof...(Lengths) == 0) {
      return slice_as<dextents<index_type, rank()>>(first...);
    } else {
      static_assert(sizeof...(Lengths) == rank(), "a slice has one extent for each dimension");
      return slice_as<extents<index_type, Lengths...>>(first...);
    }
  }

 private:
  template <class, class, class>
  friend class tensor;
  ASSAY_INLINE tensor() {}

  template <class Cut, class... First>
  ASSAY_INLINE tensor<Element, Cut, tensor_inline> slice_as(First... first) const {
    const long from[] = {long(first)...};
    tensor<Element, Cut, tensor_inline> cut;
    cut.data_ = data_;
    for (size_t r = 0; r < rank(); ++r) {
      cut.data_ += from[r] * strides_[r];
      cut.strides_[r] = strides_[r];
      cut.extents_.lengths[r] = Cut::static_extent(r) == dynamic_extent
                                    ? index_type(long(extents_.extent(r)) - from[r])
                                    : index_type(Cut::static_extent(r));
    }
    return cut;
  }

  Element* data_ = nullptr;
  Extents extents_;
  long strides_[Extents::rank()] = {};
};

template <class Element, class Index, size_t... Lengths>
tensor(Element*, extents<Index, Lengths...>) -> tensor<Element, extents<Index, Lengths...>, tensor_inline>;
template <class Element, class Index, size_t... Lengths, class Stride>
tensor(Element*, extents<Index, Lengths...>, array<Stride, sizeof...(Lengths)>)
    -> tensor<Element, extents<Index, Lengths...>, tensor_inline>;

}  // namespace assay_msl
