// Speed of what mutation testing does with a long file: seconds to split it into tokens, and to find faults
// to put there; and how each grows with the lines of the file.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "harness/metal/text/token.hpp"
#include "harness/mutate/mutation.hpp"
#include "tests/metal/long_file.hpp"
#include "tests/metal/syntax.hpp"

namespace assay {
namespace {

constexpr std::size_t kLines[] = {1'500, 3'000, 6'000, 12'000, 24'000};

metal::TokenText read(const std::string& text) { return metal::tokenize(text, "long.metal"); }

/// What is timed. The file is one whose declarations all have names, or one in which some of each unit stays.
struct Step {
  const char* name;
  metal::Unnamed unnamed;
  std::function<void(const std::string&)> run;
};

const Step kSteps[] = {
    {"read", metal::Unnamed::some, [](const auto& text) { benchmark::DoNotOptimize(read(text)); }},
    {"find mutations", metal::Unnamed::some,
     [](const auto& text) {
       const auto tokens = read(text);
       const auto syntax = metal::syntax_of(text);
       benchmark::DoNotOptimize(
           mutate::mutations_of(tokens, std::vector<bool>(tokens.tokens.size(), true), syntax));
     }},
};

/// Seconds of processor time by step and lines, the least of all iterations.
std::map<std::string, std::map<std::size_t, double>>& seconds() {
  static std::map<std::string, std::map<std::size_t, double>> by_step;
  return by_step;
}

void measure(benchmark::State& state, const Step& step, std::size_t lines) {
  const std::string text = metal::long_file(lines / metal::kUnitLines, step.unnamed);
  double best = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    const auto begin = std::clock();
    step.run(text);
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  seconds()[step.name][lines] = best;
}

// The exponent e of cost = c * lines^e, by least squares over the logarithms.
double exponent(const std::map<std::size_t, double>& costs) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [lines, cost] : costs) {
    const double a = std::log(static_cast<double>(lines)), b = std::log(cost);
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  using namespace assay;
  for (const auto& step : kSteps) {
    for (const auto lines : kLines) {
      benchmark::RegisterBenchmark(fmt::format("{}/{}", step.name, lines).c_str(),
                                   [&step, lines](benchmark::State& state) { measure(state, step, lines); })
          ->Unit(benchmark::kMillisecond);
    }
  }
  // Pages once got are kept, for the long texts as for the short: else the kernel's work is measured with
  // ours.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  for (const auto& [step, costs] : seconds()) {
    if (costs.size() < 2) continue;
    fmt::print("{}: {:.3f} s for 12,000 lines; cost grows as lines^{:.3f} from {} to {} lines\n", step,
               costs.contains(12'000) ? costs.at(12'000) : std::nan(""), exponent(costs),
               costs.begin()->first, costs.rbegin()->first);
  }
}
