#include <stdexcept>

#include "cli/case_again.hpp"
#include "cli/commands.hpp"
#include "cli/last_words.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "cli/verify_so_far.hpp"
#include "harness/run/manifests.hpp"
#include "harness/run/own_inputs.hpp"
#include "harness/run/replay_file.hpp"
#include "harness/run/verifier.hpp"

namespace assay::cli {

namespace {

int replay(const run::ReplayLine& line, const KernelEntry& entry, const ReplayArguments& arguments) {
  auto options = arguments.options;
  options.law = line.law;
  if (arguments.trace) options.trace = [](const std::string& text) { write(text); };
  ProgressLine out(arguments.talk);
  const std::string test_case = properties::to_line(line.test_case);
  return tell_if_interrupted(
      out,
      [&] {
        const auto report = run::verify_case(entry, line.mode, line.test_case, options);
        if (arguments.outputs.any()) report::write(arguments.outputs, results_of({{&entry, {report}}}));
        out.detail(step_text(entry, report));
        if (report.verdict == Verdict::pass) {
          out.note(fmt::format("{}: pass: {}\n", line.kernel, test_case));
        } else {
          out.print(report.text.empty() ? report.summary + "\n" : report.text);
        }
        return assay::exit_status(report.verdict);
      },
      [&] { return fmt::format("{} has no verdict yet on {}", line.kernel, test_case); });
}

}  // namespace

int run_command(const ReplayArguments& arguments) {
  report::check(arguments.outputs, "verify");  // before the work
  if (const auto& own = arguments.own; !own.file.empty()) {
    const auto entries = run::load_manifest(own.manifest, {own.kernel});
    const auto* entry = run::choose(entries, {own.kernel}).front();
    const auto [line, notes] = run::own_replay(own, *entry);
    for (const auto& note : notes) {
      if (arguments.talk != Talk::quiet) print("{}: {}\n", own.file, note);
    }
    return replay(line, *entry, arguments);
  }
  if (arguments.line.empty())
    throw std::invalid_argument(
        "replay: give the line that a failure printed (kernel=...), a file of assay fuzz, or --inputs FILE "
        "--kernel NAME");
  const auto line = run::read_replay_argument(arguments.line);
  const auto entries = run::load_manifest(line.manifest, {line.kernel});
  const auto* entry = run::choose(entries, {line.kernel}).front();
  run::check_replay(line, *entry);
  return replay(line, *entry, arguments);
}

}  // namespace assay::cli
