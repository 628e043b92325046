// assay: verifies quantized GEMM kernels. Exit status 0, 1 when a kernel is rejected, 2 when nothing could be
// judged.
#include <fmt/format.h>

#include "cli/commands.hpp"
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
    fmt::print(stderr, "assay: {}\n", missing);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Assay proves quantized Metal GEMM kernels right, on any Linux machine", "assay");
  app.require_subcommand(1);
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : 2;
  }
  const auto work = [&] {
    try {
      warn_if_unconfined(app);
      return chosen();
    } catch (const std::exception& error) {
      fmt::print(stderr, "assay: {}\n", error.what());
      return 2;
    }
  };
  assay::metal::own_scratch_root();
  return assay::sandbox::supervised(
      work, [] { assay::metal::remove_scratch_root(assay::metal::cache_directory()); });
}
