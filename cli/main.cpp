// assay: verifies quantized GEMM kernels. Exit status 0, 1 when a kernel is rejected, 2 when nothing could be
// judged.
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/metal/scratch.hpp"
#include "harness/metal/toolchain.hpp"
#include "harness/sandbox/confinement.hpp"
#include "harness/sandbox/supervisor.hpp"

namespace {

// Said once, to who has kernels run.
void warn_if_unconfined(const CLI::App& app) {
  for (const char* runs_none : {"list", "golden", "cache"}) {
    if (app.got_subcommand(runs_none)) return;
  }
  if (const auto missing = assay::sandbox::missing_confinement(); !missing.empty())
    assay::cli::complain("assay: " + missing);
}

}  // namespace

int main(int argc, char** argv) {
  assay::cli::hold_standard_descriptors();
  CLI::App app("Assay proves quantized Metal GEMM kernels right, on any Linux machine", "assay");
  app.require_subcommand(1);
  app.option_defaults()->disable_flag_override();  // --trace=5 would be a flag
  app.set_version_flag("--version", ASSAY_VERSION);
  assay::cli::Command chosen;
  assay::cli::add_list(app, chosen);
  assay::cli::add_verify(app, chosen);
  assay::cli::add_replay(app, chosen);
  assay::cli::add_golden(app, chosen);
  assay::cli::add_profile(app, chosen);
  assay::cli::add_claims(app, chosen);
  assay::cli::add_mutate(app, chosen);
  assay::cli::add_repair(app, chosen);
  assay::cli::add_cache(app, chosen);
  // A status, once what was printed is where it belongs.
  const auto tell = [](const auto& work) {
    try {
      const int status = work();
      assay::cli::flush();
      return status;
    } catch (const std::exception& error) {
      assay::cli::complain("assay: " + assay::cli::words_of(error));
      return 2;
    }
  };
  std::optional<int> ended;  // --help, --version, and arguments that mean nothing
  const int status = tell([&] { return (ended = assay::cli::parse(app, argc, argv)).value_or(0); });
  if (ended || status != 0) return status;
  return tell([&] {
    assay::metal::own_scratch_root();
    return assay::sandbox::supervised(
        [&] {
          warn_if_unconfined(app);
          return tell(chosen);
        },
        [] { assay::metal::remove_scratch_root(assay::metal::cache_directory()); });
  });
}
