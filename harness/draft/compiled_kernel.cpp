#include "harness/draft/compiled_kernel.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "harness/metal/text/outline_json.hpp"
#include "harness/process/pool.hpp"

namespace assay::draft {

CompiledKernel compile_kernel(const device::KernelSource& source) {
  std::optional<CompiledKernel> found;
  std::string why;
  process::Job job;
  job.work = [&](const process::Reporter& reporter) {
    const auto module = metal::compile(source, metal::Flavour::checked);
    nlohmann::json message = {{"indices", module->buffers_declared()},
                              {"most_threads", module->max_threads_per_threadgroup()},
                              {"samplers", module->samplers_declared()},
                              {"textures", nlohmann::json::array()},
                              {"parameters", nlohmann::json::array()}};
    for (const auto& one : module->textures())
      message["textures"].push_back({one.name, one.index, one.kind, one.numbers, one.access});
    for (const auto& one : module->parameters())
      message["parameters"].push_back({one.name, one.index, one.threadgroup,
                                       device::pointers_behind(one.shape, one.name).empty()
                                           ? nlohmann::json()
                                           : nlohmann::json(one.shape)});
    reporter.send(message);
  };
  job.hear = [&](const nlohmann::json& message) {
    if (!message.contains("parameters")) return true;
    found.emplace();
    found->indices = message.at("indices").get<std::size_t>();
    found->most_threads = message.at("most_threads").get<std::uint32_t>();
    found->samplers = message.at("samplers").get<std::size_t>();
    for (const auto& one : message.at("textures")) {
      found->textures.push_back(
          {one.at(0).get<std::string>(), one.at(1).get<int>(), one.at(2).get<device::TextureKind>(),
           one.at(3).get<device::TextureNumbers>(), one.at(4).get<metal::TextureParameter::Access>()});
    }
    for (const auto& one : message.at("parameters")) {
      if (!one.at(3).is_null())
        found->shapes[one.at(0).get<std::string>()] = one.at(3).get<device::MemoryShape>();
      (one.at(2).get<bool>() ? found->threadgroup : found->buffers)[one.at(0).get<std::string>()] =
          one.at(1).get<unsigned>();
    }
    return false;
  };
  job.ended = [&](const process::JobEnd& end) {
    why = !end.failure.empty() ? end.failure : end.death ? end.death->describe() : "the process ended";
  };
  process::run_job(std::move(job));
  if (!found) throw std::runtime_error(why);
  return *found;
}

}  // namespace assay::draft
