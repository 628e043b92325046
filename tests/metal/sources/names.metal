// How kernels are named, declared and marked.
#include <metal_stdlib>

#include "names/shared.h"
#include <shapes.h>

kernel void declared_first(device int* out);
void helper_of_two(device int* out, int value);

#define KERNEL(name, op) \
  kernel void compute_##name(device int* a [[buffer(0)]], device int* b [[buffer(1)]], uint i [[thread_position_in_grid]]) { a[i] = a[i] op b[i]; }
KERNEL(add, +) KERNEL(sub, -)
#undef KERNEL

namespace outer { namespace inner {
constant int kOffset = 5;
enum Slot { kFirst = 2, kSecond, kThird = kFirst + 4 };
kernel void nested(device int* out [[buffer(kSecond)]], constant int& value [[buffer(kThird)]]) { out[0] = value + kOffset; }
}
kernel void shallow(device int* out) { out[0] = inner::kOffset * 2; }
}
namespace { kernel void unnamed(device int* out) { out[0] = 11; } }
namespace compact::form { kernel void joined(device int* out) { out[0] = SHARED_VALUE + shapes::kSides; } }

kernel void with_condition(device int* out,
#if defined(WITH_EXTRA)
                           device const int* extra,
#endif
                           constant int& factor) {
#ifdef WITH_EXTRA
  out[0] = extra[0] * factor;
#else
  out[0] = factor;
#endif
}

// A mix of numbered and unnumbered buffers: the rest take what is free, in order.
kernel void mixed_indices(device int* out [[buffer(1)]], constant int& a, constant int& b [[buffer(0)]], constant int& c) {
  out[0] = a * 100 + b * 10 + c;
}

[[kernel]] [[max_total_threads_per_threadgroup(96)]] void calls_another(device int* out) {
  declared_first(out);
  helper_of_two(out, out[0]);
}
kernel void declared_first(device int* out) { out[0] = 21; }
void helper_of_two(device int* out, int value) { out[0] = value * 2; }

extern "C" kernel void c_linkage(device int* out) { out[0] = 33; }
[[kernel]] static void marked_static(device int* out) { out[0] = 34; }

// Literals
kernel void literals(device half* halves, device float* floats, device bfloat* brains) {
  halves[0] = 1.0h; halves[1] = 1e-3h; halves[2] = 0x1p-3h; halves[3] = 2h; halves[4] = .5H; halves[5] = 0.1h;
  halves[6] = 1.00048828125001h;  // just above the middle of two halves, and the middle as a float
  floats[0] = 1.0f; floats[1] = 1.; floats[2] = 0x1.8p1; floats[3] = 1e3; floats[4] = 3 / 2; floats[5] = 0x1Fp0;
  brains[0] = 1.0bf; brains[1] = 2bf; brains[2] = 0x1.8p1bf;
}
