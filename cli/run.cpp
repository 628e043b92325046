#include "assay/cli.hpp"

#include <optional>
#include <variant>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/metal/scratch.hpp"
#include "harness/metal/toolchain.hpp"
#include "harness/sandbox/confinement.hpp"
#include "harness/sandbox/supervisor.hpp"

namespace assay::cli {
namespace {

// Said once, to who has kernels run.
template <class Arguments>
void warn_if_unconfined(const Arguments&) {
  if (const auto missing = sandbox::missing_confinement(); !missing.empty())
    complain("assay: " + missing);
}
void warn_if_unconfined(const ListArguments&) {}
void warn_if_unconfined(const GoldenMakeArguments&) {}
void warn_if_unconfined(const GoldenCheckArguments&) {}
void warn_if_unconfined(const MergeArguments&) {}
void warn_if_unconfined(const CacheArguments&) {}

// A status, once what was printed is where it belongs.
template <class Work>
int tell(const Work& work) {
  try {
    const int status = work();
    flush();
    return status;
  } catch (const std::exception& error) {
    complain("assay: " + words_of(error));
    return 2;
  }
}

}  // namespace

int run(int argc, char** argv) {
  hold_standard_descriptors();
  std::optional<Arguments> arguments;
  const int status = tell([&] {
    arguments = parse(argc, argv);
    return 0;
  });
  if (!arguments) return status;
  return tell([&] {
    metal::own_scratch_root();
    const auto work = [&] {
      return std::visit(
          [](const auto& chosen) {
            warn_if_unconfined(chosen);
            return tell([&] { return run_command(chosen); });
          },
          *arguments);
    };
    return sandbox::supervised(
        work, [] { metal::remove_scratch_root(metal::cache_directory()); },
        std::holds_alternative<FuzzArguments>(*arguments));
  });
}

}  // namespace assay::cli
