// Functions as arguments of templates where several have the name; hints of loops that are macros; real numbers
// in templates; threadgroup memory with a list of zeros; functions of the compiler that are none for a type, where
// no kernel comes to them.
#include <metal_stdlib>
using namespace metal;

#define LANES 8
#define ROWS (LANES / 2)

struct Line {
  int length;
};

namespace metal {
inline float simd_xor(bfloat x) { return __metal_simd_xor(float(x)); }
}  // namespace metal

inline int least(int a, int b) { return a < b ? a : b; }

template <int Step>
void scaled(device float* out, int n) {
#pragma unroll(ROWS)
  for (int i = 0; i < ROWS; ++i) out[i] = n * Step;
}

template <int Step>
void measured(device float* out, Line line) {
#pragma unroll(least(Step, LANES))
  for (int i = 0; i < ROWS; ++i) out[i] = line.length + Step;
}

typedef void(of_a_number)(device float*, int);
typedef void(of_a_line)(device float*, Line);

template <of_a_number go>
void start(device float* out, Line line) {
  go(out, line.length);
}
template <of_a_line go>
void start(device float* out, Line line) {
  go(out, line);
}

typedef decltype(start<scaled<1>>) started;

template <started go>
kernel void run(device float* out [[buffer(0)]], constant Line& line [[buffer(1)]]) {
  go(out, line);
}

typedef decltype(run<start<scaled<1>>>) run_t;
template [[host_name("run_scaled")]] kernel run_t run<start<scaled<2>>>;
template [[host_name("run_measured")]] kernel run_t run<start<measured<3>>>;

template <class T>
T tenth(T x) {
  return x * 0.1;
}
template <class T>
T inverse(T x) {
  return static_cast<T>(1.0 / x);
}

kernel void tenths(device float* out [[buffer(0)]], device const float* x [[buffer(1)]]) {
  threadgroup float kept[4] = {0};
  kept[0] = tenth(x[0]);
  out[0] = kept[0];
  out[1] = inverse(bfloat(x[1]));
  out[2] = x[0] * 0.1f;
}
