#include "tests/metal_stdlib/fake_runtime.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "harness/metal/stdlib/assay/runtime.h"

__thread assay_lane_t* assay_lane;
__thread char* assay_threadgroup_memory;

namespace {

constexpr unsigned kLanes = ASSAY_SIMDGROUP_WIDTH;
constexpr std::size_t kLargestValue = 64;

struct Simdgroup {
  std::barrier<> arrivals{kLanes};
  std::atomic<std::uint32_t> arrived = 0;
  char values[kLanes][kLargestValue] = {};
  std::mutex mutex;
  fake::Report report;
};

thread_local Simdgroup* simdgroup;
thread_local std::vector<char> gathered;

void note(const char* name, std::vector<unsigned long> arguments, unsigned line, const char* file) {
  if (assay_lane->index_in_simdgroup != 0) return;
  const std::lock_guard lock(simdgroup->mutex);
  simdgroup->report.calls.push_back({name, std::move(arguments), line, file});
}

}  // namespace

fake::Report fake::run_simdgroup(const std::function<void()>& body, unsigned index) {
  auto group = std::make_unique<Simdgroup>();
  std::vector<assay_lane_t> states(kLanes);
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < kLanes; ++i) {
      threads.emplace_back([&, i] {
        simdgroup = group.get();
        assay_lane = &states[i];
        states[i].index_in_simdgroup = i;
        states[i].index_in_threadgroup = index * kLanes + i;
        states[i].simdgroup_index = index;
        body();
        group->arrivals.arrive_and_drop();
      });
    }
  }
  for (const auto& state : states) group->report.matrix_operations.push_back(state.matrix_operations);
  return std::move(group->report);
}

namespace {

std::mutex atomics;

template <class T>
T apply(T old, unsigned operation, T operand, bool is_signed) {
  using Signed = std::make_signed_t<T>;
  const bool less = is_signed ? static_cast<Signed>(operand) < static_cast<Signed>(old) : operand < old;
  switch (operation) {
    case 0:
      return old;
    case 1:
    case 2:
      return operand;
    case 3:
      return old + operand;
    case 4:
      return old - operand;
    case 5:
      return old & operand;
    case 6:
      return old | operand;
    case 7:
      return old ^ operand;
    case 8:
      return less ? operand : old;
    case 9:
      return less ? old : operand;
    default:
      break;
  }
  if constexpr (sizeof(T) == 4) {
    if (operation == 10) return std::bit_cast<T>(std::bit_cast<float>(old) + std::bit_cast<float>(operand));
  }
  ADD_FAILURE() << "atomic operation " << operation;
  return old;
}

}  // namespace

extern "C" {

void unit_check_failed(const char* text, const char* file, unsigned line) {
  ADD_FAILURE_AT(file, static_cast<int>(line)) << text;
}

void assay_threadgroup_barrier(uint flags, uint line, const char* file) {
  note("threadgroup_barrier", {flags}, line, file);
  simdgroup->arrivals.arrive_and_wait();
}

void assay_simdgroup_barrier(uint flags, uint line, const char* file) {
  note("simdgroup_barrier", {flags}, line, file);
  simdgroup->arrivals.arrive_and_wait();
}

void assay_inactive_lane(uint, uint, const char*) {}
void assay_uniform_operand(uint, uint) {}
void assay_no_lane(uint, uint, uint, const char*) {}
void assay_no_modulo(uint, uint, const char*) {}
void assay_whole_simdgroup(uint, const char*) {}

const void* assay_collective(const void* value, uint size, ulong* active_mask, uint line, const char* file) {
  if (size > kLargestValue) ADD_FAILURE() << "a collective of " << size << " bytes";
  note("collective", {size}, line, file);
  const unsigned lane = assay_lane->index_in_simdgroup;
  std::memcpy(simdgroup->values[lane], value, size);
  simdgroup->arrived |= 1u << lane;
  simdgroup->arrivals.arrive_and_wait();
  const std::uint32_t mask = simdgroup->arrived;
  gathered.assign(std::size_t{kLanes} * size, '\xEE');  // poison
  for (unsigned i = 0; i < kLanes; ++i) {
    if (mask >> i & 1) std::memcpy(&gathered[std::size_t{i} * size], simdgroup->values[i], size);
  }
  simdgroup->arrivals.arrive_and_wait();
  simdgroup->arrived &= ~(1u << lane);
  simdgroup->arrivals.arrive_and_wait();
  *active_mask = mask;
  return gathered.data();
}

void assay_check_matrix(const void* first, long row_stride_bytes, uint element_bytes, uint is_write,
                        uint line, const char*) {
  const std::lock_guard lock(simdgroup->mutex);
  simdgroup->report.matrix_accesses.push_back({first, row_stride_bytes, element_bytes, is_write != 0, line});
}

uint assay_atomic32(void* object, uint operation, uint operand, uint is_signed, uint order, uint line,
                    const char* file) {
  note("atomic32", {operation, operand, is_signed, order}, line, file);
  const std::lock_guard lock(atomics);
  auto* place = static_cast<uint*>(object);
  const uint old = *place;
  *place = apply(old, operation, operand, is_signed != 0);
  return old;
}

uint assay_atomic32_compare_exchange(void* object, uint* expected, uint desired, uint order, uint line,
                                     const char* file) {
  note("atomic32_compare_exchange", {*expected, desired, order}, line, file);
  const std::lock_guard lock(atomics);
  auto* place = static_cast<uint*>(object);
  if (*place == *expected) {
    *place = desired;
    return 1;
  }
  *expected = *place;
  return 0;
}

ulong assay_atomic64(void* object, uint operation, ulong operand, uint order, uint line, const char* file) {
  note("atomic64", {operation, operand, order}, line, file);
  const std::lock_guard lock(atomics);
  auto* place = static_cast<ulong*>(object);
  const ulong old = *place;
  *place = apply(old, operation, operand, false);
  return old;
}

void assay_fence(uint flags, uint order, uint scope, uint line, const char* file) {
  note("fence", {flags, order, scope}, line, file);
}

}  // extern "C"
