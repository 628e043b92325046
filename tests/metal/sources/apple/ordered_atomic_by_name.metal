// refused, line 7: an atomic operation with an order other than memory_order_relaxed
#include <metal_stdlib>
using namespace metal;
template <memory_order order>
static void leave(device atomic_int* counter) {
  // The order comes from the caller.
  atomic_store_explicit(counter, 0, order);
}
kernel void leave_all(device atomic_int* counter) { leave<memory_order_release>(counter); }
