// Simdgroup matrices of half and float: loads with strides and transposed, products of three, edges by scalar code.
// function_constants: 31 = 2, 32 = 0.125, 33 = true
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

constant uint kStepsAsked [[function_constant(31)]];
constant float kLeak [[function_constant(32)]];
constant bool kInsulated [[function_constant(33)]];
constant uint kSteps = is_function_constant_defined(kStepsAsked) ? kStepsAsked : 1u;

// Heat flows on a plate of width x depth cells. A pane is what one threadgroup computes of it.
struct Plate {
  int width, depth;
  float flow;
  float edges[2][2];  // at the left and right; at the front and back
};

template <typename T>
using Patch = simdgroup_matrix<T, 8, 8>;

// Rows of panes in threadgroup memory are longer than the pane, so that columns begin in different banks.
template <typename T, int kSide>
struct Pane {
  static_assert(kSide % 8 == 0, "a pane consists of whole patches");
  using Cell = T;
  using Here = threadgroup Cell*;
  static constexpr constant int kPitch = kSide + 16 / int(sizeof(T));
  static constexpr constant int kCells = kSide * kPitch;
  static constexpr constant int kPatches = kSide / 8;
  Here cells;
  Here patch(int across, int down) const { return cells + 8 * (down * kPitch + across); }
  threadgroup Cell& operator()(int x, int y) const { return cells[y * kPitch + x]; }
};

// What a cell gives to the cells beside it; a matrix that is 1 - 2 * flow on its diagonal.
struct Exchange {
  float flow;
  constexpr float operator()(int x, int y) const { return x == y ? 1 - 2 * flow : (x - y == 1 || y - x == 1) ? flow : 0.0f; }
};

template <typename T>
static T fetch(const device T* plate, constant Plate& shape, int x, int y) {
  const bool left = x < 0, right = x >= shape.width, front = y < 0, back = y >= shape.depth;
  if (left || right) return T(shape.edges[0][right]);
  if (front || back) return T(shape.edges[1][back]);
  return plate[y * shape.width + x];
}

// new = X * old * transpose(X), by one simdgroup for each row of patches.
template <typename T, typename Sum, int kSide>
[[kernel]] void diffuse(const device T* before [[buffer(0)]], device T* after [[buffer(1)]], constant Plate& shape [[buffer(2)]],
                        threadgroup T* store [[threadgroup(0)]], uint2 pane_at [[threadgroup_position_in_grid]],
                        uint member [[thread_index_in_threadgroup]], ushort row [[simdgroup_index_in_threadgroup]],
                        uint2 crew [[threads_per_threadgroup]]) {
  using Tile = Pane<T, kSide>;
  using Sums = Pane<Sum, kSide>;
  threadgroup Sum settled[Sums::kCells];
  const int2 corner = int2(pane_at) * (kSide - 2) - 1;  // panes overlap by the cells at their rims
  if (corner.x + 1 >= shape.width or corner.y + 1 >= shape.depth) return;
  const uint members = crew.x * crew.y;
  const Tile plate{store}, gives{store + Tile::kCells};
  const Sums sums{settled};
  const Exchange exchange{shape.flow};
  for (int i = member; i < kSide * kSide; i += members) {
    const int x = i % kSide, y = i / kSide;
    plate(x, y) = fetch(before, shape, corner.x + x, corner.y + y);
    gives(x, y) = T(exchange(x, y));
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint step = 0; step < kSteps; ++step) {
    Patch<Sum> total[Tile::kPatches];
    for (int across = 0; across < Tile::kPatches; ++across) total[across] = Patch<Sum>(0);
    for (int from = 0; from < Tile::kPatches; ++from) {
      Patch<T> left;
      simdgroup_load(left, gives.patch(from, row), Tile::kPitch);
      // One patch of X * old at a time: it is spread over the columns of the result at once.
      Patch<T> half_way(T(0));
      for (int k = 0; k < Tile::kPatches; ++k) {
        Patch<T> x, old;
        simdgroup_load(x, gives.patch(k, row), Tile::kPitch, ulong2(0), false);
        simdgroup_load(old, plate.patch(from, k), Tile::kPitch);
        simdgroup_multiply_accumulate(half_way, x, old, half_way);
      }
      for (int across = 0; across < Tile::kPatches; ++across) {
        Patch<T> turned;
        simdgroup_load(turned, gives.patch(from, across), Tile::kPitch, ulong2(0, 0), /* transposed */ true);
        simdgroup_multiply_accumulate(total[across], half_way, turned, total[across]);
      }
    }
    for (int across = 0; across < Tile::kPatches; ++across) simdgroup_store(total[across], sums.patch(across, row), Sums::kPitch);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int i = member; i < kSide * kSide; i += members) {
      const int x = i % kSide, y = i / kSide;
      Sum warmth = sums(x, y);
      if (!kInsulated) warmth -= Sum(kLeak) * warmth;
      plate(x, y) = T(warmth);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (int i = member; i < (kSide - 2) * (kSide - 2); i += members) {
    const int2 in = 1 + int2(i % (kSide - 2), i / (kSide - 2)), at = corner + in;
    if (at.x < shape.width && at.y < shape.depth) after[at.y * shape.width + at.x] = plate(in.x, in.y);
  }
}

// The energy of 8 x 8 cells, as the diagonal of P * transpose(P); the second load reads device memory with columns as rows.
template <typename T>
kernel void patch_energy(const device T* plate [[buffer(0)]], device float* energies [[buffer(1)]], constant Plate& shape [[buffer(2)]],
                         uint2 at [[threadgroup_position_in_grid]], uint2 many [[threadgroups_per_grid]],
                         uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float squares[8][8];
  const device T* corner = plate + 8 * (at.y * shape.width + at.x);
  Patch<T> rows, columns;
  simdgroup_load(rows, corner, ulong(shape.width));
  simdgroup_load(columns, plate, ulong(shape.width), ulong2(8 * at), true);
  simdgroup_float8x8 product = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  simdgroup_multiply_accumulate(product, rows, columns, product);
  simdgroup_store(product, &squares[0][0], 8);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  const float energy = simd_sum(lane < 8 ? squares[lane][lane] : 0.0f);
  if (lane == 0) energies[at.y * many.x + at.x] = energy;
}

#define PLATE_NAME(what, cell, sum, side) #what "_" #cell "_" #sum "_" #side
#define PLATE_DIFFUSES(cell, sum, side)                                                                \
  template [[host_name(PLATE_NAME(diffuse, cell, sum, side))]] [[kernel]] void diffuse<cell, sum, side>( \
      const device cell*, device cell*, constant Plate&, threadgroup cell*, uint2, uint, ushort, uint2);
#define PLATE_SIDES(cell, sum) PLATE_DIFFUSES(cell, sum, 16) PLATE_DIFFUSES(cell, sum, 32)
PLATE_SIDES(half, float)
PLATE_SIDES(half, half)
PLATE_SIDES(float, float)
template [[host_name("energy_half")]] kernel decltype(patch_energy<half>) patch_energy<half>;
template [[host_name("energy_float")]] kernel decltype(patch_energy<float>) patch_energy<float>;
