#include "assay/cli.hpp"

#include <csignal>
#include <variant>

#include "cli/commands.hpp"
#include "cli/last_words.hpp"
#include "cli/output.hpp"
#include "harness/metal/compile/scratch.hpp"
#include "harness/metal/compile/toolchain.hpp"
#include "harness/sandbox/confinement.hpp"
#include "harness/sandbox/descriptors.hpp"
#include "harness/sandbox/supervisor.hpp"
#include "harness/verify/printable.hpp"

namespace assay::cli {
namespace {

// Said once, to who has kernels run.
template <class Arguments>
void warn_if_unconfined(const Arguments&) {
  if (const auto missing = sandbox::missing_confinement(); !missing.empty()) complain("assay: " + missing);
}
void warn_if_unconfined(const ListArguments&) {}
void warn_if_unconfined(const GoldenMakeArguments&) {}
void warn_if_unconfined(const GoldenCheckArguments&) {}
void warn_if_unconfined(const GoldenShowArguments&) {}
void warn_if_unconfined(const MergeArguments&) {}
void warn_if_unconfined(const CacheArguments&) {}
void warn_if_unconfined(const CompletionArguments&) {}
void warn_if_unconfined(const WatchArguments&) {}  // each run does so

// A status, once what was printed is where it belongs.
template <class Work>
int tell(const Work& work) {
  try {
    const int status = work();
    flush();
    return status;
  } catch (const process::Interrupted& by) {
    return interrupted(by, "nothing was finished yet");
  } catch (const std::exception& error) {
    complain("assay: " + words_of(error));
    return 2;
  }
}

}  // namespace

int run(int argc, char** argv) {
  sandbox::hold_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of write(), which is told in words
  return tell([&] {
    const auto arguments = parse(argc, argv);
    if (!arguments) return 0;
    metal::own_scratch_root();
    const auto work = [&] {
      const process::InterruptScope interrupts;
      return std::visit(
          [](const auto& chosen) {
            warn_if_unconfined(chosen);
            return tell([&] { return run_command(chosen); });
          },
          *arguments);
    };
    return sandbox::supervised(
        work, [] { metal::remove_scratch_root(metal::cache_directory()); },
        std::holds_alternative<FuzzArguments>(*arguments) ? sandbox::AskedToEnd::gives_status
                                                          : sandbox::AskedToEnd::ends_by_signal);
  });
}

}  // namespace assay::cli
