// Kernels stamped by macros: rows of pixels whose colours are codes of a few bits in words, with a gain and a
// floor for each run of pixels.
#include <metal_stdlib>
using namespace metal;

template <int Bits, int WordBits = 32>
inline constexpr int pixels_per_word() {
  return Bits == 3 ? 10 : WordBits / Bits;
}

// The codes of one word as shades, each a whole number.
template <typename U, int Bits>
METAL_FUNC static void read_shades(uint word, thread U *shades) {
  static_assert(Bits == 2 || Bits == 4 || Bits == 8, "a byte holds whole codes");
  if (Bits == 2) {
    for (int k = 0; k < 16; ++k) shades[k] = U(word >> (2 * k) & 3);
  } else if (Bits == 4) {
    for (int k = 0; k < 8; k += 2) {
      const uint pair = word >> (4 * k) & 0xFF;
      shades[k] = U(pair & 15);
      shades[k + 1] = U(pair & 0xF0) / 16;
    }
  } else {
    for (int k = 0; k < 4; ++k) shades[k] = U(word >> (8 * k) & 0xFF);
  }
}

template <typename T, int Bits, const int Run>
[[kernel, max_total_threads_per_threadgroup(Bits * Run)]] void palette_light(
    device const uint *codes [[buffer(0)]], device const T *gains [[buffer(1)]],
    device const T *floors [[buffer(2)]], device const T *weights [[buffer(3)]],
    device T *out [[buffer(4)]], const constant int &pixels [[buffer(5)]],
    uint3 group [[threadgroup_position_in_grid]], uint simd [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  typedef float U;
  constexpr int count = pixels_per_word<Bits, 32>();
  const int row = int(group.y) * 2 + int(simd), words = pixels / count;
  codes += row * words;
  U light = 0;
  for (int w = int(lane); w < words; w += 32) {
    U shades[pixels_per_word<Bits>()];
    read_shades<U, Bits>(codes[w], shades);
    const int run = (row * pixels + w * count) / Run;
    for (int k = 0; k < count; ++k) {
      light += U(weights[w * count + k]) * (U(gains[run]) * shades[k] + U(floors[run]));
    }
  }
  light = simd_sum(light);
  if (lane == 0) out[row] = static_cast<T>(light);
}

template <typename T, int Bits, const int Run>
[[kernel, max_total_threads_per_threadgroup(Bits * Run)]] void palette_brightest(
    device const uint *codes [[buffer(0)]], device const T *gains [[buffer(1)]],
    device T *out [[buffer(4)]], uint i [[thread_position_in_grid]]) {
  constexpr int count = pixels_per_word<Bits>();
  T shades[count];
  read_shades<T, Bits>(codes[i], shades);
  T most = shades[0];
  for (int k = 1; k < count; ++k) most = max(most, shades[k]);
  out[i] = most * gains[i * count / Run];
}

// One instantiation; then several along the axes of run, bits and type, all on the line that asks for them.
#define STAMP(title, what, ...)     \
  template                          \
      [[host_name(                  \
          title)]]                  \
      [[kernel]]                    \
      decltype(what<__VA_ARGS__>)   \
          what<__VA_ARGS__>;
#define STAMP_RUN(how, type, bits, run) \
  STAMP("palette_" #how "_" #type "_bits" #bits "_run" #run, palette_##how, type, bits, run)
#define STAMP_BITS(how, type)    \
  STAMP_RUN(how, type, 2, 32)    \
  STAMP_RUN(how, type, 4, 16)    \
  STAMP_RUN(how, type, 8, 16)
#define STAMP_TYPES(how) STAMP_BITS(how, half) STAMP_BITS(how, float)

STAMP_TYPES(light) STAMP_TYPES(brightest);
STAMP_RUN(brightest, bfloat, 8, 32)

// By way of an alias for the function's type; some differ in one type only.
template <typename T, typename Wide, bool Backwards>
kernel void first_of_runs(device const T *from, device Wide *to, uint i [[thread_position_in_grid]]) {
  to[i] = Wide(from[Backwards ? 3 - i : i]) + Wide(0.5h);
}
typedef decltype(first_of_runs<half, float, true>) first_of_runs_alias;
template [[host_name("first_of_runs_back")]]  kernel first_of_runs_alias first_of_runs<half,  float, true >;
template [[host_name("first_of_runs_ahead")]] kernel first_of_runs_alias first_of_runs<half,  float, false >;
typedef decltype(first_of_runs<float, float, true>) first_of_floats_alias;
template [[host_name("first_of_floats_back")]] kernel first_of_floats_alias
    first_of_runs<float,     float ,     true      >;
template [[host_name("first_of_bytes_ahead")]]
kernel decltype(first_of_runs<uchar, int, false>) first_of_runs<uchar,     int   ,     false     >;
