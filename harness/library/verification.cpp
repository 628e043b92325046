#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "assay/verify.hpp"
#include "harness/device/grouped.hpp"
#include "harness/run/replay_line.hpp"
#include "harness/run/verifier.hpp"
#include "harness/verify/printable.hpp"
#include "properties/cases/trial.hpp"

namespace assay {
namespace {

ModeResult result_of(const run::ModeReport& report) {
  return {report.mode,   report.verdict,   report.summary, report.text,
          report.replay, report.cases_run, report.seconds};
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

Verification verify(const KernelEntry& kernel, const VerifyOptions& options) {
  check_device(options.device);
  properties::check_entry(kernel);
  run::VerifyOptions asked;
  asked.cases = options.cases;
  asked.seed = options.seed;
  asked.timeout_s = options.timeout_s;
  asked.jobs = options.jobs;
  asked.device = options.device;
  if (options.mode) asked.modes = {*options.mode};
  const auto reports = run::verify_kernels({&kernel}, asked);
  const auto& report = reports.at(0);
  std::vector<ModeResult> modes;
  for (const auto& one : report.modes) modes.push_back(result_of(one));
  return {kernel.name, std::move(modes), static_cast<std::size_t>(&report.decisive() - report.modes.data())};
}

Verification replay(const KernelEntry& kernel, std::string_view line, const VerifyOptions& options) {
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
