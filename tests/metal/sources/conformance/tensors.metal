// Products of tensors: in memory and in registers, by a thread, a simdgroup and four of them.
#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using namespace mpp::tensor_ops;

constant bool hasty [[function_constant(0)]];
constant bool straggles [[function_constant(1)]];
constant bool begun [[function_constant(2)]];
constant bool skips [[function_constant(3)]];

struct orchard {
  int rows, columns, depth;
};

// Sheets of 32 by 32, cut where the matrix ends. Either factor may lie with its rows as columns.
template <typename T, typename Sum, bool LeftTurned, bool RightTurned>
kernel void harvest(device T *trees [[buffer(0)]], device T *weeks [[buffer(1)]], device Sum *fruit [[buffer(2)]],
                    constant orchard &sizes [[buffer(3)]], uint2 sheet [[threadgroup_position_in_grid]]) {
  using lengths = dextents<int32_t, 2>;
  const int row = sheet.y * 32, column = sheet.x * 32;
  auto left = tensor(trees, LeftTurned ? lengths(sizes.rows, sizes.depth) : lengths(sizes.depth, sizes.rows));
  auto right = tensor(weeks, RightTurned ? lengths(sizes.depth, sizes.columns) : lengths(sizes.columns, sizes.depth),
                      array<int, 2>({1, RightTurned ? sizes.depth : sizes.columns}));
  auto out = tensor<device Sum, lengths, tensor_inline>(fruit, lengths(sizes.columns, sizes.rows));

  constexpr auto what =
      matmul2d_descriptor(32, 32, static_cast<int>(dynamic_extent), LeftTurned, RightTurned);
  matmul2d<what, execution_simdgroup> pick;
  auto own_left = LeftTurned ? left.slice(row, 0) : left.slice(0, row);
  auto own_right = RightTurned ? right.slice(0, column) : right.slice(column, 0);
  auto basket = pick.template get_destination_cooperative_tensor<decltype(own_left), decltype(own_right), Sum>();
  pick.run(own_left, own_right, basket);
  basket.store(out.slice(column, row));
}
#define PLANT(name, ...) template [[host_name(name)]] kernel decltype(harvest<__VA_ARGS__>) harvest<__VA_ARGS__>;
PLANT("harvest_half", half, float, false, false)
PLANT("harvest_bfloat", bfloat, float, true, false)
PLANT("harvest_float", float, float, false, true)
PLANT("harvest_char", char, int, true, true)
PLANT("harvest_uchar", uchar, int, false, true)

// Four simdgroups fill a staging area together, and multiply it together: 48 by 80, 24 deep at a time.
kernel void press(device const half *trees [[buffer(0)]], device const half *weeks [[buffer(1)]],
                  device half *juice [[buffer(2)]], constant orchard &sizes [[buffer(3)]],
                  device const float *sugar [[buffer(4)]], uint thread_index [[thread_index_in_threadgroup]],
                  uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  constexpr int kHigh = 48, kWide = 80, kDeep = 24;
  threadgroup half stage[kHigh * kDeep + kWide * kDeep];
  auto left = tensor<threadgroup half, extents<int32_t, kDeep, kHigh>, tensor_inline>(
      stage, extents<int32_t, kDeep, kHigh>());
  auto right = tensor<threadgroup half, extents<int, dynamic_extent, kWide>, tensor_inline>(
      stage + kHigh * kDeep, extents<int, dynamic_extent, kWide>(kDeep));
  constexpr auto what = matmul2d_descriptor(kHigh, kWide, kDeep, false, true, true,
                                            matmul2d_descriptor::mode::multiply_accumulate);
  mpp::tensor_ops::matmul2d<what, execution_simdgroups<4>> pressing;
  auto barrel = pressing.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  if (begun) {
    for (uint16_t i = 0; i < barrel.get_capacity(); ++i) {
      const auto place = barrel.get_multidimensional_index(i);
      barrel[i] = barrel.is_valid_element(i) ? sugar[place[0]] : 0;
    }
  }
  for (int k = 0; k < sizes.depth; k += kDeep) {
    for (uint i = thread_index; i < (kHigh + kWide) * kDeep; i += 128) {
      const int line = i / kDeep, depth = k + i % kDeep;
      if (skips && line == kHigh + 7) continue;
      const bool tree = line < kHigh;
      const int place = tree ? line : line - kHigh, places = tree ? sizes.rows : sizes.columns;
      const bool there = place < places && depth < sizes.depth;
      stage[i] = there ? (tree ? trees : weeks)[place * sizes.depth + depth] : half(0);
    }
    if (!hasty) threadgroup_barrier(mem_flags::mem_threadgroup);
    if (!straggles || simdgroup != 3) pressing.run(left, right, barrel);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  auto out = tensor(juice, dextents<int, 2>(sizes.columns, sizes.rows));
  barrel.store(out);
}

// Where a lane's elements of a fragment lie: (column, row).
short2 seat(ushort lane, short i) {
  const short quad = lane / 4;
  return short2((quad & 2) * 4 + lane % 2 * 4 + i % 4, (quad & 4) + lane / 2 % 4 + i / 4 * 8);
}

// Everything in registers. `Side` fragments lie beside one another, `Down` below one another.
template <typename T, int Side, int Down>
struct Rack {
  vec<T, 8> shelves[Side * Down];
  void fill(device const T *from, ushort lane) thread {
    for (short f = 0; f < Side * Down; ++f) {
      for (short i = 0; i < 8; ++i) {
        const short2 at = seat(lane, i);
        shelves[f][i] = from[(f / Side * 16 + at.y) * Side * 16 + f % Side * 16 + at.x];
      }
    }
  }
};
template <int M, int N, int K, bool LeftTurned, bool RightTurned>
kernel void cellar(device const half *first [[buffer(0)]], device const half *second [[buffer(1)]],
                   device float *out [[buffer(2)]], ushort lane [[thread_index_in_simdgroup]]) {
  constexpr int kLeftSide = (LeftTurned ? M : K) / 16, kRightSide = (RightTurned ? K : N) / 16;
  constexpr auto what = matmul2d_descriptor(M, N, K, LeftTurned, RightTurned, true,
                                            matmul2d_descriptor::mode::multiply_accumulate);
  matmul2d<what, metal::execution_simdgroup> op;
  Rack<half, kLeftSide, M * K / 256 / kLeftSide> left;
  Rack<half, kRightSide, N * K / 256 / kRightSide> right;
  left.fill(first, lane);
  right.fill(second, lane);

  auto a = op.template get_left_input_cooperative_tensor<half, half, float>();
  auto b = op.template get_right_input_cooperative_tensor<half, half, float>();
  auto c = op.template get_destination_cooperative_tensor<remove_addrspace_t<decltype(a)>, decltype(b), float>();
  for (short i = 0; i < a.get_capacity(); ++i) a[i] = left.shelves[i / 8][i % 8];
  for (short i = 0; i < b.get_capacity(); ++i) b[i] = right.shelves[i / 8][i % 8];
  for (thread float &one : c) one = 0.5f;
  if (!straggles || lane < 20) op.run(a, b, c);
  a[0] = 0;
  b[0] = 0;
  for (short i = 0; i < c.get_capacity(); ++i) {
    const short2 at = seat(lane, i % 8);
    const short f = i / 8, across = N / 16;
    out[(f / across * 16 + at.y) * N + f % across * 16 + at.x] = c[i];
  }
}
#define DIG(name, ...) template [[host_name(name)]] kernel decltype(cellar<__VA_ARGS__>) cellar<__VA_ARGS__>;
DIG("cellar_plain", 16, 32, 16, false, false)
DIG("cellar_deep", 16, 16, 32, false, false)
DIG("cellar_left", 32, 16, 32, true, false)
DIG("cellar_right", 16, 32, 16, false, true)
DIG("cellar_both", 32, 32, 32, true, true)

// A matrix that one operation loads into registers, and one that stays in memory; the sum goes to memory.
template <matmul2d_descriptor What, typename Left, typename Right, typename Out>
void blend(thread Left &left, thread Right &right, thread Out &out) {
  matmul2d<What, execution_simdgroup> op;
  auto held = op.template get_left_input_cooperative_tensor<half, half, float>();
  held.load(left);
  op.run(held, right, out);
}
kernel void blending(device half *first [[buffer(0)]], device half *second [[buffer(1)]],
                     device float *out [[buffer(2)]], ushort lane [[thread_index_in_simdgroup]]) {
  auto left = tensor(first, dextents<int, 2>(21, 14));  // the tile is of 16 by 24
  auto right = tensor(second, extents<int, 40, 24>());
  auto sums = tensor(out, dextents<int, 2>(37, 14), array<int, 2>({1, 40}));
  auto corner = sums.slice(5, 0);
  constexpr auto anew = matmul2d_descriptor(16, 32, 24);
  constexpr auto added =
      matmul2d_descriptor(16, 32, 24, false, false, false, matmul2d_descriptor::mode::multiply_accumulate);
  auto above = right.slice<32, 21>(8, 3);
  blend<anew>(left, above, corner);
  simdgroup_barrier(mem_flags::mem_device);
  blend<added>(left, above, corner);
  simdgroup_barrier(mem_flags::mem_device);
  if (lane == 0) {
    sums[array<int, 2>{0, 1}] = sums.get_extents().extent(0) * 1000 + corner.get_extent(0);
    sums[array<int, 2>{1, 1}] = above.get_extent<0>() * 1000 + right.get_extents().extent(1);
  }
}

// Each thread multiplies for itself.
kernel void saplings(device float *first [[buffer(0)]], device float *second [[buffer(1)]],
                     device float *out [[buffer(2)]], uint thread_index [[thread_position_in_grid]]) {
  matmul2d<matmul2d_descriptor(3, 4, 5, false, true), execution_thread> grow;
  auto left = tensor(first + 15 * thread_index, extents<int, 5, 3>());
  auto right = tensor(second, dextents<int, 2>(5, 4));
  auto result = tensor(out + 12 * thread_index, dextents<int, 2>(4, 3));
  auto held = grow.get_right_input_cooperative_tensor<float, float, float>();
  held.load(right);
  if (thread_index % 2 == 0) grow.run(left, held, result);
  if (thread_index % 2 == 1) grow.run(left, right, result);
}

// The slice says that it is whole, and the memory ends before it does.
kernel void short_row(device half *first [[buffer(0)]], device half *second [[buffer(1)]],
                      device float *out [[buffer(2)]]) {
  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroup> op;
  auto left = tensor(first, dextents<int, 2>(20, 16));
  auto right = tensor(second, dextents<int, 2>(16, 16));
  auto result = tensor(out, dextents<int, 2>(16, 16));
  auto whole = left.slice<16, 16>(8, 0);
  op.run(whole, right, result);
}
