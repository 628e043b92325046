// A namespace of the kernel's that goes on in the kernel's file, and traits put into the library's own.
#pragma once
#include <metal_stdlib>

#pragma METAL internals : enable  // names of the library's own
namespace metal {
template <typename... Anything>
using void_t = void;
template <typename Kind>
struct is_empty : metal::bool_constant<__is_empty(Kind)> {};
template <typename T>
constexpr constant bool is_whole_number = is_integral_v<remove_cv_t<T>>;

enum class harvest { none, wheat = 3, rye };

class basket {
 public:
  basket() thread = default;
  basket(int apples) thread : apples_(apples) {}
  static int with(int apples, thread const basket &other) { return apples + other.apples_; }
  template <typename T>
  T weigh(T each) const thread {
    return T(apples_) * each;
  }

 private:
  int apples_;
};
}  // namespace metal
#pragma METAL internals : disable  // and no longer

namespace farm {
namespace fields {
template <typename T>
struct Field {
  T width, length;
  T area() const { return width * length; }
};
}  // namespace fields
}  // namespace farm
