// A product by tiles: nested namespaces, loaders, blocks with static members, traits of accumulators.
#include <metal_stdlib>
#include <metal_simdgroup>
#include <metal_simdgroup_matrix>
#define ALWAYS_INLINE __attribute__((always_inline))
#define FULL_UNROLL _Pragma("clang loop unroll(full)")
using namespace metal;

namespace forge {
namespace tiles {

template <typename T>
struct accumulator {
  using type = T;
};
template <>
struct accumulator<half> {
  using type = float;
};
template <typename T>
using accumulator_t = typename accumulator<T>::type;

struct Shape {
  int rows;
  int columns;
  int depth;
  int lda;
  int ldb;
  int ldc;
};

template <typename T, short kRows, short kColumns, short kStride, short kThreads, bool kByRows = true>
struct Loader {
  static constexpr constant short kVector = (kRows * kColumns) / kThreads;
  static constexpr constant short kPerRow = kColumns / kVector;
  static constexpr constant short kRowsATime = kThreads / kPerRow;
  const int ld;
  const int step;
  const short thread_idx;
  const short row;
  const short column;
  threadgroup T* to;
  const device T* from;

  struct alignas(sizeof(T)) Chunk {
    T values[kVector];
  };

  METAL_FUNC Loader(const device T* src, const int ld_, threadgroup T* dst,
                    ushort simd_group_id [[simdgroup_index_in_threadgroup]],
                    ushort simd_lane_id [[thread_index_in_simdgroup]])
      : ld(ld_),
        step(kByRows ? kColumns : kRows * ld_),
        thread_idx(simd_group_id * 32 + simd_lane_id),
        row(thread_idx / kPerRow),
        column(kVector * (thread_idx % kPerRow)),
        to(dst + row * kStride + column),
        from(src + row * ld + column) {}

  METAL_FUNC void whole() const {
    FULL_UNROLL
    for (short i = 0; i < kRows; i += kRowsATime) {
      *((threadgroup Chunk*)(&to[i * kStride])) = *((const device Chunk*)(&from[i * ld]));
    }
  }

  METAL_FUNC void within(short2 limits) const {
    limits = limits - short2(column, row);
    if (limits.x <= 0 || limits.y <= 0) {
      FULL_UNROLL
      for (short i = 0; i < kRows; i += kRowsATime) {
        FULL_UNROLL
        for (short j = 0; j < kVector; j++) to[i * kStride + j] = T(0);
      }
      return;
    }
    bool inside[kVector];
    T value[kVector];
    FULL_UNROLL
    for (short i = 0; i < kRows; i += kRowsATime) {
      FULL_UNROLL
      for (short j = 0; j < kVector; j++) inside[j] = (i < limits.y) && (j < limits.x);
      FULL_UNROLL
      for (short j = 0; j < kVector; j++) value[j] = from[inside[j] ? i * ld + j : 0];
      FULL_UNROLL
      for (short j = 0; j < kVector; j++) value[j] = inside[j] ? value[j] : T(0);
      FULL_UNROLL
      for (short j = 0; j < kVector; j++) to[i * kStride + j] = value[j];
    }
  }

  METAL_FUNC void next() { from += step; }
};

template <typename T, typename U = T>
struct Identity {
  static METAL_FUNC U apply(T x) { return static_cast<U>(x); }
  static METAL_FUNC U apply(T x, T) { return static_cast<U>(x); }
};
template <typename T, typename U = T>
struct Axpby {
  const float alpha;
  const float beta;
  METAL_FUNC Axpby(const float a, const float b) : alpha(a), beta(b) {}
  METAL_FUNC U apply(T x, U c) const { return static_cast<U>(x * alpha + (beta * c)); }
};

template <typename T, typename U, int BM, int BN, int BK, int WM, int WN, typename AccumType = accumulator_t<T>,
          typename Epilogue = Identity<AccumType, U>>
struct Multiplier {
  static constexpr constant int kTM = BM / (WM * 8);
  static constexpr constant int kTN = BN / (WN * 8);
  typedef simdgroup_matrix<AccumType, 8, 8> matrix_t;
  matrix_t a[kTM];
  matrix_t b[kTN];
  matrix_t c[kTM * kTN] = {make_filled_simdgroup_matrix<AccumType, 8, 8>(AccumType(0))};
  const short tm;
  const short tn;

  METAL_FUNC Multiplier(ushort group, ushort) : tm(8 * (group / WN)), tn(8 * (group % WN)) {
    FULL_UNROLL
    for (int i = 0; i < kTM * kTN; i++) c[i] = matrix_t(AccumType(0));
  }

  METAL_FUNC void operator()(const threadgroup T* as, const threadgroup T* bs) {
    FULL_UNROLL
    for (short k = 0; k < BK; k += 8) {
      FULL_UNROLL
      for (short i = 0; i < kTM; i++) load(a[i], as + (tm + i * WM * 8) * BK + k, BK);
      FULL_UNROLL
      for (short j = 0; j < kTN; j++) load(b[j], bs + k * BN + tn + j * WN * 8, BN);
      simdgroup_barrier(mem_flags::mem_none);
      FULL_UNROLL
      for (short i = 0; i < kTM; i++) {
        FULL_UNROLL
        for (short j = 0; j < kTN; j++) {
          const short serpentine = (i % 2) ? (kTN - 1 - j) : j;
          simdgroup_multiply_accumulate(c[i * kTN + serpentine], a[i], b[serpentine], c[i * kTN + serpentine]);
        }
      }
    }
  }

  static METAL_FUNC void load(thread matrix_t& m, const threadgroup T* p, const int ld) {
    const ushort lane = __metal_get_thread_index_in_simdgroup(ushort());
    const short qid = lane / 4;
    const short row = (qid & 4) + (lane / 2) % 4;
    const short column = (qid & 2) * 2 + (lane % 2) * 2;
    m.thread_elements()[0] = static_cast<AccumType>(p[row * ld + column]);
    m.thread_elements()[1] = static_cast<AccumType>(p[row * ld + column + 1]);
  }

  METAL_FUNC void store(device U* d, const int ldd, ushort lane) const {
    const short qid = lane / 4;
    const short row = (qid & 4) + (lane / 2) % 4;
    const short column = (qid & 2) * 2 + (lane % 2) * 2;
    FULL_UNROLL
    for (short i = 0; i < kTM; i++) {
      FULL_UNROLL
      for (short j = 0; j < kTN; j++) {
        thread const auto& accum = c[i * kTN + j].thread_elements();
        const int offset = (tm + i * WM * 8 + row) * ldd + tn + j * WN * 8 + column;
        U outs[2] = {Epilogue::apply(accum[0]), Epilogue::apply(accum[1])};
        d[offset] = outs[0];
        d[offset + 1] = outs[1];
      }
    }
  }
};

}  // namespace tiles
}  // namespace forge

using namespace forge::tiles;

template <typename T, int BM, int BN, int BK, int WM, int WN, bool aligned_m, bool aligned_n>
[[kernel, max_total_threads_per_threadgroup(WM * WN * 32)]] void tiled_product(
    const device T* A [[buffer(0)]],
    const device T* B [[buffer(1)]],
    device T* C [[buffer(2)]],
    const constant Shape* shape [[buffer(3)]],
    const constant int* batch_strides [[buffer(4)]],
    uint3 tid [[threadgroup_position_in_grid]],
    uint simd_group_id [[simdgroup_index_in_threadgroup]],
    uint simd_lane_id [[thread_index_in_simdgroup]],
    uint3 lid [[thread_position_in_threadgroup]]) {
  (void)lid;
  threadgroup T as[BM * BK];
  threadgroup T bs[BK * BN];
  A += size_t(tid.z) * batch_strides[0] + size_t(tid.y) * BM * shape->lda;
  B += size_t(tid.z) * batch_strides[1] + size_t(tid.x) * BN;
  C += size_t(tid.z) * batch_strides[2] + size_t(tid.y) * BM * shape->ldc + size_t(tid.x) * BN;
  using loader_a_t = Loader<T, BM, BK, BK, WM * WN * 32, true>;
  using loader_b_t = Loader<T, BK, BN, BN, WM * WN * 32, false>;
  thread loader_a_t loader_a(A, shape->lda, as, simd_group_id, simd_lane_id);
  thread loader_b_t loader_b(B, shape->ldb, bs, simd_group_id, simd_lane_id);
  thread Multiplier<T, T, BM, BN, BK, WM, WN> op(simd_group_id, simd_lane_id);
  const short m_left = aligned_m ? BM : min(BM, int(shape->rows - tid.y * BM));
  const short n_left = aligned_n ? BN : min(BN, int(shape->columns - tid.x * BN));
  for (int k = 0; k < shape->depth / BK; k++) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (aligned_m) {
      loader_a.whole();
    } else {
      loader_a.within(short2(BK, m_left));
    }
    if (aligned_n) {
      loader_b.whole();
    } else {
      loader_b.within(short2(n_left, BK));
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    op(as, bs);
    loader_a.next();
    loader_b.next();
  }
  threadgroup_barrier(mem_flags::mem_none);
  op.store(C, shape->ldc, simd_lane_id);
}

// clang-format off
#define instantiate(tname, type, bm, bn, bk, wm, wn, am, an) \
  template [[host_name("product_" #tname "_bm" #bm "_bn" #bn "_bk" #bk "_wm" #wm "_wn" #wn "_" #am #an)]] \
  [[kernel]] void tiled_product<type, bm, bn, bk, wm, wn, am, an>( \
      const device type* A [[buffer(0)]], \
      const device type* B [[buffer(1)]], \
      device type* C [[buffer(2)]], \
      const constant Shape* shape [[buffer(3)]], \
      const constant int* batch_strides [[buffer(4)]], \
      uint3 tid [[threadgroup_position_in_grid]], \
      uint simd_group_id [[simdgroup_index_in_threadgroup]], \
      uint simd_lane_id [[thread_index_in_simdgroup]], \
      uint3 lid [[thread_position_in_threadgroup]]);
#define instantiate_aligned(tname, type, bm, bn, bk, wm, wn) \
  instantiate(tname, type, bm, bn, bk, wm, wn, true, true) \
  instantiate(tname, type, bm, bn, bk, wm, wn, false, false)
#define instantiate_blocks(tname, type) instantiate_aligned(tname, type, 32, 32, 16, 2, 2)
instantiate_blocks(float16, half);
instantiate_blocks(float32, float);
// clang-format on
