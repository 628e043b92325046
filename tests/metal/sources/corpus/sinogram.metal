// An algebra of turns with methods by address space, in threadgroup arrays and device buffers; lanes and quads of it.
#include <metal_stdlib>
using namespace metal;

#define ON_EVERY_SPACE(DO) DO(thread) DO(threadgroup) DO(device) DO(constant)

// A turn of the scanner's arm with a length: `along` in the direction of the arm, `across` at right angles to it.
struct Turn {
  float along, across;

  Turn() thread = default;
  Turn() threadgroup = default;
  constexpr Turn(float length) thread : along(length), across(0) {}
  constexpr Turn(float length) constant : along(length), across(0) {}
  constexpr Turn(float a, float b) thread : along(a), across(b) {}
  constexpr Turn(float a, float b) constant : along(a), across(b) {}

#define AS_PAIR(space) \
  explicit operator float2() const space { return float2(along, across); } \
  explicit operator half2() const space { return half2(along, across); }
  ON_EVERY_SPACE(AS_PAIR)
#undef AS_PAIR

  static Turn by(float degrees) {
    float cosine;
    const float sine = precise::sincos(degrees * (M_PI_F / 180), cosine);
    return Turn(cosine, sine);
  }
};

constexpr Turn operator+(Turn p, Turn q) { return Turn(p.along + q.along, p.across + q.across); }
constexpr Turn operator-(Turn p, Turn q) { return Turn(p.along - q.along, p.across - q.across); }
constexpr Turn operator-(Turn p) { return Turn(-p.along, -p.across); }
constexpr Turn operator~(Turn p) { return Turn(p.along, -p.across); }  // the turn back
constexpr float reach(Turn p) { return p.along * p.along + p.across * p.across; }
inline Turn operator*(Turn p, Turn q) {
  return Turn(fma(p.along, q.along, -(p.across * q.across)), fma(p.along, q.across, p.across * q.along));
}
inline Turn operator/(Turn p, Turn q) {
  const float unit = 1 / reach(q);
  const Turn undone = p * ~q;
  return Turn(undone.along * unit, undone.across * unit);
}
constexpr bool operator==(Turn p, Turn q) { return p.along == q.along && p.across == q.across; }
constexpr bool operator!=(Turn p, Turn q) { return !(p == q); }
constexpr bool operator<(Turn p, Turn q) { return reach(p) < reach(q); }
static thread Turn& operator+=(thread Turn& p, Turn q) {
  p = p + q;
  return p;
}
static threadgroup Turn& operator+=(threadgroup Turn& p, Turn q) {
  p = p + q;
  return p;
}

constexpr constant Turn kQuarters[4] = {{1.0f}, {0.0f, 1.0f}, {-1.0f}, {0.0f, -1.0f}};
constant Turn kStill(1.0f);

struct Scan {
  ushort angles, bins;
  uint side;         // of the square slice, in pixels
  float first, last;  // degrees
  Turn mount;
};

// Per angle, the arm's turn; per quarter, the shortest of them.
[[kernel]] void plan_arm(device Turn* arms [[buffer(0)]], device packed_half2* coarse [[buffer(1)]], constant Scan& scan [[buffer(2)]],
                         uint i [[thread_position_in_grid]], uint corner [[thread_index_in_quadgroup]]) {
  if (i >= scan.angles) return;
  const float share = float(i) / max(1, scan.angles - 1);
  Turn arm = Turn::by(mix(scan.first, scan.last, share)) / scan.mount;
  if (arm != kStill && !(arm < kStill)) arm = arm * Turn(rsqrt(reach(arm)));
  arm = arm * kQuarters[corner];
  arms[i] = arm;
  const float next = quad_shuffle_xor(arm.along, 1), opposite = quad_shuffle_xor(arm.across, ushort(2));
  const float calm = quad_min(reach(arm)), spread = quad_sum(fabs(next - opposite)), lead = quad_broadcast(arm.along, 0);
  coarse[i] = packed_half2(static_cast<half2>(Turn(calm, spread) + -Turn(lead)));
}

// One bin of one angle for each simdgroup: lanes walk along the ray, `stride` pixels apart.
template <typename Pixel>
kernel void project(const device Pixel* slice [[buffer(0)]], const device Turn* arms [[buffer(1)]], device float* sinogram [[buffer(2)]],
                    constant Scan& scan [[buffer(3)]], uint2 bin_and_angle [[threadgroup_position_in_grid]],
                    ushort lane [[thread_index_in_simdgroup]], ushort stride [[threads_per_simdgroup]]) {
  const uint bin = bin_and_angle.x, angle = bin_and_angle.y;
  const float middle = 0.5f * (scan.side - 1), off = bin - 0.5f * (scan.bins - 1);
  const Turn arm = arms[angle];
  float met = 0;
  ushort inside = 0;
  for (uint step = lane; step < 2 * scan.side; step += stride) {
    const float2 at = float2(arm * Turn(off, 0.5f * step - middle)) + middle;
    const int2 low = int2(floor(at));
    if (any(low < 0) || any(low + 1 >= int(scan.side))) continue;
    const float2 part = fract(at);
    const device Pixel* here = slice + low.y * int(scan.side) + low.x;
    const device Pixel* below = here + scan.side;
    met += mix(mix(float(here[0]), float(here[1]), part.x), mix(float(below[0]), float(below[1]), part.x), part.y);
    ++inside;
  }
  met = simd_sum(met);
  const ushort before = simd_prefix_exclusive_sum(inside);
  if (lane + 1 == stride) sinogram[angle * scan.bins + bin] = met / max(1, before + inside);
}

// Angles are taken in blocks; the threadgroup turns each block once and keeps it.
template <typename Pixel, int kBlock, int kBins = 1>
kernel void smear_back(const device float* sinogram [[buffer(0)]], const device Turn* arms [[buffer(1)]], device Pixel* slice [[buffer(2)]],
                       constant Scan& scan [[buffer(3)]], uint2 at [[thread_position_in_grid]],
                       uint member [[thread_index_in_threadgroup]], uint2 extent [[threads_per_threadgroup]],
                       uint2 group [[threadgroup_position_in_grid]]) {
  static_assert(kBlock % 4 == 0 && kBins > 0, "blocks are of whole quarters");
  threadgroup Turn kept[kBlock / 4][4];
  threadgroup Turn drift;
  if (group.x * extent.x >= scan.side || group.y * extent.y >= scan.side) return;  // nobody of this threadgroup has a pixel
  if (member == 0) drift = Turn(0.0f);
  float sum = 0;
  const float middle = 0.5f * (scan.side - 1);
  for (uint first = 0; first < scan.angles; first += kBlock) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = member; k < kBlock; k += extent.x * extent.y) {
      kept[k / 4][k % 4] = first + k < scan.angles ? ~Turn(arms[first + k]) : Turn();
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (member == 0) drift += kept[0][1] * ~kept[0][0] - kStill;
    const int count = min(kBlock, int(scan.angles - first));
#pragma unroll 4
    for (int k = 0; k < count; ++k) {
      const Turn seen = kept[k / 4][k % 4] * Turn(at.x - middle, at.y - middle);
      const float bin = clamp(seen.along + 0.5f * (scan.bins - 1), 0.0f, float(scan.bins - kBins));
      sum += sinogram[(first + k) * scan.bins + uint(rint(bin))];
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float step = length(float2(drift)) / ((scan.angles + kBlock - 1) / kBlock);  // from one angle to the next
  if (all(at < scan.side)) slice[at.y * scan.side + at.x] = Pixel(sum * step);
}

#define JOINED(a, b) a##b
#define SAID(a) #a
#define NAMED(a) SAID(a)
#define SCANNER(pixel)                                                                                                       \
  template [[host_name(NAMED(JOINED(project_, pixel)))]] kernel void project<pixel>(                                         \
      const device pixel*, const device Turn*, device float*, constant Scan&, uint2, ushort, ushort);                        \
  SMEARS(pixel, 8) SMEARS(pixel, 64, 2)
#define SMEARS(pixel, block, ...)                                                                                            \
  template [[host_name(NAMED(JOINED(smear_, pixel)) "_" #block)]] kernel void smear_back<pixel, block, ##__VA_ARGS__>(       \
      const device float*, const device Turn*, device pixel*, constant Scan&, uint2, uint, uint2, uint2);
SCANNER(float)
SCANNER(half)
SCANNER(bfloat)
SCANNER(uchar)
