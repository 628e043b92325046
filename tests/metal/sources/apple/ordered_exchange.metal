// refused, line 7: an atomic operation with an order other than memory_order_relaxed
#include <metal_stdlib>
using namespace metal;
kernel void take(device atomic_uint* lock, device uint* out) {
  uint free = 0;
  // Success is relaxed, failure is not.
  while (!atomic_compare_exchange_weak_explicit(lock, &free, 1u, memory_order_relaxed, memory_order_acquire)) free = 0;
  out[0] = 1;
}
