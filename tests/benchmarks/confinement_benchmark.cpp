// What confinement costs a warm run: the same cases of a kernel that is compiled already, in a forked process
// that is confined and in one that is not, by turns in one run. In processor time, the system's included:
// other guests of the machine take less of it than of the clock.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <vector>

#include "harness/process/child.hpp"
#include "harness/run/manifests.hpp"
#include "harness/run/test_devices.hpp"
#include "properties/cases/search.hpp"
#include "properties/cases/trial.hpp"

namespace assay {
namespace {

constexpr std::uint64_t kCases = 100;

double processor_time_of_children() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double seconds_of(const std::function<void(const process::Reporter&)>& body) {
  const double start = processor_time_of_children();
  process::Child child(body);
  while (child.receive()) {
    pollfd polled{child.fd(), POLLIN, 0};
    poll(&polled, 1, process::kPoll_ms);
    while (child.next()) {
    }
  }
  if (child.join()) throw std::runtime_error("the cases did not run to their end");
  return processor_time_of_children() - start;
}

// The seconds reported are those of a run whose kernels are in a confined process of their own; the counter
// is the median, over pairs, of how much longer it took.
void confined(benchmark::State& state, const KernelEntry& entry, run::Mode mode) {
  const auto seconds = [&](bool apart) {
    return seconds_of([&](const process::Reporter& reporter) {
      run::TestDevices devices(mode, {.apart = apart});
      const properties::Trial trial(entry, devices.devices());
      const auto cases = trial.cases();
      for (std::uint64_t i = 0; i < kCases; ++i) {
        reporter.send({{"type", "case"}, {"index", i}});
        const auto test_case = properties::case_at(cases, 1, i);
        benchmark::DoNotOptimize(trial.run(test_case));
      }
    });
  };
  std::vector<double> costs;
  for (auto _ : state) {
    const double before = seconds(false), with = seconds(true), after = seconds(false);
    state.SetIterationTime(with);
    costs.push_back(100 * (2 * with / (before + after) - 1));
  }
  std::nth_element(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2), costs.end());
  state.counters["cost_percent"] = costs[costs.size() / 2];
}

// The same without a kernel, which drowns it in noise: a process that sends so many reports.
void reports(benchmark::State& state) {
  for (auto _ : state) {
    state.SetIterationTime(seconds_of([&](const process::Reporter& reporter) {
      for (std::int64_t i = 0; i < state.range(0); ++i) reporter.send({{"type", "case"}, {"index", i}});
    }));
  }
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  using namespace assay;
  benchmark::Initialize(&argc, argv);
  const auto entries = run::load_manifest(std::nullopt);
  for (const auto* entry :
       run::choose(entries, {"dequant_fp4", "marlin_gemm_fused_fp4", "marlin_gemm_fp4_striped"})) {
    for (const auto mode : {run::Mode::fast, run::Mode::checked}) {
      benchmark::RegisterBenchmark(fmt::format("{}/{}", entry->name, run::name_of(mode)).c_str(),
                                   [=](benchmark::State& state) { confined(state, *entry, mode); })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond)
          ->Iterations(7);
    }
  }
  benchmark::RegisterBenchmark("reports", reports)
      ->Arg(0)
      ->Arg(10'000)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
}
