// assay: verifies quantized GEMM kernels. Exit status 0, 1 when a kernel is rejected, 2 when nothing could be
// judged.
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/metal/scratch.hpp"
#include "harness/metal/toolchain.hpp"
#include "harness/sandbox/confinement.hpp"
#include "harness/sandbox/supervisor.hpp"

namespace {

using namespace assay;

// Said once, to who has kernels run.
template <class Arguments>
void warn_if_unconfined(const Arguments&) {
  if (const auto missing = sandbox::missing_confinement(); !missing.empty())
    cli::complain("assay: " + missing);
}
void warn_if_unconfined(const cli::ListArguments&) {}
void warn_if_unconfined(const cli::GoldenMakeArguments&) {}
void warn_if_unconfined(const cli::GoldenCheckArguments&) {}
void warn_if_unconfined(const cli::CacheArguments&) {}

// A status, once what was printed is where it belongs.
template <class Work>
int tell(const Work& work) {
  try {
    const int status = work();
    cli::flush();
    return status;
  } catch (const std::exception& error) {
    cli::complain("assay: " + cli::words_of(error));
    return 2;
  }
}

}  // namespace

int main(int argc, char** argv) {
  cli::hold_standard_descriptors();
  std::optional<cli::Arguments> arguments;
  const int status = tell([&] {
    arguments = cli::parse(argc, argv);
    return 0;
  });
  if (!arguments) return status;
  return tell([&] {
    metal::own_scratch_root();
    const auto work = [&] {
      return std::visit(
          [](const auto& chosen) {
            warn_if_unconfined(chosen);
            return tell([&] { return cli::run_command(chosen); });
          },
          *arguments);
    };
    return sandbox::supervised(work, [] { metal::remove_scratch_root(metal::cache_directory()); },
                               std::holds_alternative<cli::FuzzArguments>(*arguments));
  });
}
