// Values on the way to what is right, as many as the sizes of a problem ask for.
#pragma once

#include "assay/reference/choices.h"

extern "C" {
/// Memory of a run of the reference; it ends the reference where there is too much of it. What was taken last
/// is given back first; all of it is, where a run ends.
void* assay_reference_take(unsigned long bytes);
void assay_reference_give_back();
}

namespace assay_reference {

/// Values<Number> scores(M, N); scores(m, n) = ... An index outside ends the reference, as one of an array
/// does.
template <class T>
class Values {
 public:
  template <class... Extents>
  explicit Values(Extents... extents) : extents_{static_cast<Index>(extents)...} {
    static_assert(sizeof...(extents) <= kMostAxes);
    axes_ = sizeof...(extents);
    for (unsigned i = 0; i < axes_; ++i) {
      if (extents_[i] < 0 || __builtin_mul_overflow(count_, extents_[i], &count_)) __builtin_trap();
    }
    unsigned long bytes;
    if (__builtin_mul_overflow(static_cast<unsigned long>(count_), sizeof(T), &bytes)) __builtin_trap();
    values_ = static_cast<T*>(assay_reference_take(bytes));
    for (Index i = 0; i < count_; ++i) values_[i] = T();
  }
  ~Values() { assay_reference_give_back(); }
  Values(const Values&) = delete;
  void operator=(const Values&) = delete;

  template <class... At>
  T& operator()(At... at) const {
    const Index indices[] = {static_cast<Index>(at)..., 0};
    if (sizeof...(at) != axes_) __builtin_trap();
    Index found = 0;
    for (unsigned i = 0; i < axes_; ++i) {
      if (indices[i] < 0 || indices[i] >= extents_[i]) __builtin_trap();
      found = found * extents_[i] + indices[i];
    }
    return values_[found];
  }

 private:
  static constexpr unsigned kMostAxes = 8;
  Index extents_[kMostAxes];
  unsigned axes_;
  Index count_ = 1;
  T* values_;
};

}  // namespace assay_reference
