// Idioms of the quantised matrix kernels of llama.cpp, as they are once their address spaces are erased:
// blocks of nibbles read as 16-bit words, 4x4 register matrices, functions as template arguments, 8x8
// matrices of half by half into float, reductions across lanes.
#include "assay/metal.h"
#include "tests/metal_stdlib/units/check.h"

using namespace metal;

#define QK4_0 32
#define QK8_0 32
#define N_SIMDWIDTH 32
#define FOR_UNROLL(x) _Pragma("GCC unroll 4") for (x)

typedef struct {
  half d;
  uint8_t qs[QK4_0 / 2];
} block_q4_0;
static_assert(sizeof(block_q4_0) == sizeof(half) + QK4_0 / 2, "wrong q4_0 block size");

typedef struct {
  half d;
  int8_t qs[QK8_0];
} block_q8_0;

typedef struct {
  union {
    struct {
      half d;
      half dmin;
    };
    half2 dm;
  };
  uint8_t scales[12];
  uint8_t qs[128];
} block_q4_K;

static const constexpr half kvalues[16] = {-127.f, -104.f, -83.f, -65.f, -49.f, -35.f, -22.f, -10.f,
                                           1.f,    13.f,   25.f,  38.f,  53.f,  69.f,  89.f,  113.f};

template <typename type4x4>
void dequantize_f16(const half4x4* src, short il, type4x4& reg) {
  (void)il;
  reg = (type4x4)(*src);
}

template <typename type4x4>
void dequantize_q4_0(const block_q4_0* xb, short il, type4x4& reg) {
  const uint16_t* qs = ((const uint16_t*)xb + 1);
  const float d1 = il ? (xb->d / half(16.)) : xb->d;
  const float d2 = d1 / 256.f;
  const float md = -half(8.) * xb->d;
  const ushort mask0 = il ? 0x00F0 : 0x000F;
  const ushort mask1 = mask0 << 8;

  float4x4 reg_f;
  for (int i = 0; i < 8; i++) {
    reg_f[i / 2][2 * (i % 2) + 0] = d1 * (qs[i] & mask0) + md;
    reg_f[i / 2][2 * (i % 2) + 1] = d2 * (qs[i] & mask1) + md;
  }
  reg = (type4x4)reg_f;
}

template <typename type4>
void dequantize_q4_0_t4(const block_q4_0* xb, short il, type4& reg) {
  const uint16_t* qs = ((const uint16_t*)xb + 1);
  const float d1 = (il / 4) ? (xb->d / half(16.)) : xb->d;
  const float d2 = d1 / 256.f;
  const float md = -half(8.) * xb->d;
  const ushort mask0 = (il / 4) ? 0x00F0 : 0x000F;
  const ushort mask1 = mask0 << 8;
  for (int i = 0; i < 2; i++) {
    reg[2 * i + 0] = d1 * (qs[2 * (il % 4) + i] & mask0) + md;
    reg[2 * i + 1] = d2 * (qs[2 * (il % 4) + i] & mask1) + md;
  }
}

template <typename type4x4>
void dequantize_q8_0(const block_q8_0* xb, short il, type4x4& reg) {
  const int8_t* qs = ((const int8_t*)xb->qs);
  const float d = xb->d;
  for (int i = 0; i < 16; i++) reg[i / 4][i % 4] = (qs[i + 16 * il] * d);
}

static inline uchar2 get_scale_min_k4_just2(int j, int k, const uchar* q) {
  return j < 4 ? uchar2{uchar(q[j + 0 + k] & 63), uchar(q[j + 4 + k] & 63)}
               : uchar2{uchar((q[j + 4 + k] & 0xF) | ((q[j - 4 + k] & 0xc0) >> 2)),
                        uchar((q[j + 4 + k] >> 4) | ((q[j - 0 + k] & 0xc0) >> 2))};
}

template <typename type4x4>
void dequantize_q4_K(const block_q4_K* xb, short il, type4x4& reg) {
  const uchar* q = xb->qs;
  short is = (il / 4) * 2;
  q = q + (il / 4) * 32 + 16 * (il & 1);
  il = il & 3;
  const uchar2 sc = get_scale_min_k4_just2(is, il / 2, xb->scales);
  const float d = il < 2 ? xb->d : xb->d / half(16.);
  const float min = xb->dmin;
  const float dl = d * sc[0];
  const float ml = min * sc[1];
  const ushort mask = il < 2 ? 0x0F : 0xF0;
  for (int i = 0; i < 16; ++i) reg[i / 4][i % 4] = dl * (q[i] & mask) - ml;
}

inline float block_q_n_dot_y(const block_q4_0* qb_curr, float sumy, float* yl, int il) {
  float d = qb_curr->d;
  float acc[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  const uint16_t* qs = ((const uint16_t*)qb_curr + 1 + il / 2);
  for (int i = 0; i < 8; i += 2) {
    acc[0] += yl[i + 0] * (qs[i / 2] & 0x000F);
    acc[1] += yl[i + 1] * (qs[i / 2] & 0x0F00);
    acc[2] += yl[i + 8] * (qs[i / 2] & 0x00F0);
    acc[3] += yl[i + 9] * (qs[i / 2] & 0xF000);
  }
  return d * (sumy * -8.f + acc[0] + acc[1] + acc[2] + acc[3]);
}

typedef struct {
  int32_t ne00;
  int32_t ne02;
  uint64_t nb01;
  uint64_t nb02;
  int32_t ne12;
  uint64_t nb10;
  uint64_t nb11;
  int32_t ne0;
  int32_t ne1;
  int16_t r2;
} mul_mm_args;

#define BLOCK_SIZE_M 64
#define BLOCK_SIZE_N 32
#define BLOCK_SIZE_K 32
#define THREAD_MAT_M 4
#define THREAD_MAT_N 2
#define THREAD_PER_ROW 2
#define THREAD_PER_COL 4
#define SG_MAT_SIZE 64
#define SG_MAT_ROW 8

template <typename T, typename T4x4, typename simdgroup_T8x8, typename block_q, short nl,
          void (*dequantize_func)(const block_q*, short, T4x4&)>
void kernel_mul_mm(const mul_mm_args& args, const char* src0, const char* src1, char* dst, char* shmem,
                   uint3 tgpig, ushort tiitg, ushort sgitg) {
  T* sa = (T*)(shmem);
  float* sb = (float*)(shmem + 4096);
  const int r0 = tgpig.y, r1 = tgpig.x;
  const int im = tgpig.z;
  const short n_rows =
      (args.ne0 - r0 * BLOCK_SIZE_M < BLOCK_SIZE_M) ? (args.ne0 - r0 * BLOCK_SIZE_M) : BLOCK_SIZE_M;
  const short n_cols =
      (args.ne1 - r1 * BLOCK_SIZE_N < BLOCK_SIZE_N) ? (args.ne1 - r1 * BLOCK_SIZE_N) : BLOCK_SIZE_N;
  const short thread_row =
      ((short)tiitg / THREAD_PER_ROW) < n_rows ? ((short)tiitg / THREAD_PER_ROW) : n_rows - 1;
  const short thread_col =
      ((short)tiitg / THREAD_PER_COL) < n_cols ? ((short)tiitg / THREAD_PER_COL) : n_cols - 1;

  simdgroup_T8x8 ma[4];
  simdgroup_float8x8 mb[2];
  simdgroup_float8x8 mc[8];
  for (short i = 0; i < 8; i++) mc[i] = make_filled_simdgroup_matrix<float, 8>(0.f);

  short il = (tiitg % THREAD_PER_ROW);
  const short offset1 = il / nl;
  const block_q* x =
      (const block_q*)(src0 + args.nb01 * (r0 * BLOCK_SIZE_M + thread_row) + args.nb02 * im) + offset1;
  const float* y = (const float*)(src1 + args.nb11 * (r1 * BLOCK_SIZE_N + thread_col) +
                                  args.nb10 * (BLOCK_SIZE_K / THREAD_PER_COL * (tiitg % THREAD_PER_COL)));

  for (int loop_k = 0; loop_k < args.ne00; loop_k += BLOCK_SIZE_K) {
    T4x4 temp_a;
    dequantize_func(x, il, temp_a);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    FOR_UNROLL(short i = 0; i < 16; i++) {
      *(sa + SG_MAT_SIZE * ((tiitg / THREAD_PER_ROW / 8) + (tiitg % THREAD_PER_ROW) * 16 + (i / 8) * 8) +
        (tiitg / THREAD_PER_ROW) % 8 + (i & 7) * 8) = temp_a[i / 4][i % 4];
    }
    *(float2x4*)(sb + (tiitg % THREAD_PER_COL) * 8 * 32 + 8 * (tiitg / THREAD_PER_COL)) =
        *((const float2x4*)y);
    il = (il + 2 < nl) ? il + 2 : il % 2;
    x = (il < 2) ? x + (2 + nl - 1) / nl : x;
    y += BLOCK_SIZE_K;
    threadgroup_barrier(mem_flags::mem_threadgroup);

    const T* lsma = (sa + THREAD_MAT_M * SG_MAT_SIZE * (sgitg % 2));
    const float* lsmb = (sb + THREAD_MAT_N * SG_MAT_SIZE * (sgitg / 2));
    FOR_UNROLL(short ik = 0; ik < BLOCK_SIZE_K / 8; ik++) {
      FOR_UNROLL(short i = 0; i < 4; i++) simdgroup_load(ma[i], lsma + SG_MAT_SIZE * i);
      simdgroup_barrier(mem_flags::mem_none);
      FOR_UNROLL(short i = 0; i < 2; i++) simdgroup_load(mb[i], lsmb + SG_MAT_SIZE * i);
      lsma += BLOCK_SIZE_M / SG_MAT_ROW * SG_MAT_SIZE;
      lsmb += BLOCK_SIZE_N / SG_MAT_ROW * SG_MAT_SIZE;
      FOR_UNROLL(short i = 0; i < 8; i++) simdgroup_multiply_accumulate(mc[i], mb[i / 4], ma[i % 4], mc[i]);
    }
  }
  float* C = (float*)dst + (BLOCK_SIZE_M * r0 + 32 * (sgitg & 1)) +
             (BLOCK_SIZE_N * r1 + 16 * (sgitg >> 1)) * args.ne0 + im * args.ne1 * args.ne0;
  for (short i = 0; i < 8; i++) simdgroup_store(mc[i], C + 8 * (i % 4) + 8 * args.ne0 * (i / 4), args.ne0);
}

template <int NSG>
void kernel_soft_max_4(const char* src0, char* dst, float scale, float* buf, uint tpitg, uint sgitg,
                       uint tiisg, uint tptg, int ne00) {
  const float4* psrc4 = (const float4*)src0;
  float4* pdst4 = (float4*)dst;
  float4 lmax4 = -INFINITY;
  for (int i00 = tpitg; i00 < ne00 / 4; i00 += tptg) lmax4 = fmax(lmax4, psrc4[i00] * scale);
  const float lmax = max(max(lmax4[0], lmax4[1]), max(lmax4[2], lmax4[3]));
  float max_val = simd_max(lmax);
  if (tptg > N_SIMDWIDTH) {
    if (sgitg == 0) buf[tiisg] = -INFINITY;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (tiisg == 0) buf[sgitg] = max_val;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    max_val = buf[tiisg];
    max_val = simd_max(max_val);
  }
  float4 lsum4 = 0.0f;
  for (int i00 = tpitg; i00 < ne00 / 4; i00 += tptg) {
    const float4 exp_psrc4 = exp((psrc4[i00] * scale) - max_val);
    lsum4 += exp_psrc4;
    pdst4[i00] = exp_psrc4;
  }
  const float lsum = lsum4[0] + lsum4[1] + lsum4[2] + lsum4[3];
  threadgroup_barrier(mem_flags::mem_none);
  float sum = simd_sum(lsum);
  const float inv_sum = 1.0f / sum;
  for (int i00 = tpitg; i00 < ne00 / 4; i00 += tptg) pdst4[i00] *= inv_sum;
}

typedef decltype(kernel_mul_mm<half, half4x4, simdgroup_half8x8, block_q4_0, 2, dequantize_q4_0>) mul_mm_t;

extern "C" void ggml_mul_mm_q4_0(const mul_mm_args* args, const char* src0, const char* src1, char* dst,
                                 char* shmem) {
  const uint index = assay_lane->index_in_threadgroup;
  const mul_mm_t* kernel = kernel_mul_mm<half, half4x4, simdgroup_half8x8, block_q4_0, 2, dequantize_q4_0>;
  kernel(*args, src0, src1, dst, shmem, uint3(0), ushort(index), ushort(index / 32));
}
extern "C" void ggml_soft_max(const char* src0, char* dst, float* buf, int n) {
  kernel_soft_max_4<1>(src0, dst, 1.0f, buf, assay_lane->index_in_threadgroup, 0,
                       assay_lane->index_in_simdgroup, 32, n);
}

extern "C" void ggml_dequantizers_agree() {
  block_q4_0 block;
  block.d = half(0.25);
  for (int i = 0; i < 16; ++i) block.qs[i] = uint8_t(i * 37 + 5);
  for (short il = 0; il < 2; ++il) {
    half4x4 h;
    float4x4 f;
    dequantize_q4_0(&block, il, h);
    dequantize_q4_0(&block, il, f);
    for (int i = 0; i < 16; ++i) {
      const int nibble = il ? block.qs[i] >> 4 : block.qs[i] & 15;
      CHECK(f[i / 4][i % 4] == (nibble - 8) * 0.25f);
      CHECK(h[i / 4][i % 4] == half((nibble - 8) * 0.25f));
    }
    for (short part = 0; part < 4; ++part) {
      float4 four;
      dequantize_q4_0_t4(&block, short(il * 4 + part), four);
      CHECK(all(four == f[part]));
    }
  }
  block_q8_0 q8;
  q8.d = half(2.0);
  for (int i = 0; i < 32; ++i) q8.qs[i] = int8_t(i - 16);
  half4x4 m, copy;
  dequantize_q8_0(&q8, 1, m);
  dequantize_f16(&m, 0, copy);
  CHECK(copy[3].w == half(30) && all(copy[0] == half4(0, 2, 4, 6)));
  block_q4_K k = {};
  k.dm = half2(0.5, 0.25);
  k.scales[0] = 3;
  k.scales[4] = 2;
  k.qs[5] = 7;
  float4x4 r;
  dequantize_q4_K(&k, 0, r);
  CHECK(r[1][1] == 0.5f * 3 * 7 - 0.25f * 2);
  float y[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1 / 16.f, 1 / 16.f};
  (void)block_q_n_dot_y(&block, 1, y, 0);
  CHECK(kvalues[15] == half(113));
}
