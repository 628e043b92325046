// How a launch tells kernels which weeks to count; the host fills it, see the calendar's test.
#pragma once

struct calendar_arguments {
  int16_t first_week;
  uint64_t step;  // from one week to the next, in weeks
  int32_t weeks;
};
