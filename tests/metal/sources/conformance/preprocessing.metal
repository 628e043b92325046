// What has to happen to the text before it is Metal. A comment may name http://example.org/a//b.
#define CALENDAR_METAL
#include "calendar.h"
#include "calendar_arguments.h"  // also by parts/colours.h, by another path
#include <metal_math>
using namespace metal;
#include <metal_simdgroup>
#include <metal_simdgroup_matrix>
#include "parts/colours.h"
#include "lengths.h"
#include "calendar.h"

#if defined(CALENDAR_BUILD_STEP)
calendar-table.to-be-put-here @ build
#endif

#if (__METAL_VERSION__ >= 310)
#define VERSION_MARK 31
#else
#error "this needs Metal 3.1"
#endif

#if defined __METAL__ || defined CALENDAR_EVERYWHERE
#define FIXED constant
#else
#define FIXED
#endif
FIXED const int kMarks[3] = {VERSION_MARK, 4, 9};

#ifdef __cpp_variable_templates
template <typename T> constant T kQuarter = T(0.25);
#define QUARTER kQuarter<half>
#else
#define QUARTER 0.25h
#endif

#if defined(CALENDAR_WITH_MATRICES)
template [[host_name("averages")]] kernel decltype(averages_of<bfloat7x7>) averages_of<bfloat7x7>;
#endif

#define SMALLER_OF(a, b) ((a) < (b) ? (a) : (b))
#define LARGER_OF(a, b) ((a) < (b) ? (b) : (a))
#define UP_TO_MULTIPLE(x, of) (((x) + (of) - 1) & ~((of) - 1))  // of a power of two
#define SWAP_UNUSED(a, b) { auto kept = (a); (a) = (b); (b) = kept; }

#define ALL_TURNS(head) _Pragma("clang loop unroll(full)") for (head)
#define UNROLLED _Pragma("clang loop unroll(full)")
#define ROLLED _Pragma("clang loop unroll(disable)")

template <int Days>
static float warmest(device const week_record &week) {
#pragma METAL fp math_mode(safe)
  float most = -273.0f;
  for (int day = 0; day < Days; ++day) most = LARGER_OF(most, float(week.degrees[day]));
  return most;
}

kernel void count_visitors(device const week_record *weeks [[buffer(0)]],
                           constant calendar_arguments &arguments [[buffer(1)]],
                           device float *out [[buffer(2)]],  // 8 for each week counted
                           uint i[[thread_position_in_grid]])
// clang-format off
{
  // clang-format on
  if (int(i) >= arguments.weeks) return;
  device const week_record &week = weeks[arguments.first_week + i * arguments.step];
  device float *row = out + 8 * i;
  int visitors = 0, weekend = 0, pairs = 0;
  ALL_TURNS(int day = 0; day < CALENDAR_DAYS; ++day) visitors += week.visitors[day];
  #pragma unroll(2)
  for (int day = CALENDAR_WORKDAYS; day < CALENDAR_DAYS; ++day) {
    weekend += week.visitors[day];
  }
  UNROLLED
  for (int a = 0; a < CALENDAR_DAYS; ++a) {
    ROLLED
    for (int b = 0; b < a; ++b) {
      #pragma unroll(3)
      for (int unit = 0; unit < 3; ++unit)
        pairs += week.visitors[a] == week.visitors[b] + unit;
    }
  }
  row[0] = visitors;
  row[1] = weekend;
  row[2] = pairs;
  row[3] = float(week.wet) +
           4 * (week.both.y \
                + QUARTER) + \
           kMarks[i % 3];
  row[4] = SMALLER_OF(21, (int8_t)(float(week.degrees[0]) * 1.5f));
  row[5] = UP_TO_MULTIPLE(visitors, 16);
  row[6] = warmest<CALENDAR_DAYS>(week);
  row[7] = in_metres(stripe_of(arguments, i));
}
