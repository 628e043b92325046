#include "harness/report/read_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "harness/process/json_words.hpp"
#include "harness/process/watch_json.hpp"
#include "harness/report/json_report.hpp"
#include "harness/run/failure_json.hpp"
#include "harness/verify/shown.hpp"

namespace assay::report {
namespace {

using nlohmann::json;

constexpr std::uint32_t kLargestLine = UINT32_MAX;
/// Of lists and objects in one another: a report needs seven. What is deeper would be copied, by recursion.
constexpr int kDeepest = 16;

device::SourcePlace place_from(const Fields& fields) {
  return {fields.text("file"), static_cast<std::uint32_t>(fields.number("line", 0, kLargestLine))};
}

run::Mode mode_from(const Fields& fields, const char* field, const std::string& name) {
  if (const auto mode = run::mode_named(name)) return *mode;
  fields.refuse(field, fmt::format("`{}` is not a mode", shown(name)));
}

Verdict verdict_from(const Fields& fields) try {
  return assay::verdict_from_name(fields.text("verdict"));
} catch (const std::invalid_argument&) {
  fields.refuse("verdict", fmt::format("`{}` is not a verdict", shown(fields.text("verdict"))));
}

// A field that what sent it reads back, and that results_from() compares with what it makes of it.
template <class T>
T read_by(const Fields& fields, const char* name, T (*read)(const json&)) {
  try {
    return read(fields.value().at(name));
  } catch (const json::exception& error) {
    fields.refuse(name, fmt::format("is not as it is written: {}", shown(process::words_of(error))));
  } catch (const std::exception& error) {
    fields.refuse(name, fmt::format("is not as it is written: {}", shown(error.what())));
  }
}

run::ModeReport mode_from(const Fields& fields) {
  run::ModeReport mode;
  mode.mode = mode_from(fields, "mode", fields.text("mode"));
  mode.verdict = verdict_from(fields);
  mode.summary = fields.text("summary");
  mode.text = fields.text("text");
  mode.replay = fields.text("replay");
  mode.cases_run = fields.number("cases");
  mode.seconds = fields.seconds("seconds");
  mode.same_as_strict = fields.flag("same_as_strict");
  for (const auto& [tag, count] : fields.counts("coverage")) mode.coverage.add(tag, count);
  mode.branches = fields.text("branches");
  if (fields.value().contains("schedules")) mode.schedules = fields.text("schedules");
  if (!fields.is_null("place")) mode.place = place_from(fields.object("place"));
  if (!fields.is_null("failure")) mode.failure = read_by(fields, "failure", &run::failure_from);
  mode.errors = read_by(fields, "errors", &run::shares_from);
  mode.claims = read_by(fields, "claims", &run::claims_from);
  return mode;
}

KernelResult kernel_from(const Fields& fields) {
  KernelResult kernel;
  kernel.name = fields.text("name");
  kernel.manifest = fields.text("manifest");
  kernel.operation = fields.text("operation");
  kernel.function = fields.text("function");
  kernel.source = fields.text("source");
  kernel.place = place_from(fields.object("place"));
  for (const auto& mode : fields.objects("modes")) kernel.report.modes.push_back(mode_from(mode));
  if (kernel.report.modes.empty()) fields.refuse("modes", "must not be empty");
  return kernel;
}

Verified verified_from(const Fields& fields) {
  Verified verified;
  for (const auto& kernel : fields.objects("kernels")) verified.kernels.push_back(kernel_from(kernel));
  return verified;
}

// It is kept as it stands.
void check_mutant(const Fields& mutant) {
  static const std::set<std::string> known = {"index",    "status", "kind",   "file",   "line",
                                              "before",   "after",  "case",   "mode",   "verdict",
                                              "criteria", "whole",  "reason", "summary"};
  for (const auto& [name, value] : mutant.value().items()) {
    if (!known.contains(name)) mutant.refuse(name, "is not known");
  }
  static const std::set<std::string> statuses = {"killed", "survived", "equivalent", "not compiled",
                                                 "explained"};
  mutant.number("index");
  if (!statuses.contains(mutant.text("status"))) mutant.refuse("status", "is not a status of a mutant");
  if (mutant.flags("criteria").size() != mutate::kCriteria.size()) {
    mutant.refuse("criteria", fmt::format("must hold {}", mutate::kCriteria.size()));
  }
  if (mutant.value().contains("reason")) mutant.text("reason");
  mutant.flag("whole");
  if (!mutant.value().contains("case") || !mutant.value()["case"].is_number_integer())
    mutant.refuse("case", "must be a whole number");
  for (const char* name : {"kind", "verdict", "mode", "summary", "file"}) mutant.text(name);
  mutant.number("line", 0, kLargestLine);
  mutant.texts("before");
  mutant.texts("after");
}

MutantsResult mutants_from(const Fields& fields) {
  MutantsResult kernel;
  kernel.name = fields.text("name");
  kernel.error = fields.text("error");
  kernel.of = fields.number("of");
  kernel.seconds = fields.seconds("seconds");
  kernel.core_seconds = fields.seconds("core_seconds");
  for (const auto& mutant : fields.objects("mutants")) {
    check_mutant(mutant);
    kernel.mutants.push_back(mutant.value());
  }
  return kernel;
}

Mutated mutated_from(const Fields& fields) {
  Mutated mutated;
  for (const auto& kernel : fields.objects("kernels")) mutated.kernels.push_back(mutants_from(kernel));
  mutated.stale = fields.texts("stale");
  return mutated;
}

Golden golden_from(const Fields& fields) {
  return {fields.number("of"), fields.texts("files"), fields.texts("removed"), fields.texts("differing"),
          fields.texts("unreadable")};
}

// The settings that a run was started with.
void check_settings(const std::string& command, const Fields& settings) {
  if (command == "golden check") return settings.flag("all"), void();
  if (command == "golden make") return settings.text("request"), void();
  settings.number("seed");
  settings.number("cases", 1);
  if (command == "mutate") settings.number("sample");
  if (command != "verify") return;
  const auto modes = settings.texts("modes");
  for (const auto& mode : modes) mode_from(settings, "modes", mode);
  if (std::set<std::string>(modes.begin(), modes.end()).size() != modes.size())
    settings.refuse("modes", "names a mode twice");
  settings.seconds("timeout");
  settings.text("device");
  settings.flag("laws");
  settings.flag("coverage");
  if (settings.value().contains("shapes")) settings.texts("shapes");
  if (settings.value().contains("schedules")) settings.flag("schedules");
  if (settings.value().contains("golden")) settings.number("golden");
  if (settings.is_null("exhaustive")) return;
  settings.object("exhaustive").number("first");
  settings.object("exhaustive").number("count");
}

Results results_from(const Fields& fields) {
  Results results;
  auto& run = results.run;
  run.assay = fields.text("assay");
  run.command = fields.text("command");
  run.settings = fields.object("settings").value();
  check_settings(run.command, fields.object("settings"));
  const Fields shard = fields.object("shard");
  results.shard.of = shard.number("of", 1, kMostShards);
  results.shard.index = shard.number("index", 1, results.shard.of);
  results.seconds = fields.seconds("seconds");
  if (run.command == "verify") {
    results.found = verified_from(fields);
  } else if (run.command == "mutate") {
    results.found = mutated_from(fields);
  } else if (run.command == "golden make" || run.command == "golden check") {
    results.found = golden_from(fields);
    return results;
  } else {
    fields.refuse("command", fmt::format("`{}` is not one of verify, mutate, golden make and golden check",
                                         shown(run.command)));
  }
  const Fields manifest = fields.object("manifest");
  run.manifest = manifest.text("file");
  run.content = manifest.text("content");
  run.chosen = fields.texts("chosen");
  if (std::set<std::string>(run.chosen.begin(), run.chosen.end()).size() != run.chosen.size()) {
    fields.refuse("chosen", "names a kernel twice");
  }
  return results;
}

// What is derived must be what follows from the rest, and nothing may be there that has no meaning: such a
// file was written by somebody else, or changed since.
void refuse_what_differs(const json& found, const Results& results, const std::string& name) {
  const json made = to_json(results);
  if (made == found) return;
  const json first = json::diff(found, made).front();
  throw ReportError(fmt::format("{}: {}: does not follow from the rest of the report", name,
                                shown(first.at("path").get<std::string>())));
}

}  // namespace

Results parse_report(std::string_view text, const std::string& name) {
  process::JsonWatch watch;
  watch.deepest = kDeepest;
  watch.too_deep = [&] { throw ReportError(fmt::format("{}: lists and objects lie too deep in it", name)); };
  watch.look(text);
  json all;
  try {
    all = json::parse(text);
  } catch (const json::parse_error& error) {
    throw ReportError(fmt::format("{}: byte {}: is not JSON", name, error.byte));
  } catch (const json::exception&) {
    throw ReportError(fmt::format("{}: holds a number that is too large", name));
  }
  const Fields fields(all, name + ": ");
  if (!all.contains("format") || all["format"] != kFormat) {
    fields.refuse("format", fmt::format("must be \"{}\"; give files that `assay ... --json` wrote", kFormat));
  }
  if (const auto version = fields.number("version"); version != kVersion) {
    fields.refuse("version", fmt::format("{} is not known, only {}; merge with the program that wrote it",
                                         version, kVersion));
  }
  auto results = results_from(fields);
  refuse_what_differs(all, results, name);
  return results;
}

Results read_report(const std::filesystem::path& file) {
  const std::string name = shown(file.string(), 4000);
  std::error_code failed;
  const auto size = std::filesystem::file_size(file, failed);
  if (failed) throw ReportError(fmt::format("{}: cannot be read: {}", name, failed.message()));
  if (size > kLargestReport)
    throw ReportError(fmt::format("{}: is larger than {} bytes", name, kLargestReport));
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in && !in.eof()) throw ReportError(fmt::format("{}: cannot be read", name));
  return parse_report(text, name);
}

}  // namespace assay::report
