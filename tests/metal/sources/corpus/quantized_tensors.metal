// Weights of 4 bits in groups, multiplied by Metal 4's tensors: staged in threadgroup memory, and decoded into
// the registers of a simdgroup.
#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;

#define TO_THE_END static_cast<int>(dynamic_extent)
#define EACH_TYPE(M) M(half) M(bfloat) M(float)

namespace granary {

struct Layer {
  int32_t inputs, outputs, samples;
  int32_t group;
};

template <typename T, short kBits>
struct Sack {
  static constexpr constant short kCodes = 32 / kBits;
  device const uint32_t* words;
  device const T* scales;
  device const T* offsets;
  int32_t words_per_row, groups_per_row, group;

  METAL_FUNC T code(int32_t row, int32_t k) const thread {
    const uint32_t word = words[int64_t(row) * words_per_row + k / kCodes];
    const int64_t g = int64_t(row) * groups_per_row + k / group;
    return scales[g] * static_cast<T>(extract_bits(word, uint(k % kCodes * kBits), uint(kBits))) + offsets[g];
  }
};

// y = x * w^T. The weights' tile lies in threadgroup memory, the samples stay where they are.
template <typename T, short kSamples, short kOutputs, short kDeep, short kSimdgroups>
[[kernel, max_total_threads_per_threadgroup(kSimdgroups * 32)]] void staged(
    device const uint32_t* words [[buffer(0)]], device const T* scales [[buffer(1)]],
    device const T* offsets [[buffer(2)]], device T* x [[buffer(3)]], device T* y [[buffer(4)]],
    constant Layer& layer [[buffer(5)]], threadgroup T* tile [[threadgroup(0)]],
    uint2 block [[threadgroup_position_in_grid]], ushort thread_index [[thread_index_in_threadgroup]]) {
  using lengths = dextents<int32_t, 2>;
  const Sack<T, 4> sack{words, scales, offsets, layer.inputs / 8, layer.inputs / layer.group, layer.group};
  const int sample = block.y * kSamples, output = block.x * kOutputs;
  auto samples = tensor<device T, lengths, tensor_inline>(x, lengths(layer.inputs, layer.samples));

  mpp::tensor_ops::matmul2d<
      mpp::tensor_ops::matmul2d_descriptor(kSamples, kOutputs, TO_THE_END, false, true, true,
                                           mpp::tensor_ops::matmul2d_descriptor::mode::multiply_accumulate),
      execution_simdgroups<kSimdgroups>>
      product;
  using tile_t = tensor<threadgroup T, lengths, tensor_inline>;
  auto sums = product.template get_destination_cooperative_tensor<decltype(samples), tile_t, float>();
  _Pragma("clang loop unroll(full)") for (uint16_t i = 0; i < sums.get_capacity(); i++) sums[i] = 0.0f;

  for (int k = 0; k < layer.inputs; k += kDeep) {
    const int deep = min(int(kDeep), layer.inputs - k);
    for (short i = thread_index; i < kOutputs * kDeep; i += kSimdgroups * 32) {
      const int row = output + i / kDeep, column = k + i % kDeep;
      tile[i] = row < layer.outputs && column < layer.inputs ? sack.code(row, column) : T(0.0f);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    tile_t weights(tile, lengths(deep, int(kOutputs)), array<int32_t, 2>{1, kDeep});
    auto left = samples.slice(k, sample);
    product.run(left, weights, sums);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }

  auto rounded = product.template get_destination_cooperative_tensor<decltype(samples), tile_t, T>();
  for (uint16_t i = 0; i < sums.get_capacity(); ++i) {
    if (sums.is_valid_element(i)) rounded[i] = static_cast<T>(sums[i]);
  }
  auto out = tensor(y, lengths(layer.outputs, layer.samples));
  rounded.store(out.slice(output, sample));
}

// The weights' fragment is decoded where it is multiplied.
template <typename T>
METAL_FUNC void multiply_fragments(thread vec<float, 8> (&sums)[2], thread const vec<T, 8>& left,
                                   thread const vec<T, 8> (&right)[2]) {
  constexpr auto what = mpp::tensor_ops::matmul2d_descriptor(
      16, 32, 16, false, true, true, mpp::tensor_ops::matmul2d_descriptor::mode::multiply_accumulate);
  mpp::tensor_ops::matmul2d<what, metal::execution_simdgroup> op;
  auto a = op.template get_left_input_cooperative_tensor<T, T, float>();
  auto b = op.template get_right_input_cooperative_tensor<T, T, float>();
  auto c = op.template get_destination_cooperative_tensor<metal::remove_addrspace_t<decltype(a)>,
                                                          metal::remove_addrspace_t<decltype(b)>, float>();
  for (short i = 0; i < 8; ++i) {
    a[i] = left[i];
    b[i] = right[0][i], b[8 + i] = right[1][i];
    c[i] = sums[0][i], c[8 + i] = sums[1][i];
  }
  op.run(a, b, c);
  for (short i = 0; i < 8; ++i) sums[0][i] = c[i], sums[1][i] = c[8 + i];
}

template <typename T>
[[kernel]] void decoded(device const uint32_t* words [[buffer(0)]], device const T* scales [[buffer(1)]],
                        device const T* offsets [[buffer(2)]], device const T* x [[buffer(3)]],
                        device T* y [[buffer(4)]], constant Layer& layer [[buffer(5)]],
                        uint2 block [[threadgroup_position_in_grid]],
                        ushort lane [[thread_index_in_simdgroup]]) {
  const Sack<T, 4> sack{words, scales, offsets, layer.inputs / 8, layer.inputs / layer.group, layer.group};
  const short quad = lane >> 2;
  const short high = (quad & 4) | ((lane >> 1) & 3), wide = ((quad & 2) | (lane & 1)) * 4;
  vec<float, 8> sums[2] = {vec<float, 8>(0), vec<float, 8>(0)};
  for (int k = 0; k < layer.inputs; k += 16) {
    vec<T, 8> left, right[2];
    for (short i = 0; i < 8; ++i) {
      const short row = high + i / 4 * 8, column = wide + i % 4;
      left[i] = x[(int64_t(block.y) * 16 + row) * layer.inputs + k + column];
      right[0][i] = sack.code(block.x * 32 + row, k + column);
      right[1][i] = sack.code(block.x * 32 + 16 + row, k + column);
    }
    multiply_fragments<T>(sums, left, right);
  }
  for (short i = 0; i < 16; ++i) {
    const int row = block.y * 16 + high + i % 8 / 4 * 8, column = block.x * 32 + i / 8 * 16 + wide + i % 4;
    if (row < layer.samples && column < layer.outputs)
      y[int64_t(row) * layer.outputs + column] = static_cast<T>(sums[i / 8][i % 8]);
  }
}

#define FILL_SACKS(T)                                                                                        \
  template [[host_name("staged_" #T)]] [[kernel]] decltype(staged<T, 32, 64, 32, 4>) staged<T, 32, 64, 32, 4>; \
  template [[host_name("decoded_" #T)]] [[kernel]] decltype(decoded<T>) decoded<T>;
EACH_TYPE(FILL_SACKS)

}  // namespace granary

// refused: handed_in: tensors that the host binds
kernel void handed_in(tensor<device half, dextents<int, 2>> a [[buffer(0)]], device float* sum [[buffer(1)]]) {
  sum[0] = a.get_extents().extent(0);
}
