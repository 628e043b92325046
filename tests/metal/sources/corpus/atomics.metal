// Atomics of every type and every operation, in device and threadgroup memory.
#include <metal_stdlib>
#include <metal_atomic>
using namespace metal;
template <typename T>
static void add_into(device atomic<T>* to, T x) {
  atomic_fetch_add_explicit(to, x, memory_order_relaxed);
}
template <typename T>
using mlike_atomic = metal::atomic<T>;
static inline void max_of_float(device atomic_uint* to, float x) {
  uint bits = as_type<uint>(x);
  uint old = atomic_load_explicit(to, memory_order_relaxed);
  while (as_type<float>(old) < x && !atomic_compare_exchange_weak_explicit(to, &old, bits, memory_order_relaxed, memory_order_relaxed));
}
union packed_half {
  uint word;
  half parts[2];
};
template <typename T, typename = enable_if_t<sizeof(T) == 2>>
METAL_FUNC void add_half(device atomic<uint>* base, T value, size_t index) {
  device atomic<uint>* at = base + index / 2;
  uint expected = atomic_load_explicit(at, memory_order_relaxed);
  packed_half next;
  do {
    next.word = expected;
    next.parts[index % 2] += value;
  } while (!atomic_compare_exchange_weak_explicit(at, &expected, next.word, memory_order_relaxed, memory_order_relaxed));
}
kernel void histogram(device const uchar* in [[buffer(0)]], device atomic_uint* bins [[buffer(1)]],
                      device atomic_int* lows [[buffer(2)]], device metal::atomic_float* sums [[buffer(3)]],
                      device atomic<float>* more [[buffer(4)]], device atomic_ulong* wide [[buffer(5)]],
                      device _atomic<uint>* old_name [[buffer(6)]], volatile device atomic_uint* loud [[buffer(7)]],
                      device atomic_bool* flag [[buffer(8)]], uint i [[thread_position_in_grid]],
                      uint lid [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint local[256];
  threadgroup atomic_int count;
  if (lid == 0) atomic_store_explicit(&count, 0, memory_order_relaxed);
  for (uint k = lid; k < 256; k += 32) atomic_store_explicit(&local[k], 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&local[in[i]], 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&count, 1, memory_order::memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint k = lid; k < 256; k += 32)
    atomic_fetch_add_explicit(&bins[k], atomic_load_explicit(&local[k], memory_order_relaxed), memory_order_relaxed);
  atomic_fetch_min_explicit(&lows[0], int(in[i]), memory_order_relaxed);
  atomic_fetch_max_explicit(lows + 1, int(in[i]), memory_order_relaxed);
  atomic_fetch_sub_explicit(lows + 2, 1, memory_order_relaxed);
  atomic_fetch_and_explicit(bins + 256, 0xFFu, memory_order_relaxed);
  atomic_fetch_or_explicit(bins + 257, 1u << (i % 32), memory_order_relaxed);
  atomic_fetch_xor_explicit(bins + 258, 3u, memory_order_relaxed);
  uint was = atomic_exchange_explicit(bins + 259, i, memory_order_relaxed);
  atomic_fetch_add_explicit(sums, float(was), memory_order_relaxed);
  atomic_fetch_sub_explicit(sums, 1.0f, memory_order_relaxed);
  add_into<float>(more, 0.5f);
  max_of_float(bins + 260, float(i));
  add_half<half>(bins + 300, 1.0h, i);
  atomic_min_explicit(wide, ulong(i), memory_order_relaxed);
  atomic_max_explicit(wide + 1, (ulong)i << 32, memory_order_relaxed);
  atomic_fetch_add_explicit(old_name, 1u, memory_order_relaxed);
  atomic_fetch_add_explicit(loud, 1u, memory_order_relaxed);
  atomic_store_explicit(flag, true, memory_order_relaxed);
  device atomic_uint& one = bins[400];
  atomic_fetch_add_explicit(&one, 1u, metal::memory_order_relaxed);
  device mlike_atomic<int>* cast = (device mlike_atomic<int>*)bins;
  atomic_store_explicit(cast + 401, int(i), memory_order_relaxed);
}
kernel void last_block(device atomic_uint& done [[buffer(0)]], device float* partial [[buffer(1)]], device float* out [[buffer(2)]],
                       constant uint& blocks [[buffer(3)]], uint g [[threadgroup_position_in_grid]],
                       uint lid [[thread_position_in_threadgroup]]) {
  threadgroup bool is_last;
  if (lid == 0) {
    partial[g] = float(g);
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
    is_last = atomic_fetch_add_explicit(&done, 1u, memory_order_relaxed) == blocks - 1;
  }
  threadgroup_barrier(mem_flags::mem_device_and_threadgroup);
  if (is_last && lid == 0) out[0] = partial[0];
}
