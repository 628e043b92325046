// The command line, as the commands get it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/talk.hpp"
#include "golden/check.hpp"
#include "golden/make.hpp"
#include "harness/draft/told.hpp"
#include "harness/fuzz/fuzz_run.hpp"
#include "harness/mutate/mutation_run.hpp"
#include "harness/mutate/repair_run.hpp"
#include "harness/report/outputs.hpp"
#include "harness/run/own_inputs.hpp"
#include "harness/run/plan.hpp"

namespace assay::cli {

/// Kernels by name, all where there is none, of a manifest: Assay's own where there is none.
struct Kernels {
  std::vector<std::string> names;
  std::optional<std::string> manifest;
};

struct ListArguments {
  Kernels kernels;
  bool names = false;                 ///< and nothing else, one a line
  std::optional<std::string> golden;  ///< those alone that a file of this directory is for
};
/// Where results go as files, and which share of them: "2/3".
struct Results {
  report::Outputs outputs;
  std::optional<std::string> shard;
};
struct VerifyArguments {
  Kernels kernels;
  run::Request request;
  Results results;
  Talk talk = Talk::normal;
  bool list_cases = false;  ///< say which cases there are, and run none
  std::string dump;         ///< a file for the tensors of the first rejection; "": none
};
/// Kernels that are verified again when a file of theirs is saved.
struct WatchArguments {
  VerifyArguments verify;
  std::vector<std::string> options;  ///< of `assay verify`, as they stand on the command line
};
struct CompletionArguments {
  std::string shell;  ///< "bash" or "zsh"
};
/// A kernel of a file, as a command line says what it is.
struct CheckArguments {
  std::string file;
  std::optional<std::string> function;
  draft::Told told;
  std::optional<std::string> manifest_out;
  bool force = false;  ///< a file that is there may be replaced
  run::Request request;
  Results results;
  Talk talk = Talk::normal;
};
struct InitArguments {
  std::optional<std::string> file, function;
  draft::Told told;
  std::string directory = ".";
  bool force = false;  ///< files that are there may be replaced
  Talk talk = Talk::normal;
};
/// Metal files whose kernels are compiled, and nothing else.
struct LoadArguments {
  std::vector<std::string> files;
  draft::Told told;
  unsigned jobs = 1;
  Talk talk = Talk::normal;
};
struct FuzzArguments {
  Kernels kernels;
  std::string findings = "assay-findings";
  std::optional<std::uint64_t> seed;
  fuzz::FuzzOptions options;
  report::Outputs outputs;
  bool dump = false;  ///< the tensors of each finding, beside its file
  Talk talk = Talk::normal;
};
struct ReplayArguments {
  std::string line;    ///< or the file that holds it
  run::OwnInputs own;  ///< in its place, where they have a file
  bool trace = false;
  run::CaseOptions options;
  report::Outputs outputs;
  Talk talk = Talk::normal;
};
struct GoldenMakeArguments {
  golden::SetRequest request;
  std::vector<std::string> operations, tensors;
  std::optional<std::string> model;  ///< whose weights are quantized, in place of generated cases
  std::string directory;
  golden::MakeOptions options;
  Results results;
  Talk talk = Talk::normal;
};
struct GoldenCheckArguments {
  std::string directory;
  golden::CheckOptions options;
  Results results;
  Talk talk = Talk::normal;
};
struct GoldenShowArguments {
  std::string file;
};
struct ProfileArguments {
  Kernels kernels;
  report::Outputs outputs;  ///< without `junit`
  Talk talk = Talk::normal;
};
struct ClaimsArguments {
  std::string figures;
  Kernels kernels;
  Talk talk = Talk::normal;
};
struct MutateArguments {
  Kernels kernels;
  std::optional<std::string> report, equivalents;  ///< `report`: a file, whose name ends in .json
  mutate::MutateOptions options;
  Results results;
  Talk talk = Talk::normal;
};
struct RepairArguments {
  Kernels kernels;
  mutate::RepairOptions options;
  Talk talk = Talk::normal;
};
struct MergeArguments {
  std::vector<std::string> files;
  report::Outputs outputs;
  Talk talk = Talk::normal;
};
struct CacheArguments {
  bool clear = false;
};
struct ServeArguments {
  int memory = -1;  ///< the number of an open file
};

using Arguments =
    std::variant<ListArguments, VerifyArguments, CheckArguments, InitArguments, FuzzArguments,
                 ReplayArguments, GoldenMakeArguments, GoldenCheckArguments, GoldenShowArguments,
                 ProfileArguments, ClaimsArguments, MutateArguments, RepairArguments, MergeArguments,
                 CacheArguments, WatchArguments, CompletionArguments, LoadArguments, ServeArguments>;

/// Nothing where nothing is left to do: --help and --version, which are printed. Throws
/// std::invalid_argument, one line that names the argument.
std::optional<Arguments> parse(int argc, const char* const* argv);

}  // namespace assay::cli
