// Atomic operations and fences of running kernels: stdlib/assay/runtime.h.
#include <algorithm>
#include <cstring>

#include "harness/simulator/address_space.hpp"
#include "harness/simulator/checker.hpp"
#include "harness/simulator/compute_unit.hpp"
#include "harness/simulator/counters.hpp"
#include "harness/simulator/schedule.hpp"

using assay::simulator::CallSite;
using assay::simulator::Checker;
using assay::simulator::Lane;
using assay::simulator::Operation;

namespace {

enum Kind : uint { kLoad, kStore, kExchange, kAdd, kSub, kAnd, kOr, kXor, kMin, kMax, kFloatAdd };
constexpr uint kFloat = 2;  // in place of whether an integer is signed

bool in_device_memory(const void* object) {
  return reinterpret_cast<std::uintptr_t>(object) - assay::simulator::kBase <
         assay::simulator::kThreadgroupOffset;
}

// One atomic operation of the running lane: others first, then the checker, then the operation itself.
template <class T, class Operate>
T atomically(void* object, uint operation, uint order, CallSite site, Operate operate) {
  Lane& lane = *reinterpret_cast<Lane*>(assay_lane);
  const Operation doing = {site,
                           reinterpret_cast<std::uintptr_t>(object),
                           sizeof(T),
                           operation != kLoad,
                           in_device_memory(object),
                           operation != kLoad && operation != kStore};
  lane.unit->meet(lane, doing);
  auto* word = static_cast<T*>(object);
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  Checker* const checker = Checker::current;
  assay::simulator::Counters::atomic(address, sizeof(T));
  if (checker != nullptr)
    checker->atomic_access(address, sizeof(T), operation != kStore, operation != kLoad, site);
  const T before = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  if (checker != nullptr && doing.synchronises) {
    if (const auto older = checker->overtakes(address, before, order, site)) {
      T found = static_cast<T>(*older);
      const T given = operate(&found);
      checker->overtook(address, found, site);
      lane.unit->met(lane, doing, static_cast<T>(*older), false);
      return given;
    }
  }
  T result = operate(word);
  const T after = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  if (checker != nullptr && operation == kLoad) {
    result = static_cast<T>(checker->atomic_loaded(address, before, order, site));
  } else if (checker != nullptr) {
    checker->atomic_written(address, before, after, operation != kStore, order, site);
  }
  lane.unit->met(lane, doing, operation == kLoad ? result : before, after != before);
  return result;
}

// Applies `change` to what is there, however often others get in between; returns what was there.
template <class T, class Change>
T update(T* object, Change change) {
  T old = __atomic_load_n(object, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(object, &old, change(old), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return old;
}

template <class T, class Signed>
T apply(T* object, uint operation, T operand, bool is_signed) {
  switch (operation) {
    case kLoad:
      return __atomic_load_n(object, __ATOMIC_SEQ_CST);
    case kStore:
    case kExchange:
      return __atomic_exchange_n(object, operand, __ATOMIC_SEQ_CST);
    case kAdd:
      return __atomic_fetch_add(object, operand, __ATOMIC_SEQ_CST);
    case kSub:
      return __atomic_fetch_sub(object, operand, __ATOMIC_SEQ_CST);
    case kAnd:
      return __atomic_fetch_and(object, operand, __ATOMIC_SEQ_CST);
    case kOr:
      return __atomic_fetch_or(object, operand, __ATOMIC_SEQ_CST);
    case kXor:
      return __atomic_fetch_xor(object, operand, __ATOMIC_SEQ_CST);
    default:
      break;
  }
  const auto less = [&](T a, T b) {
    return is_signed ? static_cast<Signed>(a) < static_cast<Signed>(b) : a < b;
  };
  return update(object, [&](T old) {
    if (operation == kMin) return less(operand, old) ? operand : old;
    return less(old, operand) ? operand : old;
  });
}

uint add_float(uint old, uint operand) {
  float a, b;
  std::memcpy(&a, &old, 4);
  std::memcpy(&b, &operand, 4);
  a += b;
  std::memcpy(&old, &a, 4);
  return old;
}

}  // namespace

extern "C" {

uint assay_atomic32(void* object, uint operation, uint operand, uint is_signed, uint order, uint line,
                    const char* file) {
  if (is_signed == kFloat && !in_device_memory(object)) {
    Lane& lane = *reinterpret_cast<Lane*>(assay_lane);
    lane.unit->report_undefined(
        lane, {file, line}, "an atomic float in threadgroup memory; Metal has them in device memory only");
  }
  return atomically<uint>(object, operation, order, {file, line}, [&](uint* word) {
    if (operation == kFloatAdd) return update(word, [&](uint old) { return add_float(old, operand); });
    return apply<uint, int>(word, operation, operand, is_signed == 1);
  });
}

uint assay_atomic32_compare_exchange(void* object, uint* expected, uint desired, uint order, uint line,
                                     const char* file) {
  Lane& lane = *reinterpret_cast<Lane*>(assay_lane);
  return atomically<uint>(object, kExchange, order, {file, line}, [&](uint* word) -> uint {
    const bool equal = __atomic_load_n(word, __ATOMIC_SEQ_CST) == *expected;
    lane.failed_weakly = equal && !lane.failed_weakly && lane.unit->launch().schedule->fails_weakly();
    if (lane.failed_weakly) return 0;
    return __atomic_compare_exchange_n(word, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  });
}

ulong assay_atomic64(void* object, uint operation, ulong operand, uint order, uint line, const char* file) {
  return atomically<ulong>(object, operation, order, {file, line},
                           [&](ulong* word) { return apply<ulong, long>(word, operation, operand, false); });
}

void assay_fence(uint flags, uint order, uint scope, uint line, const char* file) {
  Lane& lane = *reinterpret_cast<Lane*>(assay_lane);
  const bool everywhere = (flags & 1) != 0 && scope == 2;
  lane.unit->meet(lane, {.site = {file, line},
                         .device_memory = (flags & 1) != 0,
                         .synchronises = true,
                         .sequential = everywhere && order == 5});
  if (Checker::current != nullptr) Checker::current->fence(flags, order, scope);
}
}
