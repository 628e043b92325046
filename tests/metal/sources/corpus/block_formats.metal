// Blocks of quantised weights in structs with unions, tables of constants, and products over lanes.
// function_constants: 600 = 2
#include <metal_stdlib>
#define LENGTH_0 32
#define RATIO_0 (LENGTH_0 / (4 * QR))
#define QR 2
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define SWAP(x, y) { auto tmp = (x); (x) = (y); (y) = tmp; }
#define UNROLL(x) _Pragma(#x) for
#define FOR_UNROLL(x) UNROLL(clang loop unroll(full)) (x)
#define WARP 32
#define DATA_UNION(...) union { struct { __VA_ARGS__ }; half2 both; }
using namespace metal;

typedef half storage_half;
typedef half2 storage_half2;
typedef struct {
  half d;
  uint8_t qs[LENGTH_0 / 2];
} block_n4;
static_assert(sizeof(block_n4) == sizeof(half) + LENGTH_0 / 2, "wrong size of block_n4");
typedef struct {
  union {
    struct {
      half d;
      half m;
    };
    half2 dm;
  };
  uint8_t qs[LENGTH_0 / 2];
} block_n4m;
static_assert(sizeof(block_n4m) == 2 * sizeof(half) + LENGTH_0 / 2, "wrong size of block_n4m");
typedef struct {
  half d;
  uint8_t qh[4];
  uint8_t qs[LENGTH_0 / 2];
} block_n5;
typedef struct {
  half d;
  int8_t qs[LENGTH_0];
} block_n8;
#define BIG 256
typedef struct {
  uint8_t scales[BIG / 16];
  uint8_t qs[BIG / 4];
  DATA_UNION(half d; half dmin;);
} block_big2;
typedef struct {
  uint8_t ql[BIG / 2];
  uint8_t qh[BIG / 4];
  int8_t scales[BIG / 16];
  half d;
} block_big6;
typedef struct {
  float d;
  int8_t qs[BIG];
  int16_t bsums[BIG / 16];
} block_big8;
typedef struct packed_bits {
  uint32_t low : 12;
  uint32_t middle : 12;
  uint32_t high : 8;
} packed_bits_t;

static constant float levels_table[16] = {-127.f, -104.f, -83.f, -65.f, -49.f, -35.f, -22.f, -10.f,
                                          1.f,    13.f,   25.f,  38.f,  53.f,  69.f,  89.f,  113.f};
constexpr constant static int8_t signed_levels[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                      1,    13,   25,  38,  53,  69,  89,  113};
static inline uchar2 scale_and_min(int j, int k, device const uchar* q) {
  return j < 4 ? uchar2{uchar(q[j + 0 + k] & 63), uchar(q[j + 4 + k] & 63)}
               : uchar2{uchar((q[j + 4 + k] & 0xF) | ((q[j - 4 + k] & 0xc0) >> 2)),
                        uchar((q[j + 4 + k] >> 4) | ((q[j - 0 + k] & 0xc0) >> 2))};
}
template <typename type4x4>
void widen_n4(device const block_n4* xb, short il, thread type4x4& reg) {
  device const uint16_t* qs = ((device const uint16_t*)xb + 1);
  const float d1 = il ? (xb->d / 16.h) : xb->d;
  const float d2 = d1 / 256.f;
  const float md = -8.h * xb->d;
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
void widen_n4_t4(device const block_n4* xb, short il, thread type4& reg) {
  device const uint16_t* qs = ((device const uint16_t*)xb + 1);
  const float d1 = (il / 4) ? (xb->d / 16.h) : xb->d;
  for (int i = 0; i < 2; i++) {
    reg[2 * i + 0] = d1 * (qs[2 * (il % 4) + i] & 0x000F);
    reg[2 * i + 1] = d1 * (qs[2 * (il % 4) + i] & 0x0F00);
  }
}
template <typename type4x4>
void widen_float(device const float4x4* src, short, thread type4x4& reg) {
  reg = (type4x4)(*src);
}
inline float block_dot(device const block_n4* qb, float sumy, thread float* yl, int il) {
  float d = qb->d;
  float acc[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  device const uint16_t* qs = ((device const uint16_t*)qb + 1 + il / 2);
  for (int i = 0; i < 8; i += 2) {
    acc[0] += yl[i + 0] * (qs[i / 2] & 0x000F);
    acc[1] += yl[i + 1] * (qs[i / 2] & 0x0F00);
    acc[2] += yl[i + 8] * (qs[i / 2] & 0x00F0);
    acc[3] += yl[i + 9] * (qs[i / 2] & 0xF000);
  }
  return d * (sumy * -8.f + acc[0] + acc[1] + acc[2] + acc[3]);
}
inline float block_dot(device const block_n4m* qb, float sumy, thread float* yl, int il) {
  float d = qb->d, m = qb->m;
  float2 acc = 0.f;
  device const uint16_t* qs = ((device const uint16_t*)qb + 2 + il / 2);
  for (int i = 0; i < 8; i += 2) {
    acc[0] += yl[i + 0] * (qs[i / 2] & 0x000F) + yl[i + 1] * (qs[i / 2] & 0x0F00);
    acc[1] += yl[i + 8] * (qs[i / 2] & 0x00F0) + yl[i + 9] * (qs[i / 2] & 0xF000);
  }
  return d * (acc[0] + acc[1]) + sumy * m;
}
typedef struct {
  int32_t ne00, ne01, ne02;
  uint64_t nb00, nb01, nb02;
  int32_t ne10, ne11, ne12;
  int16_t r2, r3;
} args_mul;

constant short FC_groups [[function_constant(600)]];
template <typename block_q_type, short NR0, typename args_t>
void mul_vec_impl(args_t args, device const char* src0, device const char* src1, device char* dst,
                  threadgroup char* shmem, uint3 tgpig, ushort tiisg, ushort sgitg) {
  const short NSG = FC_groups;
  constexpr short NW = WARP;
  const int nb = args.ne00 / LENGTH_0;
  const int r0 = (tgpig.x * NSG + sgitg) * NR0;
  const uint i12 = tgpig.z % args.ne12;
  const uint64_t offset1 = r0 * args.nb01 + (i12 / args.r2) * args.nb02;
  device const block_q_type* ax[NR0];
  for (int row = 0; row < NR0; ++row) ax[row] = (device const block_q_type*)((device char*)src0 + offset1 + row * args.nb01);
  device const float* y = (device const float*)(src1 + tgpig.y * args.ne10 * sizeof(float));
  float sumf[NR0] = {0.f};
  float yl[16];
  const short ix = tiisg / 2;
  const short il = (tiisg % 2) * 8;
  device const float* yb = y + ix * LENGTH_0 + il;
  FOR_UNROLL (int ib = ix; ib < nb; ib += NW / 2) {
    float sumy[2] = {0.f, 0.f};
#pragma unroll
    for (short i = 0; i < 8; i += 2) {
      sumy[0] += yb[i + 0] + yb[i + 1];
      yl[i + 0] = yb[i + 0];
      yl[i + 1] = yb[i + 1] / 256.f;
      sumy[1] += yb[i + 16] + yb[i + 17];
      yl[i + 8] = yb[i + 16] / 16.f;
      yl[i + 9] = yb[i + 17] / 4096.f;
    }
#pragma unroll
    for (short row = 0; row < NR0; row++) sumf[row] += block_dot(ax[row] + ib, sumy[0] + sumy[1], yl, il);
    yb += LENGTH_0 * 16;
  }
  device float* dst_f32 = (device float*)dst + (uint64_t)tgpig.z * args.ne01;
  threadgroup float* shared = (threadgroup float*)shmem;
  for (int row = 0; row < NR0; ++row) {
    const float tot = simd_sum(sumf[row]);
    shared[row] = tot;
    if (tiisg == 0 && r0 + row < args.ne01) dst_f32[r0 + row] = tot;
  }
}
[[host_name("mul_vec_n4")]]
kernel void mul_vec_n4_f32(constant args_mul& args, device const char* src0, device const char* src1,
                           device char* dst, threadgroup char* shmem [[threadgroup(0)]],
                           uint3 tgpig[[threadgroup_position_in_grid]], ushort tiisg[[thread_index_in_simdgroup]],
                           ushort sgitg[[simdgroup_index_in_threadgroup]]) {
  mul_vec_impl<block_n4, 4, constant args_mul&>(args, src0, src1, dst, shmem, tgpig, tiisg, sgitg);
}
kernel void mul_vec_n4m_f32(constant args_mul& args [[buffer(0)]], device const char* src0 [[buffer(1)]],
                            device const char* src1 [[buffer(2)]], device char* dst [[buffer(3)]],
                            threadgroup char* shmem [[threadgroup(0)]], uint3 tgpig [[threadgroup_position_in_grid]],
                            ushort tiisg [[thread_index_in_simdgroup]],
                            ushort sgitg [[simdgroup_index_in_threadgroup]]) {
  mul_vec_impl<block_n4m, 2, constant args_mul&>(args, src0, src1, dst, shmem, tgpig, tiisg, sgitg);
}

template <typename block_q, short nl, void (*widen)(device const block_q*, short, thread float4x4&)>
kernel void get_rows(constant args_mul& args, device const void* src0, device const void* src1, device float* dst,
                     uint3 tgpig[[threadgroup_position_in_grid]], ushort tiitg[[thread_index_in_threadgroup]],
                     ushort3 ntg [[threads_per_threadgroup]]) {
  const int32_t r = ((const device int32_t*)((const device char*)src1 + tgpig.x * args.nb00))[0];
  for (int32_t ind = tiitg; ind < args.ne00 / 16; ind += ntg.x) {
    float4x4 temp;
    widen(((device const block_q*)((const device char*)src0 + r * args.nb01)) + ind / nl, ind % nl, temp);
    *(((device float4x4*)((device char*)dst + tgpig.x * args.nb02)) + ind) = temp;
  }
}
typedef decltype(get_rows<block_n4, 2, widen_n4>) get_rows_t;
template [[host_name("get_rows_n4")]] kernel get_rows_t get_rows<block_n4, 2, widen_n4>;
template [[host_name("get_rows_f32")]] kernel decltype(get_rows<float4x4, 1, widen_float>)
    get_rows<float4x4, 1, widen_float>;

kernel void big2(device const block_big2* x [[buffer(0)]], device float* y [[buffer(1)]],
                 device packed_bits_t* bits [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  const float d = x[i].d, dmin = x[i].both.y;
  device const uint8_t* q = x[i].qs;
  const uchar2 sm = scale_and_min(i % 8, 0, x[i].scales);
  float4 r;
  widen_n4_t4((device const block_n4*)x, 1, r);
  int a = 1, b = 2;
  SWAP(a, b);
  bits[i].middle = bits[i].low ^ bits[i].high;
  y[i] = d * sm.x * levels_table[q[i & 63] & 0xF] - dmin * sm[1] + signed_levels[q[1] >> 4] + r.w + MIN(a, b) + MAX(a, b);
}
