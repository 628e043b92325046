// Function constants of bool, int and float, their defaults, buffers that they switch; grid positions of all widths.
// function_constants: 11 = true, 12 = 5, 13 = 0.25, 15 = false
#include <metal_stdlib>
using namespace metal;

// What makes a tide: its name, its speed in degrees an hour, its share of the range.
#define TIDAL_TERMS(ROW)                  \
  ROW(moon_twice_a_day, 28.984f, 1.000f)  \
  ROW(sun_twice_a_day, 30.000f, 0.465f)   \
  ROW(moon_ellipse, 28.440f, 0.192f)      \
  ROW(sun_and_moon_daily, 15.041f, 0.584f) \
  ROW(moon_daily, 13.943f, 0.415f)        \
  ROW(shallow_water, 57.968f, 0.031f)
#define ROW_NAME(name, speed, share) name,
#define ROW_SPEED(name, speed, share) speed,
#define ROW_SHARE(name, speed, share) (share),

enum class Term : uchar { TIDAL_TERMS(ROW_NAME) how_many };
constexpr constant int kAllTerms = static_cast<int>(Term::how_many);
constexpr constant float kSpeeds[kAllTerms] = {TIDAL_TERMS(ROW_SPEED)};
constant constexpr float kShares[] = {TIDAL_TERMS(ROW_SHARE)};
static_assert(sizeof(kShares) == sizeof(kSpeeds), "each term has a speed and a share");

constant bool kStormy [[function_constant(11)]];
constant int kTermsAsked [[function_constant(12)]];
constant float kDamping [[function_constant(13)]];
constant float kDatumAsked [[function_constant(14)]];  // nobody sets it
constant bool kMetric [[function_constant(15)]];

constant int kTerms = is_function_constant_defined(kTermsAsked) ? kTermsAsked : 3;
constant bool kHasDatum = is_function_constant_defined(kDatumAsked);
constant float kDatum = kHasDatum ? kDatumAsked : -0.5f;
constant float kUnit = kMetric ? 1.0f : 0.3048f;
constant bool kSwells = kStormy && kTerms > 3;
constant bool kCalm = !kStormy;

struct Harbour {
  packed_float2 place;  // degrees east, degrees north
  float mean;
  ushort pier[2][3];
  float phase[kAllTerms];
};
struct Almanac {
  uint harbours, hours;
  float hours_a_step;
};
struct alignas(16) Gale {
  float2 from;
  half push;
};

static inline __attribute__((always_inline)) float height_at(const device Harbour& harbour, float hour) {
  float height = harbour.mean - kDatum;
#pragma unroll
  for (int term = 0; term < kAllTerms; ++term) {
    if (term >= kTerms) break;
    const float turns = fma(kSpeeds[term], hour, harbour.phase[term]) / 360.0f;
    height = fma(kShares[term], precise::cos(2 * M_PI_F * fract(turns)), height);
  }
  return height * /* metres, or what feet make of them */ kUnit;
}

kernel void tide_heights(const device Harbour* harbours [[buffer(0)]],
                         device half* heights [[buffer(1)]],
                         constant Almanac& almanac [[buffer(2)]],
                         const device float* surges [[buffer(3), function_constant(kStormy)]],
                         constant Gale& gale [[buffer(4), function_constant(kSwells)]],
                         device atomic_uint* calm_hours [[buffer(5), function_constant(kCalm)]],
                         constant float& datum [[buffer(6), function_constant(kHasDatum)]],
                         uint2 at [[thread_position_in_grid]]) {
  const auto hour = at.x, port = at.y;
  if (hour >= almanac.hours || port >= almanac.harbours) return;
  const device Harbour& harbour = harbours[port];
  float height = height_at(harbour, hour * almanac.hours_a_step);
  if (kStormy) height = mix(height, surges[hour], kDamping);
  if (kSwells) {
    const float2 towards = fast::normalize(float2(harbour.place) - gale.from);
    height += float(gale.push) * max(0.0f, dot(towards, float2(0.6f, -0.8f)));
  }
  if (kCalm) atomic_fetch_add_explicit(calm_hours, 1u, memory_order_relaxed);
  if (kHasDatum) height -= datum;
  heights[port * almanac.hours + hour] = half(height + harbour.pier[hour & 1][2]);
}

// A sum of exponentials that never overflows: mass * 2^level, where level is a whole number.
struct SoftCrest {
  int level;
  float mass;
  void raise(float4 block) thread {
    const float4 octaves = block * M_LOG2E_F;
    const float top = simd_max(max(max(octaves.x, octaves.y), max(octaves.z, octaves.w)));
    const int risen = max(level, static_cast<int>(ceil(top)));
    const float4 parts = exp2(octaves - risen);
    mass = ldexp(mass, max(level - risen, -200)) + simd_sum(dot(parts, float4(1)));
    level = risen;
  }
  float height() const thread { return (precise::log2(mass) + level) / M_LOG2E_F; }
};

// One simdgroup for each harbour.
[[kernel]] void soft_high_water(device const half* heights, device float* crests, constant Almanac& almanac,
                                uint port [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]],
                                uint width [[threads_per_simdgroup]]) {
  device const half* row = heights + port * almanac.hours;
  SoftCrest crest = {-1000, 0.0f};
  for (uint first = 0; first < almanac.hours; first += 4 * width) {
    const uint4 hours = first + 4 * lane + uint4(0, 1, 2, 3);
    const bool4 known = hours < almanac.hours;
    float4 block;
    for (ushort i = 0; i < 4; ++i) block[i] = row[known[i] ? hours[i] : 0];
    crest.raise(select(float4(-INFINITY), block, known));
  }
  if (simd_is_first()) crests[port] = crest.height();
}

#define TALLY(...) tally(out, __VA_ARGS__)
static uint tally(device uint* out, uint place, uint amount) { return out[place] += amount; }

kernel void positions_in_a_line(device uint* out [[buffer(0)]], ushort in_grid [[thread_position_in_grid]],
                                uint grid [[threads_per_grid]], ushort in_group [[thread_position_in_threadgroup]],
                                ushort group_threads [[threads_per_threadgroup]], uint group [[threadgroup_position_in_grid]],
                                uint groups [[threadgroups_per_grid]], ushort usual [[dispatch_threads_per_threadgroup]],
                                uint index [[thread_index_in_threadgroup]], ushort simds [[simdgroups_per_threadgroup]],
                                uint usual_simds [[dispatch_simdgroups_per_threadgroup]], uint wide [[thread_execution_width]]) {
  TALLY(in_grid, grid + in_group * group_threads);
  TALLY(in_grid, group + groups * usual + index), TALLY(in_grid, simds + usual_simds - wide);
}
kernel void positions_in_a_plane(device uint* out [[buffer(0)]], ushort2 in_grid [[thread_position_in_grid]],
                                 ushort2 grid [[threads_per_grid]], uint2 in_group [[thread_position_in_threadgroup]],
                                 ushort2 group_threads [[threads_per_threadgroup]], uint simd [[simdgroup_index_in_threadgroup]],
                                 ushort quad [[quadgroup_index_in_threadgroup]], uint in_quad [[thread_index_in_quadgroup]],
                                 ushort quads [[quadgroups_per_threadgroup]]) {
  const uint place = in_grid.y * grid.x + in_grid.x;
  TALLY(place, in_group.x + in_group.y * group_threads.x + simd), TALLY(place, quad * quads + in_quad);
}
[[kernel]] void positions_in_a_block(device uint* out [[buffer(0)]], metal::uint3 in_grid [[thread_position_in_grid]],
                                     metal::ushort3 grid [[threads_per_grid]], ushort3 in_group [[thread_position_in_threadgroup]],
                                     uint3 group [[threadgroup_position_in_grid]], ushort3 groups [[threadgroups_per_grid]],
                                     uint3 usual [[dispatch_threads_per_threadgroup]]) {
  const uint place = (in_grid.z * grid.y + in_grid.y) * grid.x + in_grid.x;
  TALLY(place, metal::dot(float3(in_group), float3(usual))), TALLY(place, metal::any(group >= uint3(groups)));
}
