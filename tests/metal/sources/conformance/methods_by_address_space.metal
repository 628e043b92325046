// A class whose objects live in every address space: numbers that carry the derivative by one variable.
#include <metal_stdlib>
using namespace metal;

struct dual;
template <typename T>
static constexpr constant bool converts_to_dual = !is_same_v<T, dual> && is_convertible_v<T, float>;

struct dual {
  float value, slope;

  METAL_FUNC dual() thread {}
  METAL_FUNC dual() threadgroup {}
  METAL_FUNC constexpr dual(float value, float slope) : value(value), slope(slope) {};
  template <typename T, typename = typename enable_if<!is_same_v<T, dual> && converts_to_dual<T>>::type>
  METAL_FUNC constexpr dual(T x) thread : value(x), slope(0) {}
  template <typename T, typename = typename enable_if<!is_same_v<T, dual> && converts_to_dual<T>>::type>
  METAL_FUNC constexpr dual(T x) threadgroup : value(x), slope(0) {}
  template <typename T, typename = typename enable_if<!is_same_v<T, dual> && converts_to_dual<T>>::type>
  METAL_FUNC constexpr dual(T x) device : value(x), slope(0) {}
  template <typename T, typename = typename enable_if<!is_same_v<T, dual> && converts_to_dual<T>>::type>
  METAL_FUNC constexpr dual(T x) constant : value(x), slope(0) {}

  explicit constexpr operator float() const thread { return value; }
  explicit constexpr operator float() const threadgroup { return value; }
  explicit constexpr operator float() const device { return value; }
  explicit constexpr operator float() const constant { return value; }

  thread float &part(bool second) thread { return second ? slope : value; }
  const thread float &part(bool second) const thread { return second ? slope : value; }

  METAL_FUNC dual exp() const thread {
    const float e = metal::exp(value);
    return {e, e * slope};
  }
};

METAL_FUNC thread dual &operator+=(thread dual &a, dual b) {
  a.value += b.value;
  a.slope += b.slope;
  return a;
}
METAL_FUNC threadgroup dual &operator+=(threadgroup dual &a, dual b) {
  a.value += b.value;
  a.slope += b.slope;
  return a;
}
static METAL_FUNC dual operator+(dual a, dual b) { return {a.value + b.value, a.slope + b.slope}; }
METAL_FUNC static dual operator*(dual a, dual b) {
  return {a.value * b.value, a.value * b.slope + a.slope * b.value};
}
METAL_FUNC dual exp(dual a) { return a.exp(); }
METAL_FUNC dual sin(dual a) { return {metal::sin(a.value), metal::precise::cos(a.value) * a.slope}; }

// What a pointer points at, whichever the space.
template <typename P> struct pointee;
template <typename T> struct pointee<thread T *> { using type = T; };
template <typename T> struct pointee<device T *> { using type = T; };
template <typename T> struct pointee<constant T *> { using type = T; };
template <typename T> struct pointee<threadgroup T *> { using type = T; };

// The same name twice, told apart by a parameter that nobody reads.
struct Rounding {
  METAL_FUNC static half to(float x, half) { return half(x); }
  METAL_FUNC static short to(float x, short) { return short(x + 0.5f); }
};

kernel void sum_of_squares(device const float2 *in [[buffer(0)]], device float *out [[buffer(1)]],
                           constant uint &count [[buffer(2)]], constant dual &bias [[buffer(3)]],
                           device half *rounded [[buffer(4)]],
                           ushort i [[thread_position_in_threadgroup]],
                           ushort threads [[threads_per_threadgroup]]) {
  threadgroup dual sums[32];
  dual own = 0;
  for (uint k = i; k < count; k += threads) {
    const dual x(in[k].x, in[k].y);
    own += x * x;
  }
  sums[i] = own;
  for (ushort reach = threads / 2; reach > 0; reach /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i < reach) sums[i] += sums[i + reach];
  }
  if (i != 0) return;
  const dual total = sums[0] + dual(2.0h) + dual(3) + bias;
  const float2 pair = float2(float(total), total.slope);
  const device dual *first = (const device dual *)in;
  typename pointee<device dual *>::type copy = *first;
  copy.part(true) += 0.5f;
  out[0] = pair.x;
  out[1] = pair.y;
  out[2] = float(sums[0]) + float(bias) + float(*first);
  out[3] = exp(dual(0.f, 4.f)).part(true) + exp(dual(0)).value;
  out[4] = sin(dual(0.f, 3.f)).slope;
  out[5] = copy.part(1);
  out[6] = is_same_v<pointee<threadgroup dual *>::type, dual> && is_same_v<pointee<thread int *>::type, int> &&
           is_same_v<pointee<constant half *>::type, half>;
  rounded[0] = Rounding::to(2.5f, half()) + Rounding::to(2.5f, short());
  rounded[1] = Rounding::to(0.1f, half());
}
