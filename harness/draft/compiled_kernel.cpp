#include "harness/draft/compiled_kernel.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "harness/process/pool.hpp"

namespace assay::draft {
namespace {

nlohmann::json to_json(const device::MemoryShape& shape) {
  nlohmann::json parts = nlohmann::json::array();
  for (const auto& part : shape.parts) parts.push_back(to_json(part));
  return {shape.name,  shape.kind,      shape.offset, shape.size,     shape.align,
          shape.count, shape.read_only, shape.single, shape.constant, parts};
}

device::MemoryShape shape_from(const nlohmann::json& message) {
  device::MemoryShape shape{message.at(0).get<std::string>(), message.at(1).get<device::MemoryShape::Kind>(),
                            message.at(2).get<std::size_t>(), message.at(3).get<std::size_t>(),
                            message.at(4).get<std::size_t>(), message.at(5).get<std::size_t>(),
                            message.at(6).get<bool>(),        message.at(7).get<bool>(),
                            message.at(8).get<bool>(),        {}};
  for (const auto& part : message.at(9)) shape.parts.push_back(shape_from(part));
  return shape;
}

}  // namespace

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
      message["parameters"].push_back(
          {one.name, one.index, one.threadgroup,
           device::pointers_behind(one.shape, one.name).empty() ? nlohmann::json() : to_json(one.shape)});
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
      if (!one.at(3).is_null()) found->shapes[one.at(0).get<std::string>()] = shape_from(one.at(3));
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
