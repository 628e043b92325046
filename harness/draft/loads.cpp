#include "harness/draft/loads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/draft/constants.hpp"
#include "harness/draft/kernel_reader.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/process/pool.hpp"

namespace assay::draft {
namespace {

void refuse(LoadedFile& file, const std::string& kernel, const std::string& why) {
  const auto same = std::find_if(file.refusals.begin(), file.refusals.end(),
                                 [&](const Refusal& one) { return one.why == why; });
  auto& refusal = same == file.refusals.end() ? file.refusals.emplace_back(Refusal{why, {}}) : *same;
  refusal.kernels.push_back(kernel);
}

// Reads it, gives its constants values, and compiles it. Says which values those were.
process::Job job_of(const device::KernelSource& file, const std::string& kernel, LoadedFile& loaded) {
  process::Job job;
  job.work = [file, kernel](const process::Reporter& reporter) {
    device::KernelSource source = file;
    source.function = kernel;
    source.shared_settings = true;
    auto given = nlohmann::json::array();
    auto used = nlohmann::json::array();
    const KernelText text = read_kernel(source);
    for (const FunctionConstant& one : text.constants) used.push_back(one.index);
    for (const GivenConstant& one : usual_constants(text, source)) {
      source.function_constants[one.index] = one.value;
      given.push_back(one.text);
    }
    reporter.send({{"constants", given}, {"used", used}});  // ahead of what may fail because of them
    metal::compile(source, metal::Flavour::fast);
  };
  job.hear = [&loaded](const nlohmann::json& message) {
    auto& constants = loaded.constants;
    for (const auto& one : message.value("used", nlohmann::json::array()))
      loaded.used_constants.insert(one.get<std::uint32_t>());
    for (const auto& one : message.value("constants", nlohmann::json::array())) {
      const auto text = one.get<std::string>();
      if (std::find(constants.begin(), constants.end(), text) == constants.end()) constants.push_back(text);
    }
    return true;
  };
  return job;
}

}  // namespace

LoadedFile load_kernels(const device::KernelSource& source, unsigned jobs,
                        const std::function<void(std::size_t done, std::size_t of)>& done) {
  const auto kernels = kernels_of(source);
  LoadedFile file;
  file.kernels = kernels.size();
  std::vector<std::string> whys(kernels.size());  // in the order of the file, whichever ends first
  std::size_t ended = 0;
  process::Pool pool(jobs);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    auto job = job_of(source, kernels[i], file);
    job.ended = [&, i](const process::JobEnd& end) {
      whys[i] = !end.failure.empty() ? end.failure : end.death ? end.death->describe() : "";
      if (done) done(++ended, kernels.size());
    };
    pool.add(std::move(job));
  }
  pool.run();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (whys[i].empty())
      ++file.loaded;
    else
      refuse(file, kernels[i], whys[i]);
  }
  std::stable_sort(file.refusals.begin(), file.refusals.end(),
                   [](const Refusal& a, const Refusal& b) { return a.kernels.size() > b.kernels.size(); });
  std::sort(file.constants.begin(), file.constants.end());
  return file;
}

}  // namespace assay::draft
