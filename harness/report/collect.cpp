#include "harness/report/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>

#include "harness/metal/compile/toolchain.hpp"
#include "harness/metal/text/preprocess.hpp"
#include "harness/process/pool.hpp"
#include "harness/verify/report.hpp"

namespace assay::report {
namespace {

constexpr std::uintmax_t kLargestSource = std::uintmax_t{16} << 20;

bool of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Position behind the name, as a whole word; npos where it is not in the line.
std::size_t end_of_name(std::string_view line, std::string_view name) {
  for (auto at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
    const auto end = at + name.size();
    if ((at == 0 || !of_word(line[at - 1])) && (end == line.size() || !of_word(line[end]))) return end;
  }
  return line.npos;
}

std::vector<std::string> names_of(const std::vector<const KernelEntry*>& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const auto* entry : entries) names.push_back(entry->name);
  return names;
}

// The text without the lines by which the preprocessor says where it is: paths of this machine.
std::string without_places(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (!text.starts_with("# ")) out += text.substr(0, end);
    text.remove_prefix(end);
  }
  return out;
}

Run run_of(const char* command, const std::vector<const KernelEntry*>& chosen, std::string content) {
  Run run = report::run_of(command, nlohmann::json::object());
  run.manifest = chosen.empty() ? "" : chosen.front()->manifest.string();
  run.content = std::move(content);
  run.chosen = names_of(chosen);
  return run;
}

device::SourcePlace place_of_function(const KernelEntry& entry) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(entry.source, failed);
  if (failed || size > kLargestSource) return {entry.source.string(), 1};
  return {entry.source.string(), function_line(metal::content_of(entry.source), entry.function)};
}

}  // namespace

Run run_of(const char* command, nlohmann::json settings) {
  Run run;
  run.assay = version();
  run.command = command;
  run.settings = std::move(settings);
  return run;
}

Run run_of(const run::VerifyOptions& options, const std::vector<const KernelEntry*>& chosen,
           std::string content) {
  Run run = run_of("verify", chosen, std::move(content));
  std::vector<std::string> modes;
  for (const auto mode : options.modes) modes.emplace_back(name_of(mode));
  run.settings = {
      {"seed", options.seed},         {"cases", options.cases},        {"modes", modes},
      {"timeout", options.timeout_s}, {"device", options.device},      {"laws", options.laws_alone},
      {"coverage", options.coverage}, {"exhaustive", nlohmann::json()}};
  std::vector<std::string> shapes;
  for (const Dims& dims : options.shapes.at) shapes.push_back(to_text(dims));
  if (!options.shapes.models.empty()) shapes.push_back(options.shapes.models);
  run.settings["shapes"] = shapes;
  run.settings["schedules"] = options.schedules.all;
  run.settings["golden"] = options.golden ? options.golden->files.size() : 0;
  if (options.exhaustive) {
    run.settings["exhaustive"] = {{"first", options.exhaustive->first}, {"count", options.exhaustive->count}};
  }
  return run;
}

Run run_of(const mutate::MutateOptions& options, const std::vector<const KernelEntry*>& chosen,
           std::string content) {
  Run run = run_of("mutate", chosen, std::move(content));
  run.settings = {{"seed", options.seed}, {"cases", options.cases}, {"sample", options.sample}};
  return run;
}

std::string content_of(const std::vector<const KernelEntry*>& chosen, unsigned jobs, double timeout_s) {
  std::vector<std::string> texts(chosen.size());
  process::Pool pool(jobs);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto* entry = chosen[i];
    process::Job job;
    job.idle_limit_s = timeout_s;
    job.work = [entry](const process::Reporter& reporter) {
      const auto text = without_places(metal::preprocess(entry->kernel_source()));
      reporter.send({{"hash", metal::content_hash(text)}});
    };
    job.hear = [&texts, i](const nlohmann::json& message) {
      texts[i] = message.at("hash").get<std::string>();
      return false;
    };
    job.ended = [&texts, i, entry](const process::JobEnd&) {
      if (!texts[i].empty()) return;
      std::string text;
      for (const auto& file : entry->text_prefix) text += metal::content_of(file);
      texts[i] = metal::content_hash(text + metal::content_of(entry->source));
    };
    pool.add(std::move(job));
  }
  pool.run();
  std::vector<std::string> manifests;
  manifests.reserve(chosen.size());
  for (const auto* entry : chosen) manifests.push_back(entry->manifest.string());
  manifests.erase(std::unique(manifests.begin(), manifests.end()), manifests.end());
  std::string all;
  for (const auto& manifest : manifests) all += metal::content_hash(metal::content_of(manifest));
  for (const auto& text : texts) all += text;
  return metal::content_hash(all);
}

std::string content_of(const run::GoldenSet& set, const std::string& content) {
  std::string all = content;
  for (const auto& file : set.files) all += metal::content_hash(metal::content_of(file.path));
  return metal::content_hash(all);
}

Verified verified_of(const std::vector<run::KernelReport>& reports) {
  Verified verified;
  for (const auto& report : reports) {
    const auto& entry = *report.entry;
    verified.kernels.push_back({entry.name, entry.manifest.string(), entry.operation, entry.function,
                                entry.source.string(), place_of_function(entry), report});
    verified.kernels.back().report.entry = nullptr;
  }
  return verified;
}

MutantsResult mutants_of(const mutate::MutationReport& report) {
  const auto& mutants = report.mutants();
  MutantsResult result{report.name(),   mutants.error,       mutants.chosen, {},
                       mutants.seconds, mutants.core_seconds};
  result.mutants = report.json().at("mutants");
  return result;
}

Mutated mutated_of(const std::vector<mutate::MutationReport>& reports, std::vector<std::string> stale) {
  Mutated mutated;
  for (const auto& report : reports) mutated.kernels.push_back(mutants_of(report));
  const bool all = std::all_of(mutated.kernels.begin(), mutated.kernels.end(),
                               [](const MutantsResult& kernel) { return kernel.error.empty(); });
  if (all) mutated.stale = std::move(stale);
  return mutated;
}

Golden golden_of(std::uint64_t of, const std::vector<std::filesystem::path>& files,
                 const std::vector<std::filesystem::path>& removed, std::vector<std::string> differing,
                 std::vector<std::string> unreadable) {
  Golden golden{of, {}, {}, std::move(differing), std::move(unreadable)};
  for (const auto& file : files) golden.files.push_back(file.string());
  for (const auto& file : removed) golden.removed.push_back(file.string());
  for (auto* list : {&golden.files, &golden.removed, &golden.differing, &golden.unreadable}) {
    std::sort(list->begin(), list->end());
  }
  return golden;
}

std::uint32_t function_line(std::string_view text, std::string_view function) {
  std::uint32_t named = 1;
  bool found = false;
  for (std::uint32_t line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto code = text.substr(0, std::min(end, text.find("//")));
    if (auto behind = end_of_name(code, function); behind != code.npos) {
      while (behind < code.size() && code[behind] == ' ') ++behind;
      if (behind < code.size() && code[behind] == '(') return line;
      if (!found) named = line;
      found = true;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return named;
}

}  // namespace assay::report
