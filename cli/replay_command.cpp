#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/output.hpp"
#include "harness/run/manifests.hpp"
#include "harness/run/replay_line.hpp"
#include "harness/run/verifier.hpp"

namespace assay::cli {
namespace {

struct Arguments {
  std::string line;
  double timeout_s = run::VerifyOptions().timeout_s;
  bool trace = false;
};

int replay(const Arguments& arguments) {
  const auto line = run::parse_replay_line(arguments.line);
  const auto entries = run::load_manifest(line.manifest, {line.kernel});
  const auto* entry = run::choose(entries, {line.kernel}).front();
  run::check_replay(line, *entry);
  std::function<void(const std::string&)> trace;
  if (arguments.trace) trace = [](const std::string& text) { write(text); };
  const auto report = run::verify_case(*entry, line.way, line.problem, arguments.timeout_s, trace, line.law);
  if (report.verdict == verify::Verdict::pass) {
    print("{}: pass: {}\n", line.kernel, properties::to_line(line.problem));
  } else {
    write(report.text.empty() ? report.summary + "\n" : report.text);
  }
  return verify::exit_status(report.verdict);
}

}  // namespace

void add_replay(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("replay", "Run one case again, as a failure printed it");
  command->add_option("line", arguments->line, "what the failure printed, in quotes")->required();
  add_run_options(*command, arguments->timeout_s, arguments->trace);
  command->callback([arguments, &chosen] { chosen = [arguments] { return replay(*arguments); }; });
}

}  // namespace assay::cli
