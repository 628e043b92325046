#include "harness/run/kernel_under_test.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "harness/device/source_text.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/compile/settings.hpp"
#include "harness/run/cause.hpp"
#include "harness/run/replay_line.hpp"
#include "harness/verify/binding.hpp"
#include "harness/verify/entry_place.hpp"

namespace assay::run {
namespace {

std::optional<device::SourcePlace> place_of(const metal::SourceError& error) {
  return error.file().empty() ? std::nullopt : std::optional(device::SourcePlace{error.file(), error.line()});
}

KernelInterface::Texture texture_of(const metal::TextureParameter& one) {
  using From = metal::TextureParameter;
  KernelInterface::Texture made{.name = one.name,
                                .index = static_cast<std::size_t>(one.index),
                                .kind = one.kind,
                                .numbers = one.numbers};
  made.reads = one.access != From::Access::write;
  made.writes = one.access == From::Access::write || one.access == From::Access::read_write;
  return made;
}

// A text that did not compile is not remembered yet. One elsewhere than the kernel's, which a `#line` may
// name, is not for a report to show.
void remember_own_text(const KernelEntry& entry, const device::SourcePlace& place) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const auto folder = fs::weakly_canonical(fs::absolute(entry.source).parent_path(), failed);
  const auto inside = fs::weakly_canonical(place.file, failed).lexically_relative(folder);
  const bool manifest = place.file == entry.manifest.string();
  if (manifest || (!failed && !inside.empty() && *inside.begin() != ".."))
    device::remember_source(place.file);
}

}  // namespace

void check_interface(const KernelEntry& entry, const metal::KernelModule& module,
                     const ArgumentNames& names) {
  KernelInterface kernel;
  for (const auto& one : module.parameters()) {
    kernel.parameters.push_back({one.name, static_cast<std::size_t>(one.index), one.threadgroup, one.shape});
    if (one.threadgroup) kernel.threadgroup.push_back(one.name);
  }
  for (const auto& one : module.textures()) kernel.textures.push_back(texture_of(one));
  for (const auto& one : module.samplers())
    kernel.samplers.push_back({one.name, static_cast<std::size_t>(one.index), false});
  kernel.buffers_declared = module.buffers_declared();
  kernel.textures_declared = module.textures_declared();
  kernel.samplers_declared = module.samplers_declared();
  for (const auto& one : module.threadgroup_variables()) {
    if (one.size_bytes != 0) kernel.threadgroup.push_back(one.name);
  }
  assay::check_interface(entry, kernel);
  check_pointers(entry, kernel, names);
}

KernelUnderTest load_kernel(const KernelEntry& entry, Mode mode, const TestDeviceOptions& options) {
  KernelUnderTest loaded;
  loaded.device = options.device;
  loaded.mode = mode;
  const auto refuse = [&](Verdict verdict, const std::string& what, const std::string& detail,
                          std::optional<device::SourcePlace> place = {}) {
    ModeReport report;
    report.place = std::move(place);
    if (report.place) remember_own_text(entry, *report.place);
    report.failure = failure_at(report.place);
    report.verdict = verdict;
    report.summary = what;
    report.text = fmt::format("{}: {}: {}\n{}", entry.name, assay::name_of(verdict), what, detail);
    loaded.refused = report;
  };
  try {
    loaded.devices = std::make_unique<TestDevices>(mode, options);
    loaded.trial = std::make_unique<properties::Trial>(entry, loaded.devices->devices(),
                                                       compiled_in(mode, entry.arithmetic));
    if (const auto* module = loaded.devices->module())
      check_interface(entry, *module, loaded.trial->operation().argument_names());
    loaded.devices->start();
  } catch (const metal::UnusedSetting& unused) {
    refuse(Verdict::error, entry.error(unused.field(), unused.why()).what(), "",
           place_of(entry, unused.field()));
  } catch (const metal::UnsupportedFeature& error) {
    refuse(Verdict::unsupported, error.what(), "", place_of(error));
  } catch (const metal::SourceError& error) {
    refuse(Verdict::error, error.what(), "", place_of(error));
  } catch (const std::exception& error) {
    refuse(Verdict::error, error.what(), "");
  }
  return loaded;
}

std::optional<device::SourcePlace> place_of(const Evidence& evidence) {
  const auto faults = by_cause(evidence.report);
  if (faults.empty() || faults.front().place.file.empty()) return std::nullopt;
  return faults.front().place;
}

ModeReport report_of(const properties::Trial& trial, const KernelEntry& entry, Mode mode,
                     const properties::Case& test_case, const properties::TrialResult& result) {
  ModeReport report;
  report.verdict = result.outcome.verdict;
  report.summary = result.outcome.summary;
  if (report.verdict == Verdict::pass) return report;
  report.place = place_of(result.evidence);
  report.cause = cause_of(result.outcome.verdict, result.evidence);
  report.replay = replay_line(entry, mode, test_case);
  report.text = trial.report(test_case.dims, result, replay_command(report.replay));
  report.failure = failure_of(result.evidence, entry.tile);
  report.failure->test_case = properties::to_line(test_case);
  return report;
}

ModeReport vacuous(const KernelEntry& entry, std::string why) {
  ModeReport report;
  report.verdict = Verdict::vacuous;
  report.summary = std::move(why);
  report.text = fmt::format("{}: vacuous: {}\n", entry.name, report.summary);
  return report;
}

}  // namespace assay::run
