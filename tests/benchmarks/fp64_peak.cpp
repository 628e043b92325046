// Compiled with -ffp-contract=fast: a product and a sum are one instruction where the target has it.
#include "tests/benchmarks/fp64_peak.hpp"

#include <algorithm>
#include <cstddef>
#include <ctime>

namespace assay::benchmarks {
namespace {

constexpr long kRounds = 1'000'000;
constexpr int kRuns = 30;
constexpr std::size_t kChains = 12;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

using Two = double __attribute__((vector_size(16)));
#ifdef __x86_64__
using Four = double __attribute__((vector_size(32)));
using Eight = double __attribute__((vector_size(64)));
#endif

/// Twelve chains x <- x * 0.999 + 0.001, which stay where they are; each in a variable of its own, so that
/// all of them are in registers.
template <class Vector>
[[gnu::always_inline]] inline double chains() {
  const Vector factor = Vector{} + 0.999, term = Vector{} + 0.001;
  // Where each begins is read, so that no two are known to be the same: those would be one.
  const volatile double one = 1;
  Vector a = Vector{} + one, b = Vector{} + one, c = Vector{} + one, d = Vector{} + one, e = Vector{} + one,
         f = Vector{} + one, g = Vector{} + one, h = Vector{} + one, i = Vector{} + one, j = Vector{} + one,
         k = Vector{} + one, l = Vector{} + one;
  for (long round = 0; round < kRounds; ++round) {
    a = a * factor + term;
    b = b * factor + term;
    c = c * factor + term;
    d = d * factor + term;
    e = e * factor + term;
    f = f * factor + term;
    g = g * factor + term;
    h = h * factor + term;
    i = i * factor + term;
    j = j * factor + term;
    k = k * factor + term;
    l = l * factor + term;
  }
  const Vector sum = a + b + c + d + e + f + g + h + i + j + k + l;
  return sum[0];
}

#ifdef __x86_64__
[[gnu::target("avx512f")]] double eight() { return chains<Eight>(); }
[[gnu::target("avx2,fma")]] double four() { return chains<Four>(); }
#endif
double two() { return chains<Two>(); }

double rate(double (*run)(), std::size_t lanes) {
  double best = 0;
  volatile double sink = 0;
  for (int i = 0; i < kRuns; ++i) {
    const double start = processor_seconds();
    sink = run();
    const double operations = 2.0 * static_cast<double>(kRounds * kChains * lanes);
    best = std::max(best, operations / (processor_seconds() - start));
  }
  static_cast<void>(sink);
  return best;
}

}  // namespace

double fp64_peak() {
  double best = rate(two, 2);
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) best = std::max(best, rate(four, 4));
  if (__builtin_cpu_supports("avx512f")) best = std::max(best, rate(eight, 8));
#endif
  return best;
}

}  // namespace assay::benchmarks
