// Namespaces that are opened again: the kernel's over two files, and the library's own.
#include "parts/fields.h"
using namespace metal;

namespace farm {
namespace fields {
template <typename T>
METAL_FUNC T fence(Field<T> field) {
  return 2 * (field.width + field.length);
}
struct Nothing {};
template <typename T, typename = void_t<>>
struct Yield {
  static constexpr constant int value = is_empty<T>::value ? 1 : 2;
};
}  // namespace fields
}  // namespace farm
using namespace farm::fields;

[[kernel]] void count_harvest(device int *out [[buffer(0)]], device const int *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]]) {
  const Field<int> field = {in[i], 4};
  basket empty, full(in[i]);
  empty = basket(2);
  out[4 * i] = field.area() * 100 + fence(field);
  out[4 * i + 1] = int(in[i] > 2 ? harvest::rye : harvest::wheat) + 10 * int(harvest::none);
  out[4 * i + 2] = Yield<Nothing>::value * 10 + Yield<Field<int>>::value + (is_whole_number<const short> ? 100 : 0) +
                   (is_whole_number<half> ? 1000 : 0) + (is_same_v<void_t<int, half>, void> ? 2000 : 0);
  out[4 * i + 3] = basket::with(5, empty) * 100 + int(full.weigh(1.5f));
}
