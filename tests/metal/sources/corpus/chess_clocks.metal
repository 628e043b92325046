// Records with a half, bytes and bit fields; random numbers by rotation; a merge sort of keys with payloads in threadgroup memory.
#include <metal_stdlib>
#include <metal_simdgroup>
using namespace metal;

enum class Control : uchar { sudden_death, increment, delay };
enum class Order { soonest_first, latest_first };

// One clock as the arbiter's device sends it: 16 bytes, and nothing between them.
struct Clock {
  half bonus;            // seconds
  uchar control;         // a Control
  uchar players[3];      // white, black, arbiter
  packed_ushort2 spent;  // tenths of a second
  uchar moves[6];        // three moves of 16 bits, the low byte first
};
static_assert(sizeof(Clock) == 16, "clocks follow one another without gaps");
static_assert(alignof(Clock) == 2, "a clock may begin at each half");

// Of the 16 bits of a move: 6 where from, 6 where to, 3 what a pawn becomes, 1 whether it checks.
struct Move {
  ushort word;
  constexpr ushort field(ushort first, ushort wide) const { return (word >> first) & ((1 << wide) - 1); }
  constexpr ushort from() const { return field(0, 6); }
  constexpr ushort to() const { return field(6, 6); }
  constexpr ushort becomes() const { return field(12, 3); }
  constexpr bool checks() const { return bool(word >> 15); }
  explicit operator bool() const { return from() != to(); }
};

// The n-th number of a stream depends on the stream and on n, not on the numbers before.
struct Shaker {
  uint2 cup;
  Shaker(uint stream, uint turn) : cup(stream ^ 0x5bf0a8b1u, turn + 0x71374491u) {
    for (uint knock = 0; knock < 7; ++knock) {
      cup.x = rotate(cup.x + cup.y, 11 + knock) ^ (stream * 0x9c3f7a25u);
      cup.y = (cup.y ^ cup.x) * 0x2d8e64cbu + rotate(cup.x, 23u);
    }
  }
  float fraction() const { return as_type<float>(0x3f800000u | (cup.x >> 9)) - 1.0f; }
  uint below(uint many) const { return mulhi(cup.y, many); }
};

template <Control kControl>
struct Charge;  // how much of the time used counts
template <>
struct Charge<Control::sudden_death> {
  constexpr half operator()(half used, half) const { return used; }
};
template <>
struct Charge<Control::increment> {
  constexpr half operator()(half used, half bonus) const { return used - bonus; }
};
template <>
struct Charge<Control::delay> {
  half operator()(half used, half bonus) const { return fmax(used - bonus, 0.0h); }
};

template <Control kControl, typename Rule = Charge<kControl>>
static float play(const device Clock& clock, uint stream, uint turns) {
  float left = 10.0f * 60;
  for (uint turn = 0; turn < turns; ++turn) {
    const Shaker shaker(stream, turn);
    const half used = half(0.5f - 20.0f * fast::log(1.0f - shaker.fraction()));
    left -= Rule()(used, clock.bonus);
    if (left <= 0) return -float(turn);
  }
  if constexpr (kControl == Control::delay) left += 0.5f;
  return left;
}

kernel void play_games(const device Clock* clocks [[buffer(0)]], device float* left [[buffer(1)]], constant uint& turns [[buffer(2)]],
                       constant packed_uint3& seed [[buffer(3)]], uint game [[thread_position_in_grid]]) {
  const device Clock& clock = clocks[game];
  const uint stream = game ^ (seed[0] + seed[1]) ^ seed.z;
  switch (Control(clock.control)) {
    case Control::increment: left[game] = play<Control::increment>(clock, stream, turns); break;
    case Control::delay: left[game] = play<Control::delay>(clock, stream, turns); break;
    default: left[game] = play<Control::sudden_death>(clock, stream, turns);
  }
}

struct Sums {
  uchar of[2][2];
};

// Moves are read as 16 bits at once, and the same memory as bytes.
kernel void read_moves(const device Clock* clocks [[buffer(0)]], device packed_short3* steps [[buffer(1)]],
                       device Sums* sums [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  const auto words = (const device ushort*)clocks[i].moves;
  const device uchar* raw = reinterpret_cast<const device uchar*>(clocks + i);
  short3 step = 0;
  uchar sum = 0;
  for (int m = 0; m < 3; ++m) {
    const Move move{words[m]};
    if (!move) continue;
    step[m] = short(move.to()) - short(move.from());
    step[m] = select(step[m], short(-step[m]), move.checks());
    sum += move.becomes() + clocks[i].players[m];
  }
  for (uint b = 0; b < sizeof(Clock); ++b) sum ^= raw[b];
  steps[i] = packed_short3(step);
  sums[i].of[0][0] = sum, sums[i].of[0][1] = raw[2];
  sums[i].of[1][0] = clocks[i].spent[1] >> 8, sums[i].of[1][1] = as_type<ushort>(clocks[i].bonus) \
                                                                 & 255;
}

template <typename Key>
struct Flag {
  Key when;
  ushort who, table;
};

// Sorted stretches of `run` flags are merged pairwise. In each step a flag meets the one `gap` behind it, if both are of the
// same pair and the flag is the earlier one of its meeting.
template <typename Key, ushort kMany, Order kOrder = Order::soonest_first>
static void sort_flags(threadgroup Key* keys, threadgroup ushort* owners, ushort me, ushort crew) {
  static_assert((kMany & (kMany - 1)) == 0, "a power of two");
  for (ushort run = 1; run < kMany; run += run) {
    for (ushort gap = run; gap > 0; gap >>= 1) {
      const ushort skip = gap & (run - 1);
      for (ushort at = me; at + gap < kMany; at += crew) {
        const ushort met = at + gap;
        const bool leads = at >= skip && ((at - skip) / gap & 1) == 0, kin = at / (2 * run) == met / (2 * run);
        if (!(leads && kin)) continue;
        const Key a = keys[at], b = keys[met];
        const bool wrong = kOrder == Order::soonest_first ? b < a : a < b;
        if (!wrong) continue;
        const ushort owner = owners[at];
        keys[at] = b, keys[met] = a;
        owners[at] = owners[met], owners[met] = owner;
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
  }
}

template <typename Key, ushort kMany, Order kOrder>
kernel void rank_flags(const device Key* times [[buffer(0)]], device Flag<Key>* ranking [[buffer(1)]], constant uint& games [[buffer(2)]],
                       threadgroup Key* keys [[threadgroup(0)]], ushort me [[thread_index_in_threadgroup]],
                       ushort crew [[threads_per_threadgroup]], uint table [[threadgroup_position_in_grid]]) {
  threadgroup ushort owners[kMany];
  const uint base = table * kMany;
  if (base >= games) return;
  constexpr Key never = kOrder == Order::soonest_first ? numeric_limits<Key>::max() : numeric_limits<Key>::lowest();
  for (ushort i = me; i < kMany; i += crew) {
    keys[i] = base + i < games ? times[base + i] : never;
    owners[i] = i;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  sort_flags<Key, kMany, kOrder>(keys, owners, me, crew);
  for (ushort i = me; i < kMany && base + i < games; i += crew) ranking[base + i] = {keys[i], owners[i], ushort(table)};
}

#define QUOTED_(...) #__VA_ARGS__
#define QUOTED(...) QUOTED_(__VA_ARGS__)
#define RANKING(key, many, order) \
  template [[host_name(QUOTED(rank_##many##_##order##_##key))]] kernel void rank_flags<key, many, Order::order>( \
      const device key*, device Flag<key>*, constant uint&, threadgroup key*, ushort, ushort, uint);
#define BOTH_WAYS(key, many) RANKING(key, many, soonest_first) RANKING(key, many, latest_first)
#define ALL_SIZES(key) BOTH_WAYS(key, 64) BOTH_WAYS(key, 512)
ALL_SIZES(uint)
ALL_SIZES(float)
ALL_SIZES(short)
