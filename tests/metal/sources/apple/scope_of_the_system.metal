// loads
#pragma METAL internals : enable
#include <metal_stdlib>
namespace metal {
constexpr constant metal::thread_scope thread_scope_system = static_cast<thread_scope>(3);
}
kernel void flush(device uint* all, uint at [[thread_position_in_grid]]) {
  all[at] = 1;
  metal::atomic_thread_fence(metal::mem_flags::mem_device, metal::memory_order_seq_cst, metal::thread_scope_system);
}
