// Constants of the namespace and of classes: specifiers in any order, tables made by macros, members that are
// worked out of others.
#include <metal_stdlib>
using namespace metal;

#define FIXED static constant constexpr const
#define TABLE_OF(type, name, size) static const constant type name[size] = {
#define END_OF_TABLE() };

constexpr constant static short kDaysBefore[4] = {0, 31, 59, 90};
static const constant uint kPrimes[] = {2, 3, 5, 7, 11, 13};
FIXED int kPrimeCount = sizeof(kPrimes) / sizeof(kPrimes[0]);
constant float kTurn = 6.28318530717958647692528676655900576839433879875;
constant float kSum = kTurn + 1.f;
constexpr constant half kDepths[] = {0.1, -2.5, 16.h, 1000.25};
TABLE_OF(float, kHeights, 7)
  0.5, 1.5, 2.5, 4.0, 8.0, 8.5, 100.f,
END_OF_TABLE()
TABLE_OF(uchar, kLetters, 3) 'x', 'y', 'z' END_OF_TABLE()

enum {
  kRed,
  kGreen = 4,
  kBlue,
};

// How many elements of an ascending table are at most x.
static int place_in(constant float *table, int size, float x) {
  int low = 0, high = size;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (table[middle] <= x) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template <typename T>
struct Extremes {
  static const constant T largest;
  static const constant T above;
};
#define EXTREMES_OF(T)                                                        \
  template <>                                                                 \
  struct Extremes<T> {                                                        \
    static constexpr constant T largest = metal::numeric_limits<T>::max();    \
    static constexpr constant T above = metal::numeric_limits<T>::infinity(); \
  }
EXTREMES_OF(half);
EXTREMES_OF(float);
EXTREMES_OF(bfloat);

template <short Rows, short Columns, bool Padded>
struct Sheet {
  FIXED short width = Padded ? Columns + 1 : Columns;
  FIXED short cells = Rows * width;
  static constexpr constant short share = cells / 3;
};

kernel void look_up(device float *out, device half *halves, uint i [[thread_position_in_grid]]) {
  thread float heights[8] = {0.f};
  for (int k = 0; k < 7; ++k) heights[k] = kHeights[k];
  out[0] = kDaysBefore[3] + kPrimes[kPrimeCount - 1];
  out[1] = kTurn;
  out[2] = kSum;
  out[3] = place_in(kHeights, 7, 4.0f) * 100 + place_in(kHeights, 7, 8.25f) * 10 + place_in(kHeights, 7, 0);
  out[4] = kRed + 10 * kGreen + 100 * kBlue;
  out[5] = Extremes<half>::largest;
  out[6] = isinf(Extremes<bfloat>::above) ? float(Extremes<bfloat>::above) : 0;
  out[7] = isinf(Extremes<float>::largest) ? 0 : Extremes<float>::largest;
  out[8] = Sheet<6, 4, true>::share * 100 + Sheet<6, 4, false>::share;
  out[9] = kLetters[0] + kLetters[2] + heights[6] + heights[7];
  for (int k = 0; k < 4; ++k) halves[k] = kDepths[k];
}
