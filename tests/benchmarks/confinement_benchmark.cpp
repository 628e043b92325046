// What confinement costs a warm run: the same cases of a kernel that is compiled already, in a forked process
// that is confined and in one that is not, by turns in one run.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "harness/process/child.hpp"
#include "harness/run/benches.hpp"
#include "harness/run/manifests.hpp"
#include "properties/search.hpp"
#include "properties/trial.hpp"

namespace assay::cli {
namespace {

constexpr std::uint64_t kCases = 100;

double seconds_of(const std::function<void(const process::Reporter&)>& body) {
  const auto start = std::chrono::steady_clock::now();
  process::Child child(body);
  while (child.receive()) {
    pollfd polled{child.fd(), POLLIN, 0};
    poll(&polled, 1, process::kPoll_ms);
    while (child.next()) {
    }
  }
  if (child.join()) throw std::runtime_error("the cases did not run to their end");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The seconds reported are those of a confined run; the counter is the median, over pairs, of how much longer
// it took.
void confined(benchmark::State& state, const verify::KernelEntry& entry, run::Way way) {
  run::Benches benches(way);
  const properties::Trial trial(entry, benches.benches());
  const auto cases = trial.cases();
  const auto run = [&](const process::Reporter& reporter) {
    for (std::uint64_t i = 0; i < kCases; ++i) {
      reporter.send({{"type", "case"}, {"index", i}});
      const auto problem = properties::case_at(cases, 1, i);
      benches.set_schedule(problem);
      benchmark::DoNotOptimize(trial.run(problem));
    }
    return nlohmann::json(true);
  };
  std::vector<double> costs;
  for (auto _ : state) {
    const double before = seconds_of([&](const process::Reporter& reporter) { run(reporter); });
    const double with = seconds_of([&](const process::Reporter& reporter) {
      process::run_confined(reporter, [&] { return run(reporter); });
    });
    const double after = seconds_of([&](const process::Reporter& reporter) { run(reporter); });
    state.SetIterationTime(with);
    costs.push_back(100 * (2 * with / (before + after) - 1));
  }
  std::nth_element(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2), costs.end());
  state.counters["cost_percent"] = costs[costs.size() / 2];
}

}  // namespace
}  // namespace assay::cli

int main(int argc, char** argv) {
  using namespace assay;
  benchmark::Initialize(&argc, argv);
  const auto entries = run::load_manifest(std::nullopt);
  for (const auto* entry :
       run::choose(entries, {"dequant_fp4", "marlin_gemm_fused_fp4", "marlin_gemm_fp4_striped"})) {
    for (const auto mode : {simulator::Mode::fast, simulator::Mode::checked}) {
      benchmark::RegisterBenchmark(fmt::format("{}/{}", entry->name, run::name_of(mode)).c_str(),
                                   [=](benchmark::State& state) { cli::confined(state, *entry, {mode}); })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond)
          ->MinTime(3);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}
