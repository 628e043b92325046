// Folds and row statistics as templates over element types and functors; host names by macros of three levels.
#include <metal_stdlib>
using namespace metal;

struct Yard {
  uint hives;
  uint frames;  // of each hive
  float tare;
  float grain;
};

// How two weighings become one. Every fold says what leaves a weighing as it is, and how a simdgroup folds.
struct Together {
  template <typename A>
  static constexpr A nothing() { return A(0); }
  constexpr float operator()(float a, float b) const { return a + b; }
  constexpr int operator()(int a, int b) const { return a + b; }
  float lanes(float a) const { return simd_sum(a); }
  int lanes(int a) const { return simd_sum(a); }
};
struct Heaviest {
  template <typename A>
  static constexpr A nothing() { return numeric_limits<A>::lowest(); }
  float operator()(float a, float b) const { return isnan(a) ? b : fmax(a, b); }
  constexpr int operator()(int a, int b) const { return a < b ? b : a; }
  template <typename A>
  A lanes(A a) const { return simd_max(a); }
};
struct Sharpest /* the sum of squares; squares are taken before */ : Together {};

// What one frame weighs, wherever the frame is kept.
template <typename Frame>
struct Scales {
  using Load = float;
  float tare;
  Load operator()(const device Frame& frame) const { return float(frame) - tare; }
  Load operator()(const thread Frame& frame) const { return float(frame) - tare; }
};
template <>
struct Scales<char2> {  // kilograms and hundredths
  using Load = float;
  float tare;
  Load operator()(const device char2& frame) const { return fma(float(frame.y), 0.01f, float(frame.x)) - tare; }
  Load operator()(const thread char2& frame) const { return fma(float(frame.y), 0.01f, float(frame.x)) - tare; }
};
template <>
struct Scales<uchar> {  // a count of bees
  using Load = int;
  float tare;
  Load operator()(const device uchar& frame) const { return int(frame); }
  Load operator()(const thread uchar& frame) const { return int(frame); }
};

// A thread folds every n-th frame, a simdgroup its lanes, and the first simdgroup what the others left behind.
template <typename Frame, typename Fold = Together, int kAtOnce = 4, typename Load = typename Scales<Frame>::Load>
[[kernel]] void fold_hive(const device Frame* frames [[buffer(0)]],
                          device Load* loads [[buffer(1)]],
                          constant Yard& yard [[buffer(2)]],
                          threadgroup Load* left [[threadgroup(0)]],
                          uint hive [[threadgroup_position_in_grid]],
                          uint member [[thread_position_in_threadgroup]],
                          uint members [[threads_per_threadgroup]],
                          uint lane [[thread_index_in_simdgroup]],
                          uint cluster [[simdgroup_index_in_threadgroup]],
                          uint clusters [[simdgroups_per_threadgroup]]) {
  static_assert(kAtOnce > 0 && kAtOnce <= 8, "a thread carries eight frames at most");
  if (hive >= yard.hives) return;  // the whole threadgroup leaves
  constexpr Fold fold{};
  const Scales<Frame> scales{yard.tare};
  const device Frame* own = frames + hive * yard.frames;
  Load load = Fold::template nothing<Load>();
  for (uint first = member * kAtOnce; first < yard.frames; first += members * kAtOnce) {
    Frame carried[kAtOnce];
    const int count = min(kAtOnce, int(yard.frames - first));
    const bool full = count == kAtOnce;
    for (int i = 0; full && i < kAtOnce; ++i) carried[i] = own[first + i];
    for (int i = 0; i < count; ++i) {
      Load one = full ? scales(carried[i]) : scales(own[first + i]);
      if constexpr (is_same_v<Fold, Sharpest>) one *= one;
      load = fold(load, one);
    }
  }
  load = fold.lanes(load);
  if (lane == 0) left[cluster] = load;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (cluster != 0) return;
  load = fold.lanes(lane < clusters ? left[lane] : Fold::template nothing<Load>());
  if (lane == 0) loads[hive] = load;
}

// Number, mean and summed squared distance; two of them combine without a loss of digits.
struct Swarm {
  float bees, mean, scatter;
  void admit(float x) thread {
    const float off = x - mean;
    bees += 1;
    mean += off / bees;
    scatter = fma(off, x - mean, scatter);
  }
  void join(float other_bees, float other_mean, float other_scatter) thread {
    const float all = bees + other_bees, part = all > 0 ? other_bees / all : 0.0f, off = other_mean - mean;
    mean = fma(off, part, mean);
    scatter += other_scatter + off * off * bees * part;
    bees = all;
  }
};

// Rows begin where vectors may begin.
static inline ulong pitch_of(constant Yard& yard) { return (yard.frames + 3) & ~3u; }

template <typename T>
[[kernel]] void row_spread(const device T* rows [[buffer(0)]], device float2* spreads [[buffer(1)]], constant Yard& yard [[buffer(2)]],
                           ushort lane [[thread_index_in_simdgroup]], ushort cluster [[simdgroup_index_in_threadgroup]],
                           ushort clusters [[simdgroups_per_threadgroup]], uint member [[thread_index_in_threadgroup]],
                           uint row [[threadgroup_position_in_grid]], uint members [[threads_per_threadgroup]]) {
  using Four = vec<T, 4>;
  threadgroup Swarm gathered[32];
  const device T* own = rows + row * pitch_of(yard);
  const device Four* fours = reinterpret_cast<const device Four*>(own);
  const uint whole = yard.frames / 4;
  Swarm swarm{};
  for (uint i = member; i < whole; i += members) {
    const float4 x = float4(fours[i]);
    swarm.admit(x.x), swarm.admit(x.y), swarm.admit(x.z), swarm.admit(x.w);
  }
  for (uint i = 4 * whole + member; i < yard.frames; i += members) swarm.admit(float(own[i]));
  for (ushort apart = 1; apart < 32; apart *= 2) {
    swarm.join(simd_shuffle_xor(swarm.bees, apart), simd_shuffle_xor(swarm.mean, apart), simd_shuffle_xor(swarm.scatter, apart));
  }
  if (lane == 0) gathered[cluster] = swarm;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (member != 0) return;
  for (ushort i = 1; i < clusters; ++i) swarm.join(gathered[i].bees, gathered[i].mean, gathered[i].scatter);
  spreads[row] = float2(swarm.mean, metal::precise::sqrt(swarm.scatter / swarm.bees));
}

// The first pass has left mean and spread; this one applies them in place.
template <typename T, bool kCentred = true>
kernel void level_rows(device T* rows [[buffer(0)]], const device float2* spreads [[buffer(1)]], constant Yard& yard [[buffer(2)]],
                       uint2 at [[thread_position_in_grid]], uint2 extent [[threads_per_grid]]) {
  const float2 spread = spreads[at.y];
  const float shrink = fast::divide(1.0f, spread.y + yard.grain);
  for (uint i = at.x; i < yard.frames; i += extent.x) {
    device T& cell = rows[at.y * pitch_of(yard) + i];
    if constexpr (kCentred) cell = T((float(cell) - spread.x) * shrink);
    else cell = T(float(cell) * shrink);
  }
}

#define TEXT(x) #x
#define TITLE(stem, kind) TEXT(stem##_of_##kind)
#define FOLD_AS(stem, kind, Load, ...)                                                                          \
  template [[host_name(TITLE(stem, kind))]] [[kernel]] void fold_hive<__VA_ARGS__>(                             \
      const device kind*, device Load*, constant Yard&, threadgroup Load*, uint, uint, uint, uint, uint, uint);
#define FOLDS_OF(kind, Load)                        \
  FOLD_AS(total, kind, Load, kind)                  \
  FOLD_AS(top, kind, Load, kind, Heaviest, 1 << 3)  \
  FOLD_AS(sharp, kind, Load, kind, Sharpest, 3)
FOLDS_OF(float, float) FOLDS_OF(half, float)
FOLDS_OF(bfloat, float) FOLDS_OF(char2, float)
FOLDS_OF(uchar, int)

#define ROW_KERNELS(kind)                                                                                               \
  template [[host_name(TITLE(spread, kind))]] [[kernel]] decltype(row_spread<kind>) row_spread<kind>;                   \
  template [[host_name(TITLE(level, kind))]] kernel decltype(level_rows<kind>) level_rows<kind>;                        \
  template [[host_name(TITLE(shrunk, kind))]] kernel decltype(level_rows<kind, false>) level_rows<kind, false>;
ROW_KERNELS(float)
ROW_KERNELS(half)
ROW_KERNELS(bfloat)
