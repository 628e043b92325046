// In the style of the INT4 kernels around: GPTQ (zeros packed, off by one), AWQ (interleaved nibbles), Marlin (magic
// exponents, two nibbles at a time) and bitsandbytes' NF4 (a table of values, block-wise scales).
#include <metal_stdlib>

enum class BufferIndex : uint { weights = 0, zeros = 1, scales = 2, output = 3, columns = 4 };
enum { kWeights, kZeros, kScales, kOutput, kColumns };
#define BUFFER(name) [[buffer(k##name)]]

struct Int4Arguments {
  uint in_features;
  uint out_features;
  ushort group_size;
};

// One thread a packed word of eight rows. W is [in, out], words run down the rows.
kernel void gptq_dequantize(const device uint* qweight BUFFER(Weights), const device uint* qzeros BUFFER(Zeros),
                            const device half* scales BUFFER(Scales), device half* output BUFFER(Output),
                            constant Int4Arguments& arguments [[buffer(kColumns)]],
                            metal::uint2 position [[thread_position_in_grid]]) {
  const uint n = position.x, word = position.y;
  if (n >= arguments.out_features || word * 8 >= arguments.in_features) return;
  const uint packed = qweight[word * arguments.out_features + n];
  for (uint i = 0; i < 8; ++i) {
    const uint row = word * 8 + i, group = row / arguments.group_size;
    const uint zero_word = qzeros[group * (arguments.out_features / 8) + n / 8];
    const int zero = int((zero_word >> (n % 8 * 4)) & 0xF) + 1;
    const int q = int((packed >> (4 * i)) & 0xFu);
    output[row * arguments.out_features + n] = half(q - zero) * scales[group * arguments.out_features + n];
  }
}

constant constexpr uint kAwqOrder[8] = {0, 4, 1, 5, 2, 6, 3, 7};

// Words run along the columns, their nibbles in AWQ's order.
kernel void awq_dequantize(const device uint* qweight [[buffer(static_cast<uint>(BufferIndex::weights))]],
                           const device uint* qzeros [[buffer(static_cast<uint>(BufferIndex::zeros))]],
                           const device half* scales [[buffer(static_cast<uint>(BufferIndex::scales))]],
                           device half* output [[buffer(static_cast<uint>(BufferIndex::output))]],
                           constant Int4Arguments* arguments [[buffer(static_cast<uint>(BufferIndex::columns))]],
                           metal::ushort2 position [[thread_position_in_grid]]) {
  const uint words = arguments->out_features / 8;
  const uint word = position.x, row = position.y;
  if (word >= words || row >= arguments->in_features) return;
  const uint group = row / arguments->group_size;
  const uint packed = qweight[row * words + word], zeros = qzeros[group * words + word];
  _Pragma("unroll") for (uint i = 0; i < 8; ++i) {
    const uint shift = 4 * kAwqOrder[i], n = word * 8 + i;
    const half q = half((packed >> shift) & 15) - half((zeros >> shift) & 15);
    output[row * arguments->out_features + n] = q * scales[group * arguments->out_features + n];
  }
}

namespace marlin {

typedef half half2_t __attribute__((ext_vector_type(2)));
using uint2_t = uint __attribute__((__ext_vector_type__(2)));

// Pairs (0, 4), (1, 5), (2, 6), (3, 7), by way of half's bits for 1024 + n.
struct Pairs {
  half2_t pair[4];
};

inline thread Pairs& unpack(uint word, thread Pairs& out) {
  for (ushort i = 0; i < 4; ++i) {
    out.pair[i] = as_type<half2>(((word >> (4 * i)) & 0x000F000Fu) | 0x64006400u) - half2_t(0x1p+10h);
  }
  return out;
}

template <ushort kThreads>
[[kernel]] [[max_total_threads_per_threadgroup(kThreads)]] void dequantize(
    const device uint* B,
    const device half* scales,
    device half* output,
    constant uint3& shape,  // K, N, group size
    uint index [[thread_position_in_grid]]) {
  const uint n = index % shape.y, word = index / shape.y;
  if (word * 8 >= shape.x) return;
  Pairs pairs;
  unpack(B[index], pairs);
  for (uint i = 0; i < 8; ++i) {
    const uint k = word * 8 + i;
    const half value = pairs.pair[i % 4][i / 4] - 8h;
    output[k * shape.y + n] = value * scales[k / shape.z * shape.y + n];
  }
}

template [[host_name("marlin_dequantize_64")]] [[kernel]] void dequantize<64>(const device uint*, const device half*, device half*, constant uint3&, uint);
template [[host_name("marlin_dequantize_" "128")]] kernel void dequantize<64 * 2>(const device uint*, const device half*, device half*, constant uint3&, uint);

}  // namespace marlin

// NF4: the quantiles of a normal distribution.
constant float kNf4[16] = {
    -1.0f, -0.6961928009986877f, -0.5250730514526367f, -0.39491748809814453f, -0.28444138169288635f,
    -0.18477343022823334f, -0.09105003625154495f, 0.0f, 0.07958029955625534f, 0.16093020141124725f,
    0.24611230194568634f, 0.33791524171829224f, 0.44070982933044434f, 0.5626170039176941f, 0.7229568362236023f, 1.0f};

static METAL_FUNC float nf4(uchar code, constant float* table) { return table[code]; }

[[host_name("dequantize_blockwise_nf4")]] kernel void nf4_dequantize(device const uchar* packed,
                                                                     device const float* absmax,
                                                                     device float* output,
                                                                     constant const uint& block_size,
                                                                     uint i [[thread_position_in_grid]]) {
  const uchar pair = packed[i];
  output[2 * i] = nf4(pair >> 4, kNf4) * absmax[2 * i / block_size];
  output[2 * i + 1] = nf4(pair & 0xF, kNf4) * absmax[(2 * i + 1) / block_size];
}
