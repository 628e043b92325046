// Idioms of MLX's matrix kernels, as they are once their address spaces are erased: block loaders that copy
// through byte vectors, fragments reached by thread_elements(), integral constants, quantised dot products of
// packed words, traits and limits, bfloat next to float, device-wide atomics.
#define assay_msl \
  assay_msl_mlx  // a library of its own: its matrices are other types than those of the other units
#define ASSAY_DISTRIBUTED_MATRICES
#include "assay/metal.h"
#include "tests/metal_stdlib/units/check.h"

#define STEEL_CONST static constexpr const
#define STEEL_PRAGMA_UNROLL _Pragma("GCC unroll 16")
#define MLX_MTL_CONST static constexpr const

typedef bfloat bfloat16_t;
typedef half float16_t;

// What MLX adds to namespace metal itself: the stand-in must leave these names free.
namespace metal {
template <typename T>
struct is_empty : metal::bool_constant<__is_empty(T)> {};
template <typename... Ts>
struct make_void {
  typedef void type;
};
template <typename... Ts>
using void_t = typename make_void<Ts...>::type;
template <class T>
struct is_static : metal::bool_constant<is_empty<remove_cv_t<T>>::value> {};
}  // namespace metal

using namespace metal;

template <typename U>
struct Limits {
  static const U max, min, finite_max, finite_min;
};
#define instantiate_float_limit(type)                                             \
  template <>                                                                     \
  struct Limits<type> {                                                           \
    static constexpr const type max = metal::numeric_limits<type>::infinity();    \
    static constexpr const type min = -metal::numeric_limits<type>::infinity();   \
    static constexpr const type finite_max = metal::numeric_limits<type>::max();  \
    static constexpr const type finite_min = -metal::numeric_limits<type>::max(); \
  };
instantiate_float_limit(half);
instantiate_float_limit(float);
instantiate_float_limit(bfloat16_t);

struct complex64_t {
  float real;
  float imag;
  constexpr complex64_t(float r, float i) : real(r), imag(i) {}
  constexpr complex64_t() : real(0), imag(0) {}
  template <typename T,
            typename = typename enable_if<!is_same_v<T, complex64_t> && is_convertible_v<T, float>>::type>
  constexpr complex64_t(T x) : real(x), imag(0) {}
};
constexpr complex64_t operator*(complex64_t a, complex64_t b) {
  return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}
inline complex64_t exp(complex64_t x) {
  return {metal::exp(x.real) * metal::precise::cos(x.imag), metal::exp(x.real) * metal::sin(x.imag)};
}

template <typename T, typename U>
struct TransformNone {
  static METAL_FUNC T apply(U x) { return static_cast<T>(x); }
  static METAL_FUNC T apply(U x, T) { return static_cast<T>(x); }
};
template <typename T, typename U>
struct TransformAxpby {
  const float alpha;
  const float beta;
  TransformAxpby(const float alpha_, const float beta_) : alpha(alpha_), beta(beta_) {}
  METAL_FUNC T apply(U x, T c) const {
    return static_cast<T>(x * static_cast<U>(alpha) + (static_cast<U>(beta) * c));
  }
};

template <typename T, short BROWS, short BCOLS, short dst_ld, short reduction_dim, short tgp_size,
          short alignment = 1, short n_reads = (BCOLS * BROWS) / (tgp_size), short TCOLS = BCOLS / n_reads,
          short TROWS = tgp_size / TCOLS>
struct BlockLoader {
  STEEL_CONST short n_rows = (BROWS + TROWS - 1) / TROWS;
  STEEL_CONST short vec_size = n_reads;
  const int src_ld;
  const int tile_stride;
  const short thread_idx;
  const short bi;
  const short bj;
  T* dst;
  const T* src;
  struct alignas(alignment * sizeof(T)) ReadVector {
    uint8_t v[sizeof(T) * vec_size];
  };
  METAL_FUNC BlockLoader(const T* src_, const int src_ld_, T* dst_, ushort simd_group_id, ushort simd_lane_id)
      : src_ld(src_ld_),
        tile_stride(reduction_dim ? BCOLS : BROWS * src_ld),
        thread_idx(simd_group_id * 32 + simd_lane_id),
        bi(thread_idx / TCOLS),
        bj(vec_size * (thread_idx % TCOLS)),
        dst(dst_ + bi * dst_ld + bj),
        src(src_ + bi * src_ld + bj) {}
  METAL_FUNC void load_unsafe() const {
    STEEL_PRAGMA_UNROLL
    for (short i = 0; i < BROWS; i += TROWS) {
      *((ReadVector*)(&dst[i * dst_ld])) = *((const ReadVector*)(&src[i * src_ld]));
    }
  }
  METAL_FUNC void load_safe(short2 src_tile_dim) const {
    src_tile_dim = src_tile_dim - short2(bj, bi);
    if (src_tile_dim.x <= 0 || src_tile_dim.y <= 0) {
      STEEL_PRAGMA_UNROLL
      for (short i = 0; i < BROWS; i += TROWS) {
        for (short j = 0; j < vec_size; j++) dst[i * dst_ld + j] = T(0);
      }
      return;
    }
    bool tmp_idx[vec_size];
    T tmp_val[vec_size];
    for (short i = 0; i < BROWS; i += TROWS) {
      for (short j = 0; j < vec_size; j++) tmp_idx[j] = (i < src_tile_dim.y) && (j < src_tile_dim.x);
      for (short j = 0; j < vec_size; j++) tmp_val[j] = src[(tmp_idx[j] ? i * src_ld + j : 0)];
      for (short j = 0; j < vec_size; j++) tmp_val[j] = tmp_idx[j] ? tmp_val[j] : T(0);
      for (short j = 0; j < vec_size; j++) dst[i * dst_ld + j] = tmp_val[j];
    }
  }
  METAL_FUNC void next() { src += tile_stride; }
};

template <typename T, int kFragRows_, int kFragCols_>
struct BaseMMAFrag {
  static_assert(kFragRows_ == 8 && kFragCols_ == 8, "Only 8 x 8 fragment matrices are currently supported");
};
template <typename T>
struct BaseMMAFrag<T, 8, 8> {
  STEEL_CONST int kElemsPerFrag = (8 * 8) / 32;
  typedef metal::simdgroup_matrix<T, 8, 8> mat_type;
  typedef metal::vec<T, kElemsPerFrag> frag_type;

  METAL_FUNC static constexpr short2 get_coord(ushort simd_lane_id) {
    const short qid = simd_lane_id / 4;
    const short fm = (qid & 4) + ((simd_lane_id / 2) % 4);
    const short fn = (qid & 2) * 2 + (simd_lane_id % 2) * 2;
    return short2{fn, fm};
  }
  template <typename SrcPtrType, typename StrX, typename StrY>
  METAL_FUNC static constexpr void load(frag_type& dst, SrcPtrType src, StrX str_x, StrY str_y) {
    for (short i = 0; i < 1; i++)
      for (short j = 0; j < 2; j++) dst[i * 2 + j] = static_cast<T>(src[i * str_x + j * str_y]);
  }
  template <typename DstPtrType>
  METAL_FUNC static constexpr void store(const frag_type& src, DstPtrType dst, int str_x) {
    using U = remove_cv_t<remove_pointer_t<DstPtrType>>;
    for (short j = 0; j < 2; j++) dst[0 * str_x + j] = static_cast<U>(src[j]);
  }
  template <typename A, typename B>
  METAL_FUNC static constexpr void mma(frag_type& D, A& a, B& b, frag_type& C) {
    mat_type D_mat;
    simdgroup_matrix<remove_reference_t<decltype(a[0])>, 8, 8> A_mat;
    simdgroup_matrix<remove_reference_t<decltype(b[0])>, 8, 8> B_mat;
    mat_type C_mat;
    reinterpret_cast<A&>(A_mat.thread_elements()) = a;
    reinterpret_cast<B&>(B_mat.thread_elements()) = b;
    reinterpret_cast<frag_type&>(C_mat.thread_elements()) = C;
    simdgroup_multiply_accumulate(D_mat, A_mat, B_mat, C_mat);
    D = reinterpret_cast<frag_type&>(D_mat.thread_elements());
  }
};

// C = A B of 8x8, by fragments, transformed.
template <typename T>
void mma_tile(const T* a, const T* b, T* c, const TransformAxpby<T, float>& epilogue) {
  typedef BaseMMAFrag<float, 8, 8> Frag;
  typedef BaseMMAFrag<T, 8, 8> InFrag;
  const short2 at = Frag::get_coord(ushort(assay_lane->index_in_simdgroup));
  typename InFrag::frag_type fa, fb;
  InFrag::load(fa, a + at.y * 8 + at.x, 8, 1);
  InFrag::load(fb, b + at.y * 8 + at.x, 8, 1);
  Frag::frag_type sum(0);
  Frag::mma(sum, fa, fb, sum);
  for (short i = 0; i < 2; ++i) sum[i] = epilogue.apply(sum[i], c[at.y * 8 + at.x + i]);
  Frag::store(sum, c + at.y * 8 + at.x, 8);
}

template <typename T, typename U, int values_per_thread, int bits>
inline U load_vector(const T* x, U* x_thread) {
  static_assert(bits == 4 || bits == 8, "Template undefined for bits not in {4, 8}");
  U sum = 0;
  if (bits == 4) {
    for (int i = 0; i < values_per_thread; i += 4) {
      sum += x[i] + x[i + 1] + x[i + 2] + x[i + 3];
      x_thread[i] = x[i];
      x_thread[i + 1] = x[i + 1] / 16.0f;
      x_thread[i + 2] = x[i + 2] / 256.0f;
      x_thread[i + 3] = x[i + 3] / 4096.0f;
    }
  }
  return sum;
}
template <typename U, int values_per_thread, int bits>
inline U qdot(const uint8_t* w, const U* x_thread, U scale, U bias, U sum) {
  U accum = 0;
  const uint16_t* ws = (const uint16_t*)w;
  for (int i = 0; i < (values_per_thread / 4); i++) {
    accum += (x_thread[4 * i] * (ws[i] & 0x000f) + x_thread[4 * i + 1] * (ws[i] & 0x00f0) +
              x_thread[4 * i + 2] * (ws[i] & 0x0f00) + x_thread[4 * i + 3] * (ws[i] & 0xf000));
  }
  return scale * accum + sum * bias;
}
template <typename U, int N, int bits>
inline void dequantize(const uint8_t* w, U scale, U bias, U* w_local) {
  U s[2] = {scale, scale / static_cast<U>(16.0f)};
  for (int i = 0; i < (N / 2); i++) {
    w_local[2 * i] = s[0] * (w[i] & 0x0f) + bias;
    w_local[2 * i + 1] = s[1] * (w[i] & 0xf0) + bias;
  }
}
template <typename T, typename AccT>
void qmv(const uint8_t* w, const T* x, T* y, const T scale, const T bias) {
  AccT x_thread[16];
  const AccT sum = load_vector<T, AccT, 16, 4>(x, x_thread);
  AccT result = qdot<AccT, 16, 4>(w, x_thread, scale, bias, sum);
  result = simd_sum(result);
  if (simd_is_first()) y[0] = static_cast<T>(result);
}

template <typename T>
struct Max {
  static constexpr const T init = Limits<T>::min;
  T simd_reduce_impl(T val) { return simd_max(val); }
  T operator()(T a, T b) { return a > b ? a : b; }
  void atomic_update(metal::atomic<float>* out, T val) {
    float old = atomic_load_explicit(out, memory_order_relaxed);
    while (old < float(val) && !metal::atomic_compare_exchange_weak_explicit(
                                   out, &old, float(val), memory_order_relaxed, memory_order_relaxed)) {
    }
  }
};

extern "C" void mlx_block_loader(const half* source, half* target, int columns, int rows, bool whole) {
  typedef BlockLoader<half, 8, 32, 40, 1, 32> Loader;
  Loader loader(source, 64, target, 0, ushort(assay_lane->index_in_simdgroup));
  if (whole) {
    loader.load_unsafe();
  } else {
    loader.load_safe(short2(columns, rows));
  }
  loader.next();
}
extern "C" void mlx_mma_tile(const half* a, const half* b, half* c, float alpha, float beta) {
  mma_tile<half>(a, b, c, TransformAxpby<half, float>(alpha, beta));
}
extern "C" void mlx_qmv(const uint8_t* w, const uint16_t* x, uint16_t* y) {
  const uint lane = assay_lane->index_in_simdgroup;
  qmv<bfloat16_t, float>(w + lane * 8, reinterpret_cast<const bfloat16_t*>(x) + lane * 16,
                         reinterpret_cast<bfloat16_t*>(y), bfloat16_t(0.5f), bfloat16_t(-2.0f));
}
extern "C" void mlx_reduce_max(float* out, const float* values) {
  Max<float> op;
  const float best = op.simd_reduce_impl(op(Max<float>::init, values[assay_lane->index_in_simdgroup]));
  if (simd_is_first()) op.atomic_update(reinterpret_cast<metal::atomic<float>*>(out), best);
}
extern "C" void mlx_scalars() {
  CHECK(is_empty<true_type>::value && is_static<metal::integral_constant<int, 3>>::value);
  CHECK(is_same_v<void_t<int>, void>);
  CHECK(exp(complex64_t(0, 0)).real == 1 && (complex64_t(half(2)) * complex64_t(0, 1)).imag == 2);
  CHECK(isinf(Limits<bfloat16_t>::max) && Limits<half>::finite_max == half(65504));
  bfloat16_t local[16];
  uint8_t words[8] = {0x21, 0x43, 0x65, 0x87, 0xA9, 0xCB, 0xED, 0x0F};
  dequantize<bfloat16_t, 16, 4>(words, bfloat16_t(1.0f), bfloat16_t(0.0f), local);
  for (int i = 0; i < 16; ++i) CHECK(local[i] == bfloat16_t((i + 1) % 16));
  float sum = 0;
  sum += static_cast<float>(local[3]) * local[4];
  bfloat16_t b = local[2];
  b *= 2;
  b = b + local[1];
  b = metal::max(b, local[0]);
  CHECK(sum == 20 && float(b) == 8 && -b < 0 && TransformNone<half, float>::apply(2.5f) == half(2.5));
  CHECK((metal::isnan(b) ? 1 : 0) == 0 && float(metal::rsqrt(bfloat16_t(4.0f))) == 0.5f);
}
