#include "harness/sandbox/processor_clock.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <cmath>
#include <limits>

namespace assay::sandbox {
namespace {

/// Between two looks at a process that is late: a few steps of the clock that counts processor time.
constexpr long kBetweenLooks_us = 8'000;
constexpr double kMost_s = 1e9;

double g_limit_s = std::numeric_limits<double>::infinity();
pid_t g_started = 0;  // the process that has; one forked from it has not

}  // namespace

void limit_processor_time(double seconds) { g_limit_s = seconds; }

double processor_time_limit() { return g_limit_s; }

void start_processor_clock() {
  if (!(g_limit_s < kMost_s)) return;
  g_started = getpid();
  itimerval timer{};
  double whole = 0;
  const double rest = std::modf(g_limit_s, &whole);
  timer.it_value = {static_cast<time_t>(whole), static_cast<suseconds_t>(rest * 1e6)};
  timer.it_interval.tv_usec = kBetweenLooks_us;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

void restart_processor_clock() {
  if (processor_clock_runs()) start_processor_clock();
}

bool processor_clock_runs() { return g_started != 0 && g_started == getpid(); }

}  // namespace assay::sandbox
