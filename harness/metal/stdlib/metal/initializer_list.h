// A list in braces as an argument: clang makes one of this name, a pointer and a length.
#pragma once
#include "metal/scalar_types.h"

namespace std {

template <class T>
class initializer_list {
 public:
  constexpr initializer_list() : first_(nullptr), length_(0) {}
  constexpr size_t size() const { return length_; }
  // Metal's are pointers to T, not to const T.
  constexpr T* begin() const { return const_cast<T*>(first_); }
  constexpr T* end() const { return begin() + length_; }

 private:
  constexpr initializer_list(const T* first, size_t length) : first_(first), length_(length) {}
  const T* first_;
  size_t length_;
};

}  // namespace std
