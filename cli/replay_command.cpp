#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/run/manifests.hpp"
#include "harness/run/replay_file.hpp"
#include "harness/run/verifier.hpp"

namespace assay::cli {

int run_command(const ReplayArguments& arguments) {
  const auto line = run::read_replay_argument(arguments.line);
  const auto entries = run::load_manifest(line.manifest, {line.kernel});
  const auto* entry = run::choose(entries, {line.kernel}).front();
  run::check_replay(line, *entry);
  auto options = arguments.options;
  options.law = line.law;
  if (arguments.trace) options.trace = write;
  const auto report = run::verify_case(*entry, line.mode, line.test_case, options);
  if (report.verdict == Verdict::pass) {
    print("{}: pass: {}\n", line.kernel, properties::to_line(line.test_case));
  } else {
    write(report.text.empty() ? report.summary + "\n" : report.text);
  }
  return assay::exit_status(report.verdict);
}

}  // namespace assay::cli
