// What a command did, or one shard of it, as values that can be written, read and merged.
// docs/machine_readable.md says what the fields mean.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/device/launch_report.hpp"
#include "harness/mutate/mutation_report.hpp"
#include "harness/run/verifier.hpp"
#include "harness/verify/shard.hpp"

namespace assay::report {

/// A kernel that was verified, in the modes of one shard or of all.
struct KernelResult {
  std::string name, manifest, operation, function, source;
  device::SourcePlace place;  ///< of its function: file and line
  run::KernelReport report;   ///< without an entry
};

/// Of `assay verify`.
struct Verified {
  std::vector<KernelResult> kernels;  ///< in the order of Run::chosen
};

/// A kernel whose mutants were judged.
struct MutantsResult {
  std::string name, error;  ///< `error`: why not all could be judged
  std::uint64_t of = 0;     ///< mutants that were to be judged, by all shards together
  nlohmann::json mutants = nlohmann::json::array();  ///< as in MutationReport::json(), by index
  double seconds = 0, core_seconds = 0;

  /// Counted from `mutants`.
  mutate::MutationTotals totals() const;
};

/// Of `assay mutate`.
struct Mutated {
  std::vector<MutantsResult> kernels;
  std::vector<std::string> stale;  ///< entries of the list of equivalents that nothing here has used
};

/// Of `assay golden make` and `check`. All lists are sorted.
struct Golden {
  std::uint64_t of = 0;                            ///< files of all shards together
  std::vector<std::string> files;                  ///< written, or checked
  std::vector<std::string> removed;                ///< of a larger set, made before
  std::vector<std::string> differing, unreadable;  ///< lines, as they are printed
};

/// What is the same for all shards of a run.
struct Run {
  std::string assay;                                   ///< the version of the program
  std::string command;                                 ///< "verify", "mutate", "golden make", "golden check"
  nlohmann::json settings = nlohmann::json::object();  ///< what verdicts depend on: seed, cases, modes, ...
  std::string manifest;                                ///< its path; "" where the command has none
  std::string content;              ///< hash of the manifest and of the kernels' preprocessed texts
  std::vector<std::string> chosen;  ///< names of kernels, of all shards, in the manifest's order
};

struct Results {
  Run run;
  Shard shard;
  double seconds = 0;  ///< by the clock; of merged results the sum
  std::variant<Verified, Mutated, Golden> found;
};

/// The version of this program.
std::string_view version();

/// 0, 1 or 2, as the command ends with. Whether the list of equivalents has stale entries is for whole runs
/// to say.
int exit_status(const Results& results);

/// Kernels that pass, and all there are.
struct Passed {
  std::size_t passed = 0, of = 0;
};
Passed passed(const Verified& verified);

}  // namespace assay::report
