#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "assay/launch.hpp"
#include "harness/process/pool.hpp"
#include "harness/process/shared_memory.hpp"
#include "harness/run/kernel_under_test.hpp"
#include "harness/verify/judge.hpp"

namespace assay {
namespace {

std::size_t bytes_of(const OutputSpec& output) {
  std::size_t bytes = size_of(output.dtype);
  for (const std::size_t extent : output.shape) bytes *= extent;
  return bytes;
}

run::KernelUnderTest load(const KernelEntry& kernel, const LaunchOptions& options) {
  auto loaded = run::load_kernel(kernel, options.mode, {.device = options.device, .apart = options.isolated});
  if (loaded.refused) throw std::runtime_error(loaded.refused->text);
  return loaded;
}

// "" where the launch was clean.
std::string wrong_with(const RunResult& result) {
  if (!result.report.clean()) {
    const auto fault = by_cause(result.report).front();
    return headline(fault) + ": " + fault.message;
  }
  if (!result.changed_inputs.empty()) {
    return fmt::format("the kernel wrote to its inputs: {}", fmt::join(result.changed_inputs, ", "));
  }
  return "";
}

Outputs launch_here(const KernelEntry& kernel, const Problem& problem, const LaunchOptions& options) {
  const auto loaded = load(kernel, options);
  auto result = loaded.trial->outputs(problem);
  const std::string wrong = wrong_with(result);
  if (!wrong.empty()) throw LaunchFailure(kernel.name + ": " + wrong);
  return Outputs(std::move(result.outputs));
}

// In the child: the outputs to shared memory, one behind the other as the problem lists them.
nlohmann::json launch_into(std::byte* shared, const KernelEntry& kernel, const Problem& problem,
                           const run::KernelUnderTest& loaded) {
  const auto result = loaded.trial->outputs(problem);
  const std::string wrong = wrong_with(result);
  if (!wrong.empty()) return {{"type", "fault"}, {"what", kernel.name + ": " + wrong}};
  auto bound = nlohmann::json::array();
  std::byte* at = shared;
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    const auto found = std::find_if(result.outputs.begin(), result.outputs.end(),
                                    [&](const Tensor& one) { return one.name == problem.outputs[i].name; });
    if (found != result.outputs.end()) {
      std::memcpy(at, found->data.data(), found->data.size());
      bound.push_back(i);
    }
    at += bytes_of(problem.outputs[i]);
  }
  return {{"type", "outputs"}, {"bound", bound}};
}

Outputs read_outputs(const std::byte* shared, const Problem& problem, const std::vector<std::size_t>& bound) {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    const auto& spec = problem.outputs[i];
    if (std::find(bound.begin(), bound.end(), i) != bound.end()) {
      tensors.push_back({spec.name, spec.dtype, spec.shape, {shared, shared + bytes_of(spec)}});
    }
    shared += bytes_of(spec);
  }
  return Outputs(std::move(tensors));
}

}  // namespace

const Tensor& Outputs::operator[](std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& tensor : tensors_) {
    if (tensor.name == name) return tensor;
    names.push_back(tensor.name);
  }
  throw std::invalid_argument(fmt::format("no output \"{}\"; there are {}", name, fmt::join(names, ", ")));
}

Outputs launch(const Kernel& what, const Problem& problem, const LaunchOptions& options) {
  const KernelEntry& kernel = what.entry();
  if (!options.isolated) return launch_here(kernel, problem, options);
  std::size_t size_bytes = 0;
  for (const auto& output : problem.outputs) size_bytes += bytes_of(output);
  const process::SharedMemory shared(std::max<std::size_t>(size_bytes, 1));
  std::optional<nlohmann::json> said;
  process::JobEnd end;
  process::Job job;
  job.idle_limit_s = options.timeout_s;
  job.work = [&](const process::Reporter& reporter) {
    const auto loaded = load(kernel, options);
    reporter.send(launch_into(shared.data(), kernel, problem, loaded));
  };
  job.hear = [&](const nlohmann::json& message) {
    said = message;
    return false;
  };
  job.ended = [&](const process::JobEnd& how) { end = how; };
  process::run_job(std::move(job));
  if (!end.failure.empty()) throw std::runtime_error(end.failure);
  if (end.late)
    throw LaunchFailure(
        fmt::format("{}: the launch did not end within {} s", kernel.name, options.timeout_s));
  if (!said) {
    throw LaunchFailure(fmt::format("{}: the launch stopped its process: {}", kernel.name,
                                    end.death ? end.death->describe() : "no reason"));
  }
  if (said->value("type", "") == "fault") throw LaunchFailure(said->at("what").get<std::string>());
  return read_outputs(shared.data(), problem, said->at("bound").get<std::vector<std::size_t>>());
}

}  // namespace assay
