// Intervals as a class template with friends; partial and full specialisations, static members of them, variadic macros.
#include <metal_stdlib>
#include <metal_limits>
using namespace metal;

// How a survey stores heights, and how much a stored height may be off.
template <typename Stored>
struct Survey {
  using Exact = float;
  static constexpr float grain() { return 0.0f; }
  static constexpr constant bool kSigned = true;
};
template <>
constexpr float Survey<half>::grain() { return 0.03125f; }
template <>
constexpr float Survey<bfloat>::grain() { return 0.25f; }
template <typename Stored, int kMany>
struct Survey<metal::vec<Stored, kMany>> : Survey<Stored> {  // each component is a height
  static constexpr constant int kHeights = kMany;
};
template <>
struct Survey<uchar> {
  using Exact = half;
  static constexpr float grain() { return 0.5f; }
  static constexpr constant bool kSigned = false;
};

// What stands where nobody measured.
template <typename Stored>
constexpr constant float kUnknown = -9999.0f;
template <>
constexpr constant float kUnknown<uchar> = 255.0f;

// All heights from `low` to `high`.
template <typename Exact>
struct Between {
  Exact low, high;
  Between() thread = default;
  constexpr Between(Exact both) thread : low(both), high(both) {}
  constexpr Between(Exact l, Exact h) thread : low(l), high(h) {}
  constexpr Between(Exact l, Exact h) constant : low(l), high(h) {}
  Between() threadgroup = default;
  template <typename Other>
  explicit constexpr Between(Between<Other> other) thread : low(Exact(other.low)), high(Exact(other.high)) {}

  friend constexpr Between operator+(Between p, Between q) { return {p.low + q.low, p.high + q.high}; }
  friend constexpr Between operator-(Between p, Between q) { return {p.low - q.high, p.high - q.low}; }
  friend constexpr Between operator-(Between p) { return {-p.high, -p.low}; }
  friend Between operator*(Between p, Between q) {
    const metal::vec<Exact, 4> ends(p.low * q.low, p.low * q.high, p.high * q.low, p.high * q.high);
    const auto least = metal::min(ends.xy, ends.zw), most = metal::max(ends.xy, ends.zw);
    return {metal::min(least.x, least.y), metal::max(most.x, most.y)};
  }
  friend Between operator/(Between p, Exact by) { return by < 0 ? Between(p.high / by, p.low / by) : Between(p.low / by, p.high / by); }
  friend constexpr bool operator==(Between p, Between q) { return p.low == q.low && p.high == q.high; }
  template <typename Other>
  friend constexpr bool operator<(Between p, Between<Other> q) { return float(p.high) < float(q.low); }
  template <typename Other>
  friend constexpr bool operator>(Between p, Other level) { return p.low > Exact(level); }

  operator Exact() const thread { return (low + high) / 2; }
};
constexpr constant Between<float> kSnow(1800.0f, 3500.0f);

// A functor for each question that one may ask about a place.
struct Steepness {
  float apart = 1;  // metres from one place to the next
  template <typename Exact>
  Between<Exact> operator()(Between<Exact> west, Between<Exact> east, Between<Exact> south, Between<Exact> north) const {
    const Between<Exact> x = (east - west) / Exact(2 * apart), y = (north - south) / Exact(2 * apart);
    return x * x + y * y;
  }
};
struct Hollowness {
  half ease = 1.0h;
  Between<float> operator()(Between<float> a, Between<float> b, Between<float> c, Between<float> d) const {
    return (a + b + c + d) / 4.0f * Between<float>(ease);
  }
  Between<half> operator()(Between<half> a, Between<half> b, Between<half> c, Between<half> d) const {
    return -(-a - b - c - d) * Between<half>(0.25h * ease);
  }
};

enum class Beyond { sea, nearest, mirrored };

struct Sheet {
  int columns, rows;
  float metres;           // that one stored unit stands for
  int crop[2][2];         // first and last column, first and last row
};

template <Beyond kBeyond>
inline int fold_back(int at, int many) {
  if constexpr (kBeyond == Beyond::nearest) return metal::clamp(at, 0, many - 1);
  else if constexpr (kBeyond == Beyond::mirrored) return metal::abs(many - 1 - metal::abs(many - 1 - at));
  else return at < 0 || at >= many ? -1 : at;
}

template <typename Stored, Beyond kBeyond, typename Kind = Survey<Stored>, typename Exact = typename Kind::Exact>
__attribute__((always_inline)) inline Between<Exact> height(const device Stored* heights, constant Sheet& sheet, int column, int row) {
  const int x = fold_back<kBeyond>(column, sheet.columns), y = fold_back<kBeyond>(row, sheet.rows);
  if (x < 0 || y < 0) return Between<Exact>(Exact(0));
  const float stored = float(heights[y * sheet.columns + x]);
  if (stored == kUnknown<Stored>) return {Exact(-500.0f), Exact(9000.0f)};
  const Exact level = Exact(stored * sheet.metres), off = Exact(Kind::grain() * sheet.metres);
  if constexpr (Kind::kSigned) return {level - off, level + off};
  return {metal::max(level - off, Exact(0)), level + off};
}

// Asks `Question` of every place in the crop, and leaves what is certain: both ends, and whether the place has snow.
template <typename Stored, class Question, Beyond kBeyond = Beyond::nearest>
[[kernel]] void ask_map(const device Stored* heights [[buffer(0)]], device metal::packed_float2* answers [[buffer(1)]],
                        device uchar* snowed [[buffer(2)]], constant Sheet& sheet [[buffer(3)]],
                        constant Question& question [[buffer(4)]], metal::uint2 place [[thread_position_in_grid]]) {
  const int x = sheet.crop[0][0] + int(place.x), y = sheet.crop[1][0] + int(place.y);
  if (x > sheet.crop[0][1] || y > sheet.crop[1][1]) return;
#define HEIGHTS(...) height<Stored, kBeyond>(heights, sheet, __VA_ARGS__)
  const auto here = HEIGHTS(x, y);
  const Question asked = question;
  const auto answer = asked(HEIGHTS(x - 1, y), HEIGHTS(x + 1, y), HEIGHTS(x, y - 1), HEIGHTS(x, y + 1));
#undef HEIGHTS
  const int at = y * sheet.columns + x;
  answers[at] = packed_float2(float2(answer.low, answer.high));
  const Between<float> snow = kSnow;
  snowed[at] = uchar(snow < here) << 1 | uchar(here > snow.low);
}

// The lowest and highest height of each block of the map, and where in a list the blocks without snow begin.
template <typename Four, int kBlock>
kernel void block_range(const device Four* heights [[buffer(0)]], device metal::packed_half2* ranges [[buffer(1)]],
                        device ushort* places [[buffer(2)]], constant Sheet& sheet [[buffer(3)]],
                        uint member [[thread_position_in_threadgroup]], uint block [[threadgroup_position_in_grid]],
                        ushort lane [[thread_index_in_simdgroup]], ushort simd [[simdgroup_index_in_threadgroup]],
                        ushort simds [[simdgroups_per_threadgroup]], uint members [[threads_per_threadgroup]]) {
  threadgroup Between<float> ranges_met[32];
  constexpr int each = Survey<Four>::kHeights;
  static_assert(each == 4 and kBlock % each == 0, "blocks are read in vectors");
  metal::float2 range(INFINITY, -INFINITY);
  ushort bare = 0;
  for (uint i = member; i < kBlock / each; i += members) {
    const metal::float4 some = metal::float4(heights[block * (kBlock / each) + i]) * sheet.metres;
    for (int k = 0; k < each; ++k) {
      range = metal::float2(metal::fmin(range.x, some[k]), metal::fmax(range.y, some[k]));
      bare += some[k] < kSnow.low;
    }
  }
  range = metal::float2(metal::simd_min(range.x), metal::simd_max(range.y));
  const ushort earlier = metal::simd_prefix_exclusive_sum(bare);
  places[block * members + member] = earlier + metal::quad_max(bare);
  if (lane == 0) ranges_met[simd] = Between<float>(range.x - Survey<Four>::grain(), range.y + Survey<Four>::grain());
  metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
  if (member > 0) return;
  Between<float> all = ranges_met[0];
  for (ushort other = 1; other < simds; ++other) {
    const Between<float> next = ranges_met[other];
    all = {metal::min(all.low, next.low), metal::max(all.high, next.high)};
  }
  if (!(all == Between<float>(0.0f))) ranges[block] = metal::packed_half2(metal::half2(half(all.low), half(float(all))));
}

#define MAP_TITLE(...) MAP_TITLE_OF(__VA_ARGS__)
#define MAP_TITLE_OF(question, stored, beyond) #question "_of_" #stored "_" #beyond
#define MAP_KERNEL(stored, question, beyond)                                                                              \
  template [[host_name(MAP_TITLE(question, stored, beyond))]] [[kernel]] void ask_map<stored, question, Beyond::beyond>(  \
      const device stored*, device metal::packed_float2*, device uchar*, constant Sheet&, constant question&, metal::uint2);
#define MAP_QUESTIONS(stored, ...) MAP_KERNEL(stored, Steepness, __VA_ARGS__) MAP_KERNEL(stored, Hollowness, __VA_ARGS__)
#define MAP_EDGES(stored) MAP_QUESTIONS(stored, sea) MAP_QUESTIONS(stored, nearest) MAP_QUESTIONS(stored, mirrored)
MAP_EDGES(float) MAP_EDGES(half)
MAP_QUESTIONS(bfloat, nearest) MAP_QUESTIONS(uchar, mirrored) MAP_KERNEL(short, Steepness, sea)
#define MAP_BLOCKS(stored, many)                                                                                          \
  template [[host_name("block_range_" #stored)]] kernel void block_range<metal::stored##4, many>(                         \
      const device metal::stored##4*, device metal::packed_half2*, device ushort*, constant Sheet&, uint, uint,           \
      ushort, ushort, ushort, uint);
MAP_BLOCKS(half, 256)
MAP_BLOCKS(float, 1024)
