// Declarations in threadgroup memory, in the places and shapes that Metal allows.
#include <metal_atomic>
#include <metal_stdlib>
using namespace metal;

#define TILE 4

struct Entry {
  uint key;
  half2 value;
};

template <typename T, int N>
struct Stack {
  T items[N];
  METAL_FUNC threadgroup T& at(ushort i) threadgroup { return items[i]; }
};

static uint sum_of(threadgroup uint (&values)[8]) {
  uint sum = 0;
  for (threadgroup uint* p = values; p != values + 8; ++p) sum += *p;
  return sum;
}

static uint first_row(threadgroup const uint (*rows)[TILE]) { return rows[0][0] + rows[1][TILE - 1]; }

// Writes one number for each way to declare; all 8 threads take part.
kernel void declarations(device uint* out, uint lane [[thread_index_in_threadgroup]]) {
  threadgroup uint a[8], b, *where = a, c[2][TILE];
  threadgroup uint d[8]; threadgroup uint e[8];
  threadgroup Entry entries[8];
  threadgroup struct { uint low, high; } halves[8];
  uint threadgroup f[8];
  volatile threadgroup uint g;
  alignas(16) threadgroup half h[8];
  threadgroup vec<uint, 4> i[2];
  threadgroup Stack<metal::vec<ushort, 2>, 8> j;
  threadgroup metal::atomic_uint counter;
  threadgroup atomic_uint histogram[2];
  threadgroup uint (*rows)[TILE] = c;
  threadgroup uint (&alias)[8] = a;

  where[lane] = lane;
  if (lane == 0) b = 100, g = 7, atomic_store_explicit(&counter, 0u, memory_order_relaxed);
  if (lane < 2) atomic_store_explicit(&histogram[lane], 0u, memory_order_relaxed);
  c[lane / TILE][lane % TILE] = 10 + lane;
  d[lane] = 2 * lane;
  e[lane] = 3 * lane;
  entries[lane] = {lane, half2(half(lane), 0.5h)};
  halves[lane] = {lane & 3, lane >> 2};
  f[lane] = 4 * lane;
  h[lane] = half(lane) / 2h;
  i[lane / 4][lane % 4] = 5 * lane;
  j.items[lane] = ushort2(lane, 1);
  threadgroup_barrier(mem_flags::mem_threadgroup);

  atomic_fetch_add_explicit(&counter, lane, memory_order_relaxed);
  atomic_fetch_add_explicit(&histogram[lane & 1], 1, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (lane >= 2) return;

  threadgroup uint late[2];  // behind a return that other threads take
  late[lane] = lane + 40;
  for (uint round = 0; round < 2; ++round) {
    threadgroup uint inner[2];  // in a loop: the same memory in each round
    if (round == 0) inner[lane] = 50 + lane;
    if (round == 1) out[16 + lane] = inner[lane];
  }
  if (lane != 0) return;
  const uint last = 7;
  out[0] = sum_of(a);
  out[1] = b + g;
  out[2] = first_row(c);
  out[3] = d[last];
  out[4] = e[last];
  out[5] = entries[last].key + uint(entries[last].value.y * 2);
  out[6] = halves[last].low * 10 + halves[last].high;
  out[7] = f[last];
  out[8] = uint(h[last] * 2);
  out[9] = i[1].w;
  out[10] = j.at(last).x + j.at(last).y;
  out[11] = atomic_load_explicit(&counter, memory_order_relaxed);
  out[12] = atomic_load_explicit(histogram + 1, memory_order_relaxed);
  out[13] = rows[1][3];
  out[14] = alias[last];
  out[15] = late[0];
}

// Sizes of [[threadgroup(n)]] arguments come from the launch; unnumbered ones count by themselves.
kernel void reverse(device float* data, threadgroup float* left, threadgroup float* right,
                    ushort lane [[thread_index_in_threadgroup]], ushort width [[threads_per_threadgroup]]) {
  left[lane] = data[lane];
  right[width - 1 - lane] = data[lane];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  data[lane] = left[lane] * 1000 + right[lane];
}
