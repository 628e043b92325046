// Counters to random bits, sorting networks, merges, searches, gathers and scatters.
#include <metal_stdlib>
using namespace metal;
static constexpr constant uint32_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
union rbits {
  uint2 val;
  uchar4 bytes[2];
};
rbits hash_of(const thread uint2& key, uint2 count) {
  uint4 ks = {key.x, key.y, key.x ^ key.y ^ 0x1BD11BDA};
  rbits v;
  v.val.x = count.x + ks[0];
  v.val.y = count.y + ks[1];
  for (int i = 0; i < 5; ++i) {
    for (auto r : rotations[i % 2]) {
      v.val.x += v.val.y;
      v.val.y = (v.val.y << r) | (v.val.y >> (32 - r));
      v.val.y ^= v.val.x;
    }
    v.val.x += ks[(i + 1) % 3];
    v.val.y += ks[(i + 2) % 3] + i + 1;
  }
  return v;
}
[[kernel]] void random_bits(device const uint32_t* keys, device char* out, constant const bool& odd, constant const uint& bytes_per_key,
                            uint2 grid_dim [[threads_per_grid]], uint2 index [[thread_position_in_grid]]) {
  auto kidx = 2 * index.x;
  auto key = uint2(keys[kidx], keys[kidx + 1]);
  auto half_size = grid_dim.y - odd;
  out += index.x * bytes_per_key;
  bool drop_last = odd && (index.y == half_size);
  auto bits = hash_of(key, uint2(index.y, drop_last ? 0 : index.y + grid_dim.y));
  size_t idx = size_t(index.y) << 2;
  for (int i = 0; i < 4; ++i) out[idx + i] = bits.bytes[0][i];
  if (!drop_last) {
    idx = (drop_last ? 0 : size_t(index.y) + grid_dim.y) << 2;
    for (int i = 0; i < 4 && idx + i < bytes_per_key; ++i) out[idx + i] = bits.bytes[1][i];
  }
}
struct philox {
  uint4 counter;
  uint2 key;
  static METAL_FUNC uint2 mulhilo(uint a, uint b) { return uint2(a * b, mulhi(a, b)); }
  METAL_FUNC uint4 operator()(int rounds = 10) {
    uint4 c = counter;
    uint2 k = key;
#pragma unroll
    for (int i = 0; i < rounds; ++i, k += uint2(0x9E3779B9, 0xBB67AE85)) {
      const uint2 a = mulhilo(0xD2511F53, c.x), b = mulhilo(0xCD9E8D57, c.z);
      c = uint4(b.y ^ c.y ^ k.x, b.x, a.y ^ c.w ^ k.y, a.x);
    }
    return c;
  }
};
kernel void normal_pairs(device float2* out [[buffer(0)]], constant long& seed [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  philox g{uint4(i, 0, 0, 0), uint2(seed, seed >> 32)};
  const uint4 bits = g();
  const float u = (bits.x >> 8) * 0x1.0p-24f + 0x1.0p-25f, v = float(bits.y) / 4294967296.0f;
  const float r = sqrt(-2.0f * log(u));
  float c, s = sincos(2.0f * M_PI_F * v, c);
  out[i] = r * float2(c, s);
}
template <typename T, bool ascending>
struct Less {
  static constexpr constant T init = ascending ? numeric_limits<T>::max() : numeric_limits<T>::lowest();
  METAL_FUNC bool operator()(T a, T b) const { return ascending ? a < b : a > b; }
};
template <typename T>
METAL_FUNC void thread_swap(thread T& a, thread T& b) {
  T w = a;
  a = b;
  b = w;
}
template <typename val_t, typename idx_t, bool ARG_SORT, short BLOCK_THREADS, short N, typename Compare>
struct BlockSort {
  using thread_vals = val_t[N];
  struct ThreadSort {
    static METAL_FUNC void sort(thread val_t (&vals)[N], thread idx_t (&idxs)[N]) {
      Compare op;
      for (short i = 0; i < N; ++i) {
        for (short j = i & 1; j < N - 1; j += 2) {
          if (op(vals[j + 1], vals[j])) {
            thread_swap(vals[j + 1], vals[j]);
            thread_swap(idxs[j + 1], idxs[j]);
          }
        }
      }
    }
  };
  static METAL_FUNC int merge_partition(const threadgroup val_t* As, const threadgroup val_t* Bs, short A_sz, short B_sz, short sort_md) {
    Compare op;
    short lo = max(0, sort_md - B_sz), hi = min(sort_md, A_sz);
    while (lo < hi) {
      const short md = lo + (hi - lo) / 2;
      if (op(Bs[sort_md - 1 - md], As[md])) {
        hi = md;
      } else {
        lo = md + 1;
      }
    }
    return hi;
  }
  static METAL_FUNC void sort(threadgroup val_t* tgp_vals [[threadgroup(0)]], threadgroup idx_t* tgp_idxs [[threadgroup(1)]], int size_sorted_axis, uint3 lid [[thread_position_in_threadgroup]]) {
    const short idx = lid.x * N;
    thread val_t vals[N];
    thread idx_t idxs[N];
    for (short i = 0; i < N; ++i) {
      vals[i] = tgp_vals[idx + i];
      if (ARG_SORT) idxs[i] = tgp_idxs[idx + i];
    }
    if (idx < size_sorted_axis) ThreadSort::sort(vals, idxs);
    for (short i = 0; i < N; ++i) tgp_vals[idx + i] = vals[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const int at = merge_partition(tgp_vals, tgp_vals + N, N, N, 3);
    if (ARG_SORT) tgp_idxs[idx] = at;
  }
};
template <typename T, typename U, bool ARG, short THREADS, short N>
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void block_sort(const device T* inp [[buffer(0)]], device U* out [[buffer(1)]], const constant int& size [[buffer(2)]], uint3 tid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  using sorter = BlockSort<T, uint, ARG, THREADS, N, Less<T, true>>;
  constexpr short NB = THREADS * N;
  threadgroup T tgp_vals[NB];
  if (ARG) {
    threadgroup uint tgp_idxs[NB];
    for (short i = lid.x; i < NB; i += THREADS) {
      tgp_vals[i] = i < size ? inp[tid.y * size + i] : T(Less<T, true>::init);
      tgp_idxs[i] = i;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sorter::sort(tgp_vals, tgp_idxs, size, lid);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int i = lid.x; i < size; i += THREADS) out[tid.y * size + i] = tgp_idxs[i];
  } else {
    for (short i = lid.x; i < NB; i += THREADS) tgp_vals[i] = i < size ? inp[tid.y * size + i] : T(Less<T, true>::init);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sorter::sort(tgp_vals, nullptr, size, lid);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int i = lid.x; i < size; i += THREADS) out[tid.y * size + i] = tgp_vals[i];
  }
}
template [[host_name("sort_float")]] [[kernel]] decltype(block_sort<float, float, false, 32, 4>) block_sort<float, float, false, 32, 4>;
template [[host_name("argsort_half")]] [[kernel]] decltype(block_sort<half, uint, true, 64, 2>) block_sort<half, uint, true, 64, 2>;

template <typename IdxT, int NIDX>
struct Indices {
  const array<const device IdxT*, NIDX> buffers;
  const constant int* shapes;
  const constant int64_t* strides;
  const int ndim;
};
template <typename IdxT>
METAL_FUNC size_t offset_neg_idx(IdxT idx, int size) {
  if (is_unsigned_v<IdxT>) {
    return idx;
  } else {
    return (idx < 0) ? idx + size : idx;
  }
}
template <typename T, typename IdxT, int NIDX>
METAL_FUNC void gather_impl(const device T* src, device T* out, const constant int* src_shape, const thread Indices<IdxT, NIDX>& indices, uint2 index) {
  size_t src_idx = 0;
  for (int i = 0; i < NIDX; ++i) src_idx += offset_neg_idx(indices.buffers[i][index.x], src_shape[i]) * indices.strides[i];
  out[index.x] = src[src_idx + index.y];
}
#define make_gather(n, IDX_ARG, IDX_ARR)                                                                                  \
  [[kernel]] void gather_##n(const device float* src [[buffer(0)]], device float* out [[buffer(1)]],                      \
                             const constant int* src_shape [[buffer(2)]], const constant int64_t* idx_strides [[buffer(3)]], \
                             IDX_ARG(int) uint2 index [[thread_position_in_grid]]) {                                      \
    Indices<int, n> idxs{{{IDX_ARR()}}, src_shape, idx_strides, 2};                                                       \
    return gather_impl<float, int, n>(src, out, src_shape, idxs, index);                                                  \
  }
#define IDX_ARG_1(idx_t) const device idx_t* idx0 [[buffer(20)]],
#define IDX_ARG_2(idx_t) IDX_ARG_1(idx_t) const device idx_t* idx1 [[buffer(21)]],
#define IDX_ARR_1() idx0
#define IDX_ARR_2() idx0, idx1
make_gather(1, IDX_ARG_1, IDX_ARR_1)
make_gather(2, IDX_ARG_2, IDX_ARR_2)
struct SumInto {
  template <typename T>
  void atomic_update(device atomic<T>* out, T val, size_t offset) { atomic_fetch_add_explicit(out + offset, val, memory_order_relaxed); }
};
template <typename T, typename Op>
kernel void scatter(const device T* updates [[buffer(0)]], device atomic<T>* out [[buffer(1)]], const device int* idx [[buffer(2)]], uint2 gid [[thread_position_in_grid]]) {
  Op op;
  op.atomic_update(out, updates[gid.x], idx[gid.x]);
}
template [[host_name("scatter_float")]] kernel void scatter<float, SumInto>(const device float*, device atomic<float>*, const device int*, uint2);
template [[host_name("scatter_int")]] kernel void scatter<int, SumInto>(const device int*, device atomic<int>*, const device int*, uint2);
constant const int N_LEVELS = 16;
kernel void bitonic(device int2* pairs [[buffer(0)]], constant uint2& stage [[buffer(1)]], uint tid [[thread_position_in_grid]]) {
  const uint span = 1u << (stage.x - stage.y), left = (tid % span) + (tid / span) * (span << 1), right = left + span;
  const int2 a = pairs[left], b = pairs[right];
  const bool swap = (a.x > b.x) != bool((left >> stage.x) & 1);
  pairs[left] = swap ? b : a;
  pairs[right] = swap ? a : b;
  if (tid >= N_LEVELS) return;
}
