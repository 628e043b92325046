// Functions and methods that address spaces tell apart.
#include <metal_stdlib>
using namespace metal;

template <typename T> struct element;
template <typename T> struct element<device T*> { typedef T type; };
template <typename T> struct element<threadgroup T*> { typedef T type; };
template <typename T> struct element<thread T*> { typedef T type; };

struct Pair {
  float x, y;

  float sum() const thread { return x + y; }
  float sum() const device { return x + y; }
  float sum() const threadgroup { return x + y; }
  float sum() const constant { return x + y; }

  thread float& largest() thread { return x > y ? x : y; }
  device float& largest() device { return x > y ? x : y; }
  threadgroup float& largest() threadgroup { return x > y ? x : y; }

  void operator+=(float by) thread { x += by, y += by; }
  void operator+=(float by) device { x += by, y += by; }
};

inline float total(const device float* values, uint count) {
  float sum = 0;
  for (uint i = 0; i < count; ++i) sum += values[i];
  return sum;
}
inline float total(const threadgroup float* items, uint n) {
  float sum = 0;
  for (uint i = 0; i < n; ++i) sum += items[i];
  return sum;
}
inline float total(constant float* values, uint count) {
  float sum = 0;
  for (uint i = 0; i < count; ++i) sum += values[i];
  return sum;
}
// Another type: stays.
inline float total(const device int* values, uint count) { return values[0] * float(count); }

template <typename T>
void double_it(device T& x) { x = x * 2; }
template <typename T>
void double_it(threadgroup T& y) { y = y * 2; }
template <typename T>
void double_it(thread T& x) { x = x * 2; }

constant constexpr float kTable[3] = {1.f, 2.f, 4.f};
constant Pair kPair = {20, 3};

kernel void spaces(device float* out, device Pair& pair, const device int* numbers, constant Pair& fixed,
                   uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float shared[4];
  threadgroup Pair both[1];
  shared[lane] = lane + 1;
  if (lane == 0) both[0] = Pair{8, 9};
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (lane != 0) return;
  typename element<device float*>::type x = 3;
  double_it(x);
  double_it(shared[3]);
  pair.largest() += 1;
  pair += 0.5f;
  Pair own = {1, 2};
  own.largest() = 7;
  out[0] = total(shared, 4);
  out[1] = total(kTable, 3);
  out[2] = total(numbers, 3);
  out[3] = x;
  out[4] = pair.sum() + both[0].sum() + own.sum() + fixed.sum() + kPair.sum();
  both[0].largest() = 0;
  out[5] = both[0].sum();
  double_it(out[5]);
}

// These two do different things: one address space cannot tell them apart.
inline float where(const device float* p) { return p[0]; }
inline float where(const threadgroup float* p) {
  return -p[0];
}
kernel void different(device float* out) {
  threadgroup float shared[1];
  shared[0] = 1;
  out[0] = where(out) + where(shared);
}

struct Cursor {
  int step() const thread { return 1; }
  int step() const device { return 2; }
};
kernel void different_methods(device Cursor* cursor, device int* out) {
  Cursor own;
  out[0] = own.step() + cursor->step();
}
