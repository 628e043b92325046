// The contract between a compiled Metal text and the simulator that runs it.
//
// Lowered kernels are compiled as C++17 with no standard library; this header, the metal/*.h stand-ins and
// the kernel's own text are all they see. Everything declared extern "C" here is defined by the simulator.
#pragma once

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INTPTR_TYPE__ intptr_t;

#define NULL __null
// Apple's compiler has it. NOLINTNEXTLINE(bugprone-reserved-identifier)
#define __builtin_assume(condition) ((void)0)

extern "C" {

/// Position of the running lane. The simulator points `assay_lane` at it before the lane runs.
struct assay_lane_t {
  uint position_in_grid[3];
  uint position_in_threadgroup[3];
  uint threadgroup_position[3];
  uint threads_per_threadgroup[3];
  uint threadgroups_per_grid[3];
  uint threads_per_grid[3];
  uint index_in_threadgroup;
  uint index_in_simdgroup;
  uint simdgroup_index;
  uint simdgroups_per_threadgroup;
  uint matrix_operations;  ///< collectives on simdgroup matrices so far; compared at the next barrier
  uint stack;              ///< the simulator's
  void* context;           ///< where the lane stands while others run
  ulong matrix_arguments;  ///< what those matrix operations were called with, hashed: the same in every lane
  uint matrix_work[3];  ///< checked code, lane 0: its simdgroup's loads, stores, multiplications of matrices
  uint group_operations;  ///< what it has done together with other simdgroups, hashed: the same in all of them
};

/// An asynchronous copy of elements, between device and threadgroup memory.
struct assay_copy_t {
  void* to;
  const void* from;
  ulong element_bytes;
  ulong to_row, from_row;         ///< elements from one row to the next
  ulong to_stride, from_stride;   ///< and from one column to the next
  ulong to_columns, to_rows;      ///< the tile that is filled
  ulong from_columns, from_rows;  ///< the tile that there is; outside of it lies what `clamp` says
  long left, top;                 ///< where the first begins in the second
  uint clamp;                     ///< 0: zeros; 1: the nearest element
};
enum { ASSAY_MATRIX_LOAD, ASSAY_MATRIX_STORE, ASSAY_MATRIX_MULTIPLY };

extern __thread assay_lane_t* assay_lane __attribute__((tls_model("initial-exec")));

/// Base of the running threadgroup's memory; slot i lies at i * ASSAY_SLOT_STRIDE from it.
extern __thread char* assay_threadgroup_memory __attribute__((tls_model("initial-exec")));

/// `flags` are mem_flags bits. `line` and `file` are the call's place in the .metal text.
void assay_threadgroup_barrier(uint flags, uint line, const char* file);
void assay_simdgroup_barrier(uint flags, uint line, const char* file);

/// The halves of the two above: note the arrival of the running lane, and say which lane goes on. Those who
/// resume it themselves (assay/switch.h) save the processor a wrong guess at every return.
assay_lane_t* assay_threadgroup_arrive(uint flags, uint line, const char* file);
assay_lane_t* assay_simdgroup_arrive(uint flags, uint line, const char* file);

/// Arrives at a barrier that the running lane need not wait at (assay/early_barrier.h).
void assay_simdgroup_arrive_early(uint flags, uint line, const char* file);

/// The running lane is about to end there.
void assay_lane_leaves(uint line, const char* file);

/// Simdgroup collective. Every active lane hands in `size` bytes; returns an array of 32 such values in lane
/// order (those of inactive lanes are a poison of their own) and the mask of active lanes. The array stays
/// valid until the lane's next collective or barrier. Lanes that wait elsewhere or have ended are inactive.
const void* assay_collective(const void* value, uint size, ulong* active_mask, uint line, const char* file);

/// The running lane is given the value of lane `from`, which takes no part.
void assay_inactive_lane(uint from, uint line, const char* file);

/// Checked mode: an operand of the running lane's next collective, which must be the same in all lanes of a group
/// of `width` (32 or 4) that take part.
void assay_uniform_operand(uint operand, uint width);

/// Checked mode: a group of `width` lanes has no lane of that number; groups have no such `modulo`.
void assay_no_lane(uint lane, uint width, uint line, const char* file);
void assay_no_modulo(uint modulo, uint line, const char* file);

/// Checked mode: an operation there takes all 32 lanes of the running lane's simdgroup.
void assay_whole_simdgroup(uint line, const char* file);

/// Checked mode: a collective access of the whole simdgroup to 8 rows of 8 elements.
void assay_check_matrix(const void* first, long row_stride_bytes, uint element_bytes, uint is_write,
                        uint line, const char* file);

/// Checked mode: a read of rows x columns elements by the whole simdgroup, one of so many that do the same.
void assay_check_tile(const void* first, long row_stride_bytes, long column_stride_bytes, uint rows,
                      uint columns, uint element_bytes, uint simdgroups, uint line, const char* file);

/// Checked mode: the running lane takes part in an operation of so many simdgroups, all of the threadgroup.
void assay_group_operation(uint simdgroups, ulong arguments, uint line, const char* file);

/// Checked mode: an element of a cooperative tensor is needed there, and nobody has given it a value.
void assay_no_value(uint line, const char* file);

/// Checked mode: no array of `count` elements has that index. `site`: the place (assay_here()).
[[noreturn]] void assay_no_element(long index, ulong count, const void* site);

/// Checked mode: a shift of an element of a vector, of so many bits, by that many or more.
void assay_undefined_shift_of(ulong count, uint bits, const void* site);

/// What code that clang has compiled calls (harness/metal/ir): of a division that has no result, one; in fast
/// code, of a shift or conversion that has none, the end of the lane. `site`: its place. assay_here(): that of the
/// call, in the kernel's own text; it is no function that anybody has.
const void* assay_here();
void assay_misaligned_copy(const void* address, ulong bytes, ulong alignment, const void* site);
ulong assay_undefined_quotient(ulong usual, const void* site);
[[noreturn]] void assay_undefined_operation(const void* site);

/// A copy that a simdgroup has begun, and does when it waits for it (metal/async_copy.h). The running lane's
/// own until it ends there.
struct assay_copy_t;
assay_copy_t* assay_copy_begins();
void assay_copy_ends(assay_copy_t* copy);

/// Metal has no atomics on textures of the format that [[texture(index)]] has: ends the running lane.
[[noreturn]] void assay_no_texel_atomics(uint index, uint line, const char* file);

/// An address becomes a number: ends the running lane where it is that of a variable of a lane's own.
void assay_address_as_number(const void* address, uint line, const char* file);

/// Watched code: a variable of the running lane's own begins, without a value, in that line; and ends.
void assay_private_begins(void* at, ulong bytes, uint number, const char* name, uint line, const char* file);
void assay_private_ends(void* at);

/// Atomics. `order` and `scope` are the values of metal::memory_order and metal::thread_scope.
/// `operation`: 0 load, 1 store, 2 exchange, 3 add, 4 sub, 5 and, 6 or, 7 xor, 8 min, 9 max, 10 float add.
/// `is_signed` matters to min and max; 2: the object is a float. Returns the old value (load: the value).
uint assay_atomic32(void* object, uint operation, uint operand, uint is_signed, uint order, uint line,
                    const char* file);
/// Returns 1 and stores `desired` if *object == *expected, else 0 and loads *expected. It is weak: under some
/// schedules it returns 0 though the two are equal, never twice in a row in one lane.
uint assay_atomic32_compare_exchange(void* object, uint* expected, uint desired, uint order, uint line,
                                     const char* file);
ulong assay_atomic64(void* object, uint operation, ulong operand, uint order, uint line, const char* file);
void assay_fence(uint flags, uint order, uint scope, uint line, const char* file);
}

#define ASSAY_SLOT_STRIDE (64 * 1024 + 4096 + 192)
#define ASSAY_SIMDGROUP_WIDTH 32

#ifdef ASSAY_INLINE_SWITCH
#include "assay/switch.h"
#endif
