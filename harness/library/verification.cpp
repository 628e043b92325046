#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "assay/verify.hpp"
#include "harness/device/grouped.hpp"
#include "harness/metal/compile/toolchain.hpp"
#include "harness/report/outputs.hpp"
#include "harness/report/run_results.hpp"
#include "harness/run/replay_line.hpp"
#include "harness/run/verifier.hpp"
#include "harness/verify/printable.hpp"
#include "properties/cases/trial.hpp"

namespace assay {
namespace {

ModeResult result_of(const run::ModeReport& report) {
  return {report.mode,    report.verdict,   report.summary, report.text,
          report.replay,  report.cases_run, report.seconds, report.coverage.reached(),
          report.branches};
}

run::Request request_of(const VerifyOptions& options) {
  run::Request request;
  request.named = true;
  if (options.mode) {
    request.mode = *options.mode == Mode::checked ? "checked" : "fast";
    request.numerics = metal::name_of(run::numerics_of(*options.mode));
  }
  if (!options.numerics.empty()) request.numerics = options.numerics;
  request.flush_subnormals = options.flush_subnormals;
  request.exhaustive = options.exhaustive;
  request.at = options.at;
  request.schedules = options.schedules;
  request.golden = options.golden;
  auto& asked = request.options;
  asked.cases = options.cases;
  asked.seed = options.seed;
  asked.timeout_s = options.timeout_s;
  asked.jobs = options.jobs;
  asked.device = options.device;
  asked.budget = options.budget;
  asked.shapes.models = options.shapes;
  asked.laws_alone = options.laws;
  asked.coverage = options.coverage;
  return request;
}

void check_device(const std::string& name) {
  for (const auto& one : device::devices()) {
    if (one.name == name) return;
  }
  (void)device::make_device(name, {});  // says what there is
}

}  // namespace

std::string Verification::text() const {
  std::string lines;
  for (const auto& one : modes_) {
    lines += fmt::format("{} {}: {}{}{} ({}, {:.2f} s)\n", kernel_, run::name_of(one.mode),
                         name_of(one.verdict), one.summary.empty() ? "" : ": ", one.summary,
                         device::counted(one.cases, "case"), one.seconds);
  }
  return printable(passed() || decisive().report.empty() ? lines : lines + "\n" + decisive().report);
}

std::ostream& operator<<(std::ostream& out, const Verification& verification) {
  return out << verification.text();
}

Verification verify(const Kernel& what, const VerifyOptions& options) {
  const KernelEntry& kernel = what.entry();
  check_device(options.device);
  properties::check_entry(kernel);
  report::Outputs outputs;
  if (!options.json.empty()) outputs.json = options.json;
  if (!options.junit.empty()) outputs.junit = options.junit;
  if (!options.page.empty()) outputs.page = options.page;
  report::check(outputs, "verify");  // before the work
  const auto results = report::verify(run::plan(request_of(options), {&kernel}), outputs.any(), {});
  report::write(outputs, results);
  const auto& report = std::get<report::Verified>(results.found).kernels.at(0).report;
  std::vector<ModeResult> modes;
  for (const auto& one : report.modes) modes.push_back(result_of(one));
  return {kernel.name, std::move(modes), static_cast<std::size_t>(&report.decisive() - report.modes.data())};
}

Verification replay(const Kernel& what, std::string_view line, const VerifyOptions& options) {
  const KernelEntry& kernel = what.entry();
  check_device(options.device);
  run::ReplayLine read;
  if (line.starts_with("kernel=") || line.find(" kernel=") != std::string_view::npos) {
    read = run::parse_replay_line(line);
  } else {
    read.kernel = kernel.name;
    read.test_case = properties::parse_line(line);
  }
  if (options.mode) read.mode = *options.mode;
  run::check_replay(read, kernel);
  auto report = run::verify_case(kernel, read.mode, read.test_case,
                                 {.law = read.law, .timeout_s = options.timeout_s, .device = options.device});
  return {kernel.name, {result_of(report)}, 0};
}

}  // namespace assay
