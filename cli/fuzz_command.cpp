#include <memory>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {

int run_command(const FuzzArguments& arguments) {
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  const auto chosen = run::choose(entries, arguments.kernels.names);
  fuzz::FindingsDirectory directory(arguments.findings, arguments.seed);
  print("seed {}, findings in {}: {} from earlier runs\n", directory.state().seed, arguments.findings,
        directory.state().findings.size());
  flush();
  ProgressLine line;
  const auto tell = [&](const char* what, const fuzz::KeptFinding& one) {
    line.clear();
    print("{}: {}, {}: {}: {}\n", what, one.kernel, one.mode, one.cause, directory.file_of(one).string());
    flush();
  };
  fuzz::FuzzListener listener;
  listener.step = [&](const fuzz::FuzzStatus& now, const std::string& current) {
    line.show(fmt::format("{} cases, {:.1f}/s, {} kernels x {} modes, round {}, {} findings, {} new: {}",
                          now.cases, static_cast<double>(now.cases) / now.seconds, now.kernels, now.modes,
                          now.round, now.findings, now.fresh, current));
  };
  listener.found = [&](const auto& one) { tell("new", one); };
  listener.found_again = [&](const auto& one) { tell("again, in the text as it is now", one); };
  listener.given_up = [&](const KernelEntry& entry, run::Mode mode, const std::string& why) {
    line.clear();
    print("left out: {}, {}: {}\n", entry.name, run::name_of(mode), why);
    flush();
  };
  const auto end = fuzz::fuzz(chosen, directory, arguments.options, listener);
  line.clear();
  print("{} cases in {:.1f} s, {:.1f} a second: {} kernels x {} modes, {} findings, {} of them new\n",
        end.cases, end.seconds, static_cast<double>(end.cases) / end.seconds, end.kernels, end.modes,
        end.findings, end.fresh);
  if (end.outdated > 0) {
    print(
        "{} findings are of other kernels or of earlier texts, and were not met again: `assay replay FILE` "
        "says whether they are still there\n",
        end.outdated);
  }
  return fuzz::exit_status(end);
}

}  // namespace assay::cli
