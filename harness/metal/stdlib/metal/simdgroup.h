// <metal_simdgroup> and <metal_quadgroup>: functions across the lanes of a simdgroup of 32 and of its groups
// of 4.
//
// Every one is one rendezvous of the active lanes (assay_collective), after which each lane computes its own
// result. Lanes that are not active take no part in reductions; what is read from them is the simulator's
// poison.
#pragma once
#include "metal/integer.h"
#include "metal/synchronize.h"

namespace metal {

/// The values of a group of lanes, one of T each. `width` is 32 or 4; lanes are numbered within their group.
template <class T, uint width>
struct assay_detail::lanes_of {
  const char* values;
  uint active;  ///< bit i: lane i of the group takes part
  uint lane;

  ASSAY_INLINE T at(uint i) const {
    T value;
    __builtin_memcpy(static_cast<void*>(&value), values + (i & (width - 1)) * sizeof(T), sizeof(T));
    return value;
  }
};
template <uint width, class T>
ASSAY_INLINE assay_detail::lanes_of<T, width> assay_detail::gather(const T& value, uint line, const char* file) {
  const uint lane = assay_detail::lane_in_simdgroup();
  const uint base = lane & ~(width - 1);
  ulong mask = 0;
  const void* all = assay_collective(&value, sizeof(T), &mask, line, file);
  const uint group_mask = width == 32 ? ~0u : (1u << width % 32) - 1;
  return {static_cast<const char*>(all) + base * sizeof(T), uint(mask >> base) & group_mask, lane - base};
}

// The reductions' operations, with the element that changes nothing.
struct assay_detail::sum_of {
  template <class T>
  static ASSAY_INLINE T apply(const T& a, const T& b) {
    return T(a + b);
  }
  template <class S>
  static constexpr S identity() {
    return S(is_floating_point_v<S> ? -0.0f : 0.0f);  // -0 + -0 is -0
  }
};
struct assay_detail::product_of {
  template <class T>
  static ASSAY_INLINE T apply(const T& a, const T& b) {
    return T(a * b);
  }
  template <class S>
  static constexpr S identity() {
    return S(1);
  }
};
#define ASSAY_REDUCER(name, expression)                   \
  struct name {                                           \
    template <class T>                                    \
    static ASSAY_INLINE T apply(const T& a, const T& b) { \
      return T(expression);                               \
    }                                                     \
  };
ASSAY_REDUCER(assay_detail::min_of, min(a, b))
ASSAY_REDUCER(assay_detail::max_of, max(a, b))
ASSAY_REDUCER(assay_detail::and_of, a& b)
ASSAY_REDUCER(assay_detail::or_of, a | b)
ASSAY_REDUCER(assay_detail::xor_of, a ^ b)
#undef ASSAY_REDUCER

/// Pairs of lanes 16 apart first, then 8, 4, 2, 1, as the hardware's exchanges do; an inactive lane leaves
/// its partner as it is. Every lane gets the same bits.
template <class Operation, uint width, class T>
ASSAY_UNINSTRUMENTED T assay_detail::reduce(T value, uint line, const char* file) {
  const auto lanes = assay_detail::gather<width>(value, line, file);
  T partial[width];
  for (uint i = 0; i < width; ++i) {
    if (lanes.active >> i & 1) partial[i] = lanes.at(i);
  }
  uint active = lanes.active;
  for (uint half_width = width / 2; half_width > 0; half_width /= 2) {
    for (uint i = 0; i < half_width; ++i) {
      if (!(active >> (i + half_width) & 1)) continue;
      partial[i] =
          active >> i & 1 ? Operation::apply(partial[i], partial[i + half_width]) : partial[i + half_width];
    }
    active |= active >> half_width;
  }
  return partial[0];
}

/// Over the active lanes below this one, and this one too if `inclusive`, in lane order.
template <class Operation, uint width, bool inclusive, class T>
ASSAY_UNINSTRUMENTED T assay_detail::scan(T value, uint line, const char* file) {
  const auto lanes = assay_detail::gather<width>(value, line, file);
  T result = T(Operation::template identity<assay_detail::scalar_t<T>>());
  bool first = true;
  for (uint i = 0; i < lanes.lane + (inclusive ? 1 : 0); ++i) {
    if (!(lanes.active >> i & 1)) continue;
    result = first ? lanes.at(i) : Operation::apply(result, lanes.at(i));
    first = false;
  }
  if constexpr (!inclusive) {
    if (first) result = T(Operation::template identity<assay_detail::scalar_t<T>>() + assay_detail::scalar_t<T>(0));  // 0 rather than -0
  }
  return result;
}

/// The value of lane `from`, or this lane's own if `from` is outside the group.
template <uint width, class T>
ASSAY_UNINSTRUMENTED T assay_detail::take_from(T value, uint from, uint line, const char* file) {
  const auto lanes = assay_detail::gather<width>(value, line, file);
  return from < width ? lanes.at(from) : value;
}
template <uint width, class T>
ASSAY_UNINSTRUMENTED T assay_detail::take_from_first(T value, uint line, const char* file) {
  const auto lanes = assay_detail::gather<width>(value, line, file);
  return lanes.at(uint(__builtin_ctz(lanes.active)));
}
template <class T>
struct assay_detail::filled {
  T data, filling;
};
/// Shifted by `delta` lanes towards higher (up) or lower ones within each `modulo` lanes, the gap filled from
/// `filling`.
template <uint width, bool up, class T>
ASSAY_UNINSTRUMENTED T assay_detail::shift_and_fill(T data, T filling, uint delta, uint modulo, uint line,
                                      const char* file) {
  const assay_detail::filled<T> both = {data, filling};
  const auto lanes = assay_detail::gather<width>(both, line, file);
  const uint first = lanes.lane & ~(modulo - 1), place = lanes.lane & (modulo - 1);
  if (up)
    return place < delta ? lanes.at(first + place + modulo - delta).filling
                         : lanes.at(lanes.lane - delta).data;
  return place + delta >= modulo ? lanes.at(first + place + delta - modulo).filling
                                 : lanes.at(lanes.lane + delta).data;
}

/// One bit for each lane of a group; the lanes that took part are kept to answer all().
template <uint width>
class assay_detail::lane_vote {
 public:
  typedef ulong vote_t;
  explicit constexpr assay_detail::lane_vote(vote_t votes = 0) : votes_(votes), voters_(width == 32 ? 0xFFFFFFFF : 0xF) {}
  constexpr assay_detail::lane_vote(vote_t votes, vote_t voters) : votes_(votes), voters_(voters) {}
  explicit constexpr operator vote_t() const { return votes_; }
  constexpr bool all() const { return (votes_ & voters_) == voters_; }
  constexpr bool any() const { return (votes_ & voters_) != 0; }

 private:
  vote_t votes_, voters_;
};
typedef assay_detail::lane_vote<32> simd_vote;
typedef assay_detail::lane_vote<4> quad_vote;

template <uint width>
ASSAY_UNINSTRUMENTED assay_detail::lane_vote<width> assay_detail::ballot(bool predicate, uint line, const char* file) {
  const auto lanes = assay_detail::gather<width>(uchar(predicate), line, file);
  uint votes = 0;
  for (uint i = 0; i < width; ++i) {
    if ((lanes.active >> i & 1) && lanes.at(i)) votes |= 1u << i;
  }
  return assay_detail::lane_vote<width>(votes, lanes.active);
}

#define ASSAY_LANE_FUNCTION(name, Operation, width)                            \
  template <class A>                                                           \
  ASSAY_INLINE assay_detail::value_t<A> name(const A& data, ASSAY_PLACE) {                   \
    return assay_detail::reduce<Operation, width>(assay_detail::value_t<A>(data), assay_line, assay_file); \
  }
#define ASSAY_LANE_SCAN(name, Operation, width, inclusive)                              \
  template <class A>                                                                    \
  ASSAY_INLINE assay_detail::value_t<A> name(const A& data, ASSAY_PLACE) {                            \
    return assay_detail::scan<Operation, width, inclusive>(assay_detail::value_t<A>(data), assay_line, assay_file); \
  }
#define ASSAY_LANE_SHUFFLE(name, width, ...)                                        \
  template <class A>                                                                \
  ASSAY_INLINE assay_detail::value_t<A> name(const A& data, ushort index, ASSAY_PLACE) {          \
    const uint lane = assay_detail::lane_in_simdgroup() & (width - 1);                            \
    (void)lane;                                                                     \
    return assay_detail::take_from<width>(assay_detail::value_t<A>(data), __VA_ARGS__, assay_line, assay_file); \
  }
#define ASSAY_LANE_FILL(name, width, up)                                                               \
  template <class A, class B>                                                                          \
  ASSAY_INLINE assay_detail::value_t<A> name(const A& data, const B& filling, ushort delta, ushort modulo = width,   \
                               ASSAY_PLACE) {                                                          \
    return assay_detail::shift_and_fill<width, up>(assay_detail::value_t<A>(data), assay_detail::value_t<A>(filling), delta, modulo, assay_line, \
                                     assay_file);                                                      \
  }
#define ASSAY_LANE_FUNCTIONS(group, width)                                             \
  ASSAY_LANE_FUNCTION(group##_sum, assay_detail::sum_of, width)                                      \
  ASSAY_LANE_FUNCTION(group##_product, assay_detail::product_of, width)                              \
  ASSAY_LANE_FUNCTION(group##_min, assay_detail::min_of, width)                                      \
  ASSAY_LANE_FUNCTION(group##_max, assay_detail::max_of, width)                                      \
  ASSAY_LANE_FUNCTION(group##_and, assay_detail::and_of, width)                                      \
  ASSAY_LANE_FUNCTION(group##_or, assay_detail::or_of, width)                                        \
  ASSAY_LANE_FUNCTION(group##_xor, assay_detail::xor_of, width)                                      \
  ASSAY_LANE_SCAN(group##_prefix_inclusive_sum, assay_detail::sum_of, width, true)                   \
  ASSAY_LANE_SCAN(group##_prefix_exclusive_sum, assay_detail::sum_of, width, false)                  \
  ASSAY_LANE_SCAN(group##_prefix_inclusive_product, assay_detail::product_of, width, true)           \
  ASSAY_LANE_SCAN(group##_prefix_exclusive_product, assay_detail::product_of, width, false)          \
  ASSAY_LANE_SHUFFLE(group##_broadcast, width, index)                                  \
  ASSAY_LANE_SHUFFLE(group##_shuffle, width, index)                                    \
  ASSAY_LANE_SHUFFLE(group##_shuffle_xor, width, lane ^ index)                         \
  ASSAY_LANE_SHUFFLE(group##_shuffle_up, width, lane - index)                          \
  ASSAY_LANE_SHUFFLE(group##_shuffle_down, width, lane + index)                        \
  ASSAY_LANE_SHUFFLE(group##_shuffle_rotate_up, width, (lane - index) & (width - 1))   \
  ASSAY_LANE_SHUFFLE(group##_shuffle_rotate_down, width, (lane + index) & (width - 1)) \
  ASSAY_LANE_FILL(group##_shuffle_and_fill_up, width, true)                            \
  ASSAY_LANE_FILL(group##_shuffle_and_fill_down, width, false)                         \
  template <class A>                                                                   \
  ASSAY_INLINE assay_detail::value_t<A> group##_broadcast_first(const A& data, ASSAY_PLACE) {        \
    return assay_detail::take_from_first<width>(assay_detail::value_t<A>(data), assay_line, assay_file);           \
  }                                                                                    \
  ASSAY_INLINE group##_vote group##_ballot(bool predicate, ASSAY_PLACE) {              \
    return assay_detail::ballot<width>(predicate, assay_line, assay_file);                           \
  }                                                                                    \
  ASSAY_INLINE bool group##_all(bool predicate, ASSAY_PLACE) {                         \
    return assay_detail::ballot<width>(predicate, assay_line, assay_file).all();                     \
  }                                                                                    \
  ASSAY_INLINE bool group##_any(bool predicate, ASSAY_PLACE) {                         \
    return assay_detail::ballot<width>(predicate, assay_line, assay_file).any();                     \
  }                                                                                    \
  ASSAY_INLINE group##_vote group##_active_threads_mask(ASSAY_PLACE) {                 \
    return assay_detail::ballot<width>(true, assay_line, assay_file);                                \
  }                                                                                    \
  ASSAY_INLINE bool group##_is_first(ASSAY_PLACE) {                                    \
    const ulong active = ulong(assay_detail::ballot<width>(true, assay_line, assay_file));           \
    return uint(__builtin_ctzl(active)) == (assay_detail::lane_in_simdgroup() & (width - 1));        \
  }
ASSAY_LANE_FUNCTIONS(simd, 32)
ASSAY_LANE_FUNCTIONS(quad, 4)
#undef ASSAY_LANE_FUNCTIONS
#undef ASSAY_LANE_FUNCTION
#undef ASSAY_LANE_SCAN
#undef ASSAY_LANE_SHUFFLE
#undef ASSAY_LANE_FILL

ASSAY_INLINE bool simd_is_helper_thread() { return false; }
ASSAY_INLINE bool quad_is_helper_thread() { return false; }

}  // namespace metal
