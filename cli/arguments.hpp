// The command line, as the commands get it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/fuzz/fuzz_run.hpp"
#include "harness/mutate/mutation_run.hpp"
#include "harness/mutate/repair_run.hpp"
#include "harness/run/verifier.hpp"
#include "properties/cases/exhaustive.hpp"

namespace assay::cli {

/// Kernels by name, all where there is none, of a manifest: Assay's own where there is none.
struct Kernels {
  std::vector<std::string> names;
  std::optional<std::string> manifest;
};

struct ListArguments {
  Kernels kernels;
};
struct VerifyArguments {
  Kernels kernels;
  std::string mode = "both", numerics = "all";
  bool exhaustive = false;
  properties::WordRange words;
  run::VerifyOptions options;
};
struct FuzzArguments {
  Kernels kernels;
  std::string findings = "assay-findings";
  std::optional<std::uint64_t> seed;
  fuzz::FuzzOptions options;
};
struct ReplayArguments {
  std::string line;  ///< or the file that holds it
  double timeout_s = run::VerifyOptions().timeout_s;
  bool trace = false;
};
struct GoldenMakeArguments {
  std::string operation, directory;
  std::uint64_t seed = 1, cases = 8;
};
struct GoldenCheckArguments {
  std::string directory;
};
struct ProfileArguments {
  Kernels kernels;
};
struct ClaimsArguments {
  std::string figures;
  Kernels kernels;
};
struct MutateArguments {
  Kernels kernels;
  std::optional<std::string> report, equivalents;
  mutate::MutateOptions options;
};
struct RepairArguments {
  Kernels kernels;
  mutate::RepairOptions options;
};
struct CacheArguments {
  bool clear = false;
};

using Arguments =
    std::variant<ListArguments, VerifyArguments, FuzzArguments, ReplayArguments, GoldenMakeArguments,
                 GoldenCheckArguments, ProfileArguments, ClaimsArguments, MutateArguments, RepairArguments,
                 CacheArguments>;

/// Nothing where nothing is left to do: --help and --version, which are printed. Throws
/// std::invalid_argument, one line that names the argument.
std::optional<Arguments> parse(int argc, const char* const* argv);

}  // namespace assay::cli
