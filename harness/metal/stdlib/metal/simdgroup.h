// <metal_simdgroup> and <metal_quadgroup>: functions across the lanes of a simdgroup of 32 and of its groups
// of 4.
//
// Every one is one rendezvous of the active lanes (assay_collective), after which each lane computes its own
// result. Lanes that are not active take no part in reductions; what is read from them is a poison of the
// simulator's.
#pragma once
#include "metal/integer.h"
#include "metal/synchronize.h"

namespace assay_msl {

/// Apple's own trait: may values of the type go from lane to lane? Numbers of up to four bytes and vectors of them.
template <class T>
struct __is_valid_simdgroup_type
    : bool_constant<scalar_kind<scalar_t<T>> != 0 && !is_same_v<scalar_t<T>, bool> && sizeof(scalar_t<T>) <= 4> {};

/// The value of an argument that goes from lane to lane.
template <class A>
using lane_value_t =
    enable_if_t<scalar_kind<scalar_t<A>> != 0 && sizeof(scalar_t<A>) <= 4, value_t<A>>;

/// The values of a group of lanes, one of T each. `width` is 32 or 4; lanes are numbered within their group.
template <class T, uint width>
struct lanes_of {
  const char* values;
  uint active;  ///< bit i: lane i of the group takes part
  uint lane;

  ASSAY_INLINE T at(uint i) const {
    T value;
    __builtin_memcpy(static_cast<void*>(&value), values + (i & (width - 1)) * sizeof(T), sizeof(T));
    return value;
  }
  /// The same of a lane that may take no part.
  ASSAY_INLINE T of(uint i, uint line, const char* file) const {
    if (!(active >> (i & (width - 1)) & 1))
      assay_inactive_lane((lane_in_simdgroup() & ~(width - 1)) + (i & (width - 1)), line, file);
    return at(i);
  }
};
template <uint width, class T>
ASSAY_INLINE lanes_of<T, width> gather(const T& value, uint line, const char* file) {
  const uint lane = lane_in_simdgroup();
  const uint base = lane & ~(width - 1);
  ulong mask = 0;
  const void* all = assay_collective(&value, sizeof(T), &mask, line, file);
  const uint group_mask = width == 32 ? ~0u : (1u << width % 32) - 1;
  return {static_cast<const char*>(all) + base * sizeof(T), uint(mask >> base) & group_mask, lane - base};
}

/// What Metal asks of the operand of a function across lanes: checked mode holds it against that.
#ifdef ASSAY_CHECKED
/// The same in all lanes of a group that take part in what follows.
template <uint width>
ASSAY_UNINSTRUMENTED void demand_uniform(uint operand) {
  assay_uniform_operand(operand, width);
}
/// The number of a lane of the group.
template <uint width>
ASSAY_UNINSTRUMENTED void demand_lane(uint lane, uint line, const char* file) {
  if (lane >= width) assay_no_lane(lane, width, line, file);
}
ASSAY_UNINSTRUMENTED static void demand_modulo(uint modulo, uint width, uint line, const char* file) {
  if (modulo < 2 || modulo > width || (modulo & (modulo - 1)) != 0) assay_no_modulo(modulo, line, file);
}
#else
template <uint width>
ASSAY_INLINE void demand_uniform(uint) {}
template <uint width>
ASSAY_INLINE void demand_lane(uint, uint, const char*) {}
ASSAY_INLINE void demand_modulo(uint, uint, uint, const char*) {}
#endif

// The reductions' operations, with the element that changes nothing.
struct sum_of {
  template <class T>
  static ASSAY_INLINE T apply(const T& a, const T& b) {
    return T(a + b);
  }
  template <class S>
  static constexpr S identity() {
    return S(is_floating_point_v<S> ? -0.0f : 0.0f);  // -0 + -0 is -0
  }
};
struct product_of {
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
ASSAY_REDUCER(min_of, min(a, b))
ASSAY_REDUCER(max_of, max(a, b))
ASSAY_REDUCER(and_of, a& b)
ASSAY_REDUCER(or_of, a | b)
ASSAY_REDUCER(xor_of, a ^ b)
#undef ASSAY_REDUCER

/// Pairs of lanes 16 apart first, then 8, 4, 2, 1, as the hardware's exchanges do; an inactive lane leaves
/// its partner as it is. Every lane gets the same bits.
template <class Operation, uint width, class T>
ASSAY_UNINSTRUMENTED T reduce(T value, uint line, const char* file) {
  const auto lanes = gather<width>(value, line, file);
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
ASSAY_UNINSTRUMENTED T scan(T value, uint line, const char* file) {
  const auto lanes = gather<width>(value, line, file);
  T result = T(Operation::template identity<scalar_t<T>>());
  bool first = true;
  for (uint i = 0; i < lanes.lane + (inclusive ? 1 : 0); ++i) {
    if (!(lanes.active >> i & 1)) continue;
    result = first ? lanes.at(i) : Operation::apply(result, lanes.at(i));
    first = false;
  }
  if constexpr (!inclusive) {
    if (first) result = T(Operation::template identity<scalar_t<T>>() + scalar_t<T>(0));  // 0 rather than -0
  }
  return result;
}

/// The value of lane `from`, or this lane's own if `from` is outside the group.
template <uint width, class T>
ASSAY_UNINSTRUMENTED T take_from(T value, uint from, uint line, const char* file) {
  const auto lanes = gather<width>(value, line, file);
  return from < width ? lanes.of(from, line, file) : value;
}
template <uint width, class T>
ASSAY_UNINSTRUMENTED T take_from_first(T value, uint line, const char* file) {
  const auto lanes = gather<width>(value, line, file);
  return lanes.at(uint(__builtin_ctz(lanes.active)));
}
template <class T>
struct filled {
  T data, filling;
};
/// Shifted by `delta` lanes towards higher (up) or lower ones within each `modulo` lanes, the gap filled from
/// `filling`.
template <uint width, bool up, class T>
ASSAY_UNINSTRUMENTED T shift_and_fill(T data, T filling, uint delta, uint modulo, uint line,
                                      const char* file) {
  const filled<T> both = {data, filling};
  const auto lanes = gather<width>(both, line, file);
  const uint first = lanes.lane & ~(modulo - 1), place = lanes.lane & (modulo - 1);
  if (up)
    return place < delta ? lanes.of(first + place + modulo - delta, line, file).filling
                         : lanes.of(lanes.lane - delta, line, file).data;
  return place + delta >= modulo ? lanes.of(first + place + delta - modulo, line, file).filling
                                 : lanes.of(lanes.lane + delta, line, file).data;
}

/// One bit for each lane of a group; the lanes that took part are kept to answer all().
template <uint width>
class lane_vote {
 public:
  typedef ulong vote_t;
  explicit constexpr lane_vote(vote_t votes = 0) : votes_(votes), voters_(width == 32 ? 0xFFFFFFFF : 0xF) {}
  constexpr lane_vote(vote_t votes, vote_t voters) : votes_(votes), voters_(voters) {}
  explicit constexpr operator vote_t() const { return votes_; }
  constexpr bool all() const { return (votes_ & voters_) == voters_; }
  constexpr bool any() const { return (votes_ & voters_) != 0; }

 private:
  vote_t votes_, voters_;
};
typedef lane_vote<32> simd_vote;
typedef lane_vote<4> quad_vote;

template <uint width>
ASSAY_UNINSTRUMENTED lane_vote<width> ballot(bool predicate, uint line, const char* file) {
  const auto lanes = gather<width>(uchar(predicate), line, file);
  uint votes = 0;
  for (uint i = 0; i < width; ++i) {
    if ((lanes.active >> i & 1) && lanes.at(i)) votes |= 1u << i;
  }
  return lane_vote<width>(votes, lanes.active);
}

#define ASSAY_LANE_FUNCTION(name, Operation, width)                     \
  template <class A>                                                    \
  ASSAY_INLINE lane_value_t<A> name(const A& data, ASSAY_PLACE) {            \
    return reduce<Operation, width>(own(data), assay_line, assay_file); \
  }
#define ASSAY_LANE_SCAN(name, Operation, width, inclusive)                       \
  template <class A>                                                             \
  ASSAY_INLINE lane_value_t<A> name(const A& data, ASSAY_PLACE) {                     \
    return scan<Operation, width, inclusive>(own(data), assay_line, assay_file); \
  }
#define ASSAY_LANE_SHUFFLE(name, width, is_lane, is_uniform, ...)              \
  template <class A>                                                         \
  ASSAY_INLINE lane_value_t<A> name(const A& data, ushort index, ASSAY_PLACE) {   \
    const uint lane = lane_in_simdgroup() & (width - 1);                     \
    (void)lane;                                                              \
    if (is_lane) demand_lane<width>(index, assay_line, assay_file);          \
    if (is_uniform) demand_uniform<width>(index);                            \
    return take_from<width>(own(data), __VA_ARGS__, assay_line, assay_file); \
  }
#define ASSAY_LANE_FILL(name, width, up)                                                             \
  template <class A, class B>                                                                        \
  ASSAY_INLINE lane_value_t<A> name(const A& data, const B& filling, ushort delta, ushort modulo = width, \
                               ASSAY_PLACE) {                                                        \
    demand_modulo(modulo, width, assay_line, assay_file);                                            \
    demand_uniform<width>(delta | uint(modulo) << 16);                                               \
    return shift_and_fill<width, up>(own(data), own(value_t<A>(filling)), delta, modulo, assay_line, \
                                     assay_file);                                                    \
  }
#define ASSAY_LANE_FUNCTIONS(group, width)                                             \
  ASSAY_LANE_FUNCTION(group##_sum, sum_of, width)                                      \
  ASSAY_LANE_FUNCTION(group##_product, product_of, width)                              \
  ASSAY_LANE_FUNCTION(group##_min, min_of, width)                                      \
  ASSAY_LANE_FUNCTION(group##_max, max_of, width)                                      \
  ASSAY_LANE_FUNCTION(group##_and, and_of, width)                                      \
  ASSAY_LANE_FUNCTION(group##_or, or_of, width)                                        \
  ASSAY_LANE_FUNCTION(group##_xor, xor_of, width)                                      \
  ASSAY_LANE_SCAN(group##_prefix_inclusive_sum, sum_of, width, true)                   \
  ASSAY_LANE_SCAN(group##_prefix_exclusive_sum, sum_of, width, false)                  \
  ASSAY_LANE_SCAN(group##_prefix_inclusive_product, product_of, width, true)           \
  ASSAY_LANE_SCAN(group##_prefix_exclusive_product, product_of, width, false)          \
  ASSAY_LANE_SHUFFLE(group##_broadcast, width, true, true, index)                                  \
  ASSAY_LANE_SHUFFLE(group##_shuffle, width, true, false, index)                                    \
  ASSAY_LANE_SHUFFLE(group##_shuffle_xor, width, false, true, lane ^ index)                         \
  ASSAY_LANE_SHUFFLE(group##_shuffle_up, width, false, true, lane - index)                          \
  ASSAY_LANE_SHUFFLE(group##_shuffle_down, width, false, true, lane + index)                        \
  ASSAY_LANE_SHUFFLE(group##_shuffle_rotate_up, width, false, true, (lane - index) & (width - 1))   \
  ASSAY_LANE_SHUFFLE(group##_shuffle_rotate_down, width, false, true, (lane + index) & (width - 1)) \
  ASSAY_LANE_FILL(group##_shuffle_and_fill_up, width, true)                            \
  ASSAY_LANE_FILL(group##_shuffle_and_fill_down, width, false)                         \
  template <class A>                                                                   \
  ASSAY_INLINE lane_value_t<A> group##_broadcast_first(const A& data, ASSAY_PLACE) {        \
    return take_from_first<width>(own(data), assay_line, assay_file);                  \
  }                                                                                    \
  ASSAY_INLINE group##_vote group##_ballot(bool predicate, ASSAY_PLACE) {              \
    return ballot<width>(predicate, assay_line, assay_file);                           \
  }                                                                                    \
  ASSAY_INLINE bool group##_all(bool predicate, ASSAY_PLACE) {                         \
    return ballot<width>(predicate, assay_line, assay_file).all();                     \
  }                                                                                    \
  ASSAY_INLINE bool group##_any(bool predicate, ASSAY_PLACE) {                         \
    return ballot<width>(predicate, assay_line, assay_file).any();                     \
  }                                                                                    \
  ASSAY_INLINE group##_vote group##_active_threads_mask(ASSAY_PLACE) {                 \
    return ballot<width>(true, assay_line, assay_file);                                \
  }                                                                                    \
  ASSAY_INLINE bool group##_is_first(ASSAY_PLACE) {                                    \
    const ulong active = ulong(ballot<width>(true, assay_line, assay_file));           \
    return uint(__builtin_ctzl(active)) == (lane_in_simdgroup() & (width - 1));        \
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

}  // namespace assay_msl
