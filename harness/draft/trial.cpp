#include "harness/draft/trial.hpp"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/draft/probe.hpp"
#include "harness/process/pool.hpp"

namespace assay::draft {
namespace {

constexpr double kTrial_s = 5;  // of processor time, of all that are tried

}  // namespace

std::vector<device::Size3> other_threads(const device::Size3& first, const KernelText& kernel,
                                         std::uint32_t most_threads) {
  std::vector<device::Size3> all = {{64, 1, 1}, {256, 1, 1}, {128, 1, 1}, {512, 1, 1}, {1024, 1, 1}};
  const bool several = kernel.waits || kernel.used_axes_of("simdgroup_index_in_threadgroup") > 0;
  if (!several) all.insert(all.begin(), {32, 1, 1});
  if (kernel.used_axes_of("thread_position_in_threadgroup") > 1)
    all = {{8, 8, 1}, {16, 16, 1}, {32, 8, 1}, {32, 4, 1}, {32, 32, 1}};
  std::erase_if(all, [&](const device::Size3& one) {
    return one == first || (most_threads != 0 && one.x * one.y > most_threads);
  });
  return all;
}

std::vector<std::optional<std::string>> faults_inside(const std::vector<MeasureRequest>& requests) {
  std::vector<std::optional<std::string>> found(requests.size());
  process::Job job;
  job.processor_limit_s = kTrial_s + 5;  // of a launch that does not end
  job.idle_limit_s = 60 + 10 * kTrial_s;
  job.work = [&](const process::Reporter& reporter) {
    std::vector<std::unique_ptr<Probe>> probes;
    probes.reserve(requests.size());
    for (const auto& request : requests)
      probes.push_back(std::make_unique<Probe>(request, kTrial_s, device::Mode::checked));
    nlohmann::json faults = nlohmann::json::array();
    for (std::size_t i = 0; i < probes.size(); ++i) {
      const auto fault = probes[i]->fault_inside();
      faults.push_back(fault ? nlohmann::json(*fault) : nlohmann::json());
      if (fault && fault->empty()) break;  // the others need not be tried
    }
    reporter.send({{"faults", faults}});
  };
  job.hear = [&](const nlohmann::json& message) {
    if (!message.contains("faults")) return true;
    const auto& faults = message.at("faults");
    for (std::size_t i = 0; i < faults.size() && i < found.size(); ++i) {
      if (faults[i].is_string()) found[i] = faults[i].get<std::string>();
    }
    return false;
  };
  process::run_job(std::move(job));
  return found;
}

}  // namespace assay::draft
