// Arithmetic of 16-bit floats, and of floats with bytes: when results round, and to what.
#include <metal_stdlib>
using namespace metal;

typedef half narrow;
typedef bfloat brain;
#define AS(type, x) type(x)

struct Reading {
  half step;
  uint8_t codes[6];
};

// Twelve readings of a gauge in codes of four bits: the step follows from the largest of either sign.
kernel void store_readings(device const float *in [[buffer(0)]], device Reading *out [[buffer(1)]],
                           device float *again [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  device const float *from = in + 12 * i;
  float max = 0.0f, peak = 0.0f;
  for (int k = 0; k < 12; ++k) {
    if (fabs(from[k]) > max) {
      max = fabs(from[k]);
      peak = from[k];
    }
  }
  const float step = peak / -6.f, inverse = step ? 1.0f / step : 0.0f;
  out[i].step = step;
  for (int k = 0; k < 6; ++k) {
    const uint8_t low = (uint8_t)min(13, int((int8_t)(from[2 * k] * inverse + 6.5f)));
    out[i].codes[k] = low;
    out[i].codes[k] |= (uint8_t)min(13, int((int8_t)(from[2 * k + 1] * inverse + 6.5f))) << 4;
  }
  for (int k = 0; k < 6; ++k) {
    const half s = out[i].step;
    again[12 * i + 2 * k] = s * half(out[i].codes[k] & 15) - 6.h * s;
    again[12 * i + 2 * k + 1] = -6.f * float(s) + float(s) * (out[i].codes[k] >> 4);
  }
}

kernel void round_halves(device const half *a [[buffer(0)]], device const brain *b [[buffer(1)]],
                         device const int8_t *bytes [[buffer(2)]], device float *out [[buffer(3)]],
                         uint i [[thread_position_in_grid]]) {
  device float *row = out + 14 * i;
  const half x = a[i], y = a[i + 1];
  const int8_t c = bytes[i];
  const uint8_t d = uint8_t(c);
  row[0] = x / 16.h * 3.h;
  row[1] = x < y ? x : y;
  row[2] = -x * y;
  row[3] = c * 0.5f + d * 256.f;
  row[4] = 0;
  row[4] += x + y + x + 1024.h;
  row[5] = x / 3.0f;
  row[6] = static_cast<narrow>(1.0f / (float(x) + 3.f));
  row[7] = static_cast<float>(AS(narrow, 2049.f) + -8.h) + float(AS(brain, 257.f));
  const brain u = b[i], v = b[i + 1];
  row[8] = u + v;
  row[9] = u / v;
  row[10] = static_cast<brain>(float(u) * 1.01f);
  row[11] = 256.f + 0.f - 8.f * u;
  row[12] = max(u, v) * brain(3);
  row[13] = -u < 0 ? 1 : isnan(v) ? 2 : rsqrt(float(v * v));
}

kernel void use_library(device float *out) {
  float best = -INFINITY;
  for (int k = 0; k < 5; ++k) best = metal::max(best, -fabs(float(k) - 2.f));
  out[0] = best;
  out[1] = precise::tanh(0.5f);
  out[2] = exp(-INFINITY) + min(3, 4);
  out[3] = INFINITY;
}
