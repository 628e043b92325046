// Barriers, fences and atomics: <metal_compute>, <metal_atomic>. The simulator does the work.
#pragma once
#include "metal/type_names.h"

// The place of a call in the .metal text, as trailing default arguments.
#define ASSAY_PLACE uint assay_line = __builtin_LINE(), const char *assay_file = __builtin_FILE()

namespace assay_msl {

/// Lane within the simdgroup. Constant for as long as a kernel runs, so that the compiler asks once.
__attribute__((const)) ASSAY_UNINSTRUMENTED static uint lane_in_simdgroup() {
  return assay_lane->index_in_simdgroup;
}

/// Bit values are Metal's own.
enum class mem_flags : uint {
  mem_none = 0,
  mem_device = 1,
  mem_threadgroup = 2,
  mem_device_and_threadgroup = mem_device | mem_threadgroup,
#ifdef ASSAY_TEXTURES
  mem_texture = 4 | mem_device,  // texels lie in buffers
#else
  mem_texture = 4,
#endif
  mem_threadgroup_imageblock = 8,
  mem_object_data = 16,
};
constexpr mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags(uint(a) | uint(b)); }
constexpr mem_flags operator&(mem_flags a, mem_flags b) { return mem_flags(uint(a) & uint(b)); }

enum memory_order : uint {
  memory_order_relaxed = 0,
  memory_order_acquire = 2,
  memory_order_release = 3,
  memory_order_acq_rel = 4,
  memory_order_seq_cst = 5,
};
enum thread_scope : uint {
  thread_scope_thread = 0,
  thread_scope_threadgroup = 1,
  thread_scope_device = 2,
  thread_scope_system = 3,  // one device is all that there is
  thread_scope_simdgroup = 4,
};
typedef thread_scope memory_scope;
constexpr memory_scope memory_scope_threadgroup = thread_scope_threadgroup;
constexpr memory_scope memory_scope_device = thread_scope_device;
constexpr memory_scope memory_scope_system = thread_scope_system;
constexpr memory_scope memory_scope_simdgroup = thread_scope_simdgroup;

ASSAY_INLINE void threadgroup_barrier(mem_flags flags, ASSAY_PLACE) {
  assay_threadgroup_barrier(uint(flags), assay_line, assay_file);
}
ASSAY_INLINE void threadgroup_barrier(mem_flags flags, thread_scope, ASSAY_PLACE) {
  assay_threadgroup_barrier(uint(flags), assay_line, assay_file);
}
ASSAY_INLINE void simdgroup_barrier(mem_flags flags, ASSAY_PLACE) {
  assay_simdgroup_barrier(uint(flags), assay_line, assay_file);
}
ASSAY_INLINE void simdgroup_barrier(mem_flags flags, thread_scope, ASSAY_PLACE) {
  assay_simdgroup_barrier(uint(flags), assay_line, assay_file);
}
ASSAY_INLINE void atomic_thread_fence(mem_flags flags, memory_order order,
                                      thread_scope scope = thread_scope_device, ASSAY_PLACE) {
  assay_fence(uint(flags), order, scope == thread_scope_system ? thread_scope_device : scope, assay_line,
              assay_file);
}

/// An atomic object: the value's own bytes, those of a bool widened to four.
template <class T>
struct _atomic {
  conditional_t<is_same_v<T, bool>, uint, T> value;
  static_assert(sizeof(value) == 4 || sizeof(value) == 8, "atomics hold 4 or 8 bytes");
};
template <class T>
using atomic = _atomic<T>;
typedef _atomic<int> atomic_int;
typedef _atomic<uint> atomic_uint;
typedef _atomic<bool> atomic_bool;
typedef _atomic<float> atomic_float;
typedef _atomic<long> atomic_long;
typedef _atomic<ulong> atomic_ulong;

/// The runtime's numbers for read-modify-write operations.
enum atomic_operation : uint {
  atomic_operation_load,
  atomic_operation_store,
  atomic_operation_exchange,
  atomic_operation_add,
  atomic_operation_sub,
  atomic_operation_and,
  atomic_operation_or,
  atomic_operation_xor,
  atomic_operation_min,
  atomic_operation_max,
  atomic_operation_float_add,
};

#ifndef ASSAY_METAL_VERSION
#define ASSAY_METAL_VERSION 320
#endif
#if ASSAY_METAL_VERSION < 410 && defined(__OPTIMIZE__)
__attribute__((error(
    "metal: an atomic operation with an order other than memory_order_relaxed: Metal has them from 4.1 on; write "
    "memory_order_relaxed and an atomic_thread_fence, or name the version (--metal-version 4.1)"))) void
ordered_atomic();
ASSAY_INLINE void demand_relaxed(memory_order order) {
  if (__builtin_constant_p(order) && order != memory_order_relaxed) ordered_atomic();
}
#else
ASSAY_INLINE void demand_relaxed(memory_order) {}
#endif

/// Of 64 bits Metal has the smallest and the largest, without the old value.
#define ASSAY_4_BYTES                           \
  static_assert(sizeof(_atomic<T>) == 4,        \
                "metal: atomics of 64 bits have atomic_min_explicit and atomic_max_explicit only")

template <class T>
struct type_identity {
  typedef T type;
};
template <class T>
using given_t = typename type_identity<T>::type;  // takes no part in deduction

template <class T>
ASSAY_INLINE auto atomic_bits(T value) {
  if constexpr (sizeof(T) == 8) {
    return as_type<ulong>(value);
  } else if constexpr (is_same_v<T, bool>) {
    return uint(value);
  } else {
    return as_type<uint>(value);
  }
}
template <class T, class Bits>
ASSAY_INLINE T atomic_value(Bits bits) {
  if constexpr (is_same_v<T, bool>) {
    return bits != 0;
  } else {
    return as_type<T>(bits);
  }
}
template <class T>
ASSAY_INLINE T atomic_apply(const volatile _atomic<T>* object, uint operation, T operand, uint order,
                            uint line, const char* file) {
  void* address = const_cast<_atomic<T>*>(object);
  if constexpr (sizeof(_atomic<T>) == 8) {
    return atomic_value<T>(assay_atomic64(address, operation, atomic_bits(operand), order, line, file));
  } else {
    return atomic_value<T>(
        assay_atomic32(address, operation, atomic_bits(operand), is_same_v<T, float> ? 2 : is_signed_v<T>, order,
                       line, file));
  }
}

template <class T>
ASSAY_INLINE T atomic_load_explicit(const volatile _atomic<T>* object, memory_order order, ASSAY_PLACE) {
  demand_relaxed(order);
  return atomic_apply(object, atomic_operation_load, T(), order, assay_line, assay_file);
}
template <class T>
ASSAY_INLINE void atomic_store_explicit(volatile _atomic<T>* object, given_t<T> value, memory_order order,
                                        ASSAY_PLACE) {
  demand_relaxed(order);
  atomic_apply(object, atomic_operation_store, value, order, assay_line, assay_file);
}
template <class T>
ASSAY_INLINE T atomic_exchange_explicit(volatile _atomic<T>* object, given_t<T> value, memory_order order,
                                        ASSAY_PLACE) {
  ASSAY_4_BYTES;
  return atomic_apply(object, atomic_operation_exchange, value, order, assay_line, assay_file);
}
template <class T>
ASSAY_INLINE bool atomic_compare_exchange_weak_explicit(volatile _atomic<T>* object, given_t<T>* expected,
                                                        given_t<T> desired, memory_order success,
                                                        memory_order failure, ASSAY_PLACE) {
  demand_relaxed(success);
  demand_relaxed(failure);
  ASSAY_4_BYTES;
  uint bits = atomic_bits(*expected);
  const bool exchanged = assay_atomic32_compare_exchange(
      const_cast<_atomic<T>*>(object), &bits, atomic_bits(desired), success, assay_line, assay_file);
  if (!exchanged) *expected = atomic_value<T>(bits);
  return exchanged;
}
template <class T>
ASSAY_INLINE T atomic_fetch_add_explicit(volatile _atomic<T>* object, given_t<T> value, memory_order order,
                                         ASSAY_PLACE) {
  ASSAY_4_BYTES;
  demand_relaxed(order);
  constexpr uint operation = is_same_v<T, float> ? atomic_operation_float_add : atomic_operation_add;
  return atomic_apply(object, operation, value, order, assay_line, assay_file);
}
template <class T>
ASSAY_INLINE T atomic_fetch_sub_explicit(volatile _atomic<T>* object, given_t<T> value, memory_order order,
                                         ASSAY_PLACE) {
  ASSAY_4_BYTES;
  demand_relaxed(order);
  if constexpr (is_same_v<T, float>) value = -value;
  constexpr uint operation = is_same_v<T, float> ? atomic_operation_float_add : atomic_operation_sub;
  return atomic_apply(object, operation, value, order, assay_line, assay_file);
}
#define ASSAY_FETCH(name)                                                                       \
  template <class T>                                                                            \
  ASSAY_INLINE T atomic_fetch_##name##_explicit(volatile _atomic<T>* object, given_t<T> value,  \
                                                memory_order order, ASSAY_PLACE) {              \
    demand_relaxed(order);                                                                      \
    ASSAY_4_BYTES;                                                                              \
    static_assert(is_integral_v<T>, "integers only");                                           \
    return atomic_apply(object, atomic_operation_##name, value, order, assay_line, assay_file); \
  }
ASSAY_FETCH(and)
ASSAY_FETCH(or)
ASSAY_FETCH(xor)
ASSAY_FETCH(min)
ASSAY_FETCH(max)
#undef ASSAY_FETCH
#undef ASSAY_4_BYTES
template <class T>
ASSAY_INLINE void atomic_min_explicit(volatile _atomic<T>* object, given_t<T> value, memory_order order,
                                      ASSAY_PLACE) {
  demand_relaxed(order);
  atomic_apply(object, atomic_operation_min, value, order, assay_line, assay_file);
}
template <class T>
ASSAY_INLINE void atomic_max_explicit(volatile _atomic<T>* object, given_t<T> value, memory_order order,
                                      ASSAY_PLACE) {
  demand_relaxed(order);
  atomic_apply(object, atomic_operation_max, value, order, assay_line, assay_file);
}

}  // namespace assay_msl
