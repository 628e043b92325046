#include "harness/draft/measure.hpp"

#include <nlohmann/json.hpp>

#include "harness/draft/probe.hpp"
#include "harness/draft/search.hpp"
#include "harness/process/pool.hpp"

namespace assay::draft {
namespace {

nlohmann::json to_json(const std::vector<MeasuredBuffer>& buffers) {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& one : buffers) {
    all.push_back({{"touched", one.touched},
                   {"loaded", one.loaded},
                   {"stored", one.stored},
                   {"known", one.known},
                   {"shape", one.shape},
                   {"elements", one.elements},
                   {"index", one.is_index},
                   {"size", one.is_size},
                   {"partial", one.is_partial},
                   {"filled", one.filled}});
  }
  return all;
}

nlohmann::json to_json(const Measured& measured) {
  return {{"buffers", to_json(measured.buffers)},
          {"textures", to_json(measured.textures)},
          {"grid", measured.grid},
          {"sizes", measured.sizes},
          {"parts", measured.parts},
          {"cut_short", measured.cut_short}};
}

std::vector<MeasuredBuffer> buffers_from(const nlohmann::json& message) {
  std::vector<MeasuredBuffer> all;
  for (const auto& one : message) {
    all.push_back({one.at("touched").get<bool>(), one.at("loaded").get<bool>(), one.at("stored").get<bool>(),
                   one.at("known").get<bool>(), one.at("shape").get<std::vector<std::string>>(),
                   one.at("elements").get<std::size_t>(), one.at("index").get<bool>(),
                   one.at("size").get<bool>(), one.at("partial").get<bool>(), one.at("filled").get<bool>()});
  }
  return all;
}

Measured measured_from(const nlohmann::json& message) {
  Measured measured;
  measured.buffers = buffers_from(message.at("buffers"));
  measured.textures = buffers_from(message.at("textures"));
  measured.grid = message.at("grid").get<std::vector<std::string>>();
  measured.sizes = message.at("sizes").get<std::string>();
  measured.parts = message.at("parts").get<std::map<std::string, std::int64_t>>();
  measured.cut_short = message.at("cut_short").get<bool>();
  return measured;
}

/// What input `number` holds led the kernel so far that its process ended.
void lead_astray(Measured& found, std::size_t number) {
  const bool texture = number >= found.buffers.size();
  auto& all = texture ? found.textures : found.buffers;
  const std::size_t i = texture ? number - found.buffers.size() : number;
  if (i < all.size()) all[i].is_index = all[i].is_size = true;
}

}  // namespace

std::optional<Measured> measure(const MeasureRequest& request, double timeout_s, std::string& why,
                                const TriedGrids& tried) {
  std::optional<Measured> found;
  std::optional<std::size_t> trying;
  process::Job job;
  job.processor_limit_s = timeout_s + 3;  // of a launch that does not end
  job.idle_limit_s = 60 + 10 * timeout_s;
  job.work = [&](const process::Reporter& reporter) {
    Probe probe(request, timeout_s);
    const TriedGrids tell = [&](std::size_t done, std::size_t of) {
      reporter.send({{"tried", done}, {"of", of}});
    };
    Search search(request, probe, tell);
    auto measured = search.run();
    if (!measured) return reporter.send({{"why", probe.fault()}});
    reporter.send(to_json(*measured));
    search.vary_contents(*measured, [&](std::size_t number) { reporter.send({{"trying", number}}); });
    auto all = to_json(*measured);
    all["last"] = true;
    reporter.send(all);
  };
  job.hear = [&](const nlohmann::json& message) {
    if (message.contains("tried") && tried)
      tried(message.at("tried").get<std::size_t>(), message.at("of").get<std::size_t>());
    if (message.contains("why")) why = message.at("why").get<std::string>();
    if (message.contains("trying")) trying = message.at("trying").get<std::size_t>();
    if (!message.contains("buffers")) return true;
    found = measured_from(message);
    return !message.contains("last");
  };
  job.ended = [&](const process::JobEnd& end) {
    if (found && trying && (end.late || end.death || !end.failure.empty())) lead_astray(*found, *trying);
    if (found || !why.empty()) return;
    why = !end.failure.empty() ? end.failure
          : end.late           ? "the kernel does not end"
          : end.death          ? end.death->describe()
                               : "the process ended";
  };
  process::run_job(std::move(job));
  if (found && (found->buffers.size() != request.arguments.size() ||
                found->textures.size() != request.textures.size()))
    found.reset();
  return found;
}

}  // namespace assay::draft
