#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/fuzz/fuzz_text.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {

int run_command(const FuzzArguments& arguments) {
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  const auto chosen = run::choose(entries, arguments.kernels.names);
  fuzz::FindingsDirectory directory(arguments.findings, arguments.seed);
  ProgressLine line(arguments.talk);
  line.note(fuzz::start_text(directory));
  fuzz::FuzzListener listener;
  listener.step = [&](const fuzz::FuzzStatus& now, const std::string& current) {
    if (line.due()) line.show(fuzz::progress_text(now, current));
  };
  listener.found = [&](const auto& one) { line.print(fuzz::finding_text("new", one, directory)); };
  listener.found_again = [&](const auto& one) {
    line.print(fuzz::finding_text("again, in the text as it is now", one, directory));
  };
  listener.given_up = [&](const KernelEntry& entry, run::Mode mode, const std::string& why) {
    line.print(fuzz::left_out_text(entry, mode, why));
  };
  listener.round_ended = [&](const KernelEntry& entry, std::uint64_t round, const run::ModeReport& report) {
    line.detail(fuzz::round_text(entry, round, report));
  };
  const auto end = fuzz::fuzz(chosen, directory, arguments.options, listener);
  line.print(fuzz::end_text(end));
  return fuzz::exit_status(end);
}

}  // namespace assay::cli
