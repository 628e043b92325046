// Mutants of one kernel, judged: which of them the harness rejects, and which other criteria would.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench.hpp"
#include "cli/child.hpp"
#include "cli/criteria.hpp"
#include "harness/mutate/mutation.hpp"
#include "properties/case.hpp"

namespace assay::cli {

enum class MutantStatus { killed, survived, equivalent, not_compiled };
std::string_view name_of(MutantStatus status);

struct MutantResult {
  std::size_t index = 0;  ///< among the kernel's mutations
  MutantStatus status{};
  std::string verdict;     ///< of what is killed: "race", "wrong result", ...
  std::string mode;        ///< "fast", "checked", ...: what killed it
  std::int64_t case_ = 0;  ///< index of the case that killed it
  std::string summary;     ///< one line: the verdict's, or what the compiler said
  bool whole = true;       ///< of a survivor: all cases were run, and not only the first
  Rejected criteria{};     ///< of what compiled: which other criteria reject
};

nlohmann::json to_json(const MutantResult& result);
MutantResult mutant_result_from_json(const nlohmann::json& json);

/// A case of a run with its tensors and the right answers, made once for all mutants.
struct PreparedCase {
  std::int64_t number = 0;  ///< of the run
  properties::Case problem;
  verify::Problem made;
  std::vector<verify::Expectation> expected;
  std::array<double, 2> limit_s{};  ///< of processor time, by mode
  Rejected spared{};                ///< of a random case: criteria that reject the kernel itself
};

/// A kernel whose mutants are to be judged.
struct MutatedKernel {
  const verify::KernelEntry* entry = nullptr;
  std::string text;  ///< preprocessed
  metal::TokenText tokens;
  std::vector<mutate::Mutation> mutations;
  std::vector<bool> explained;      ///< by mutation: the list of equivalents has it
  std::vector<PreparedCase> cases;  ///< less those that nothing can be said about
  std::vector<std::size_t> random;  ///< of `cases`: those that the other criteria judge
  std::string object_code;          ///< of the kernel itself
};

/// Preprocesses the kernel and finds its mutations. Throws what metal::preprocess and live_tokens throw.
MutatedKernel read_kernel(const verify::KernelEntry& entry);

/// Makes the cases and runs the kernel itself on them, which sets the time limits. Throws std::runtime_error
/// if it does not pass: mutants of a wrong kernel say nothing.
void prepare_cases(MutatedKernel& kernel, std::uint64_t cases, std::uint64_t seed);

/// Judges a batch; sends each result as {"type": "mutant", ...}. In a process of its own, since it limits the
/// compiler's time.
void judge_batch(const MutatedKernel& kernel, const std::vector<std::size_t>& batch,
                 const Reporter& reporter);

}  // namespace assay::cli
