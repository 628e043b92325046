// Mutants of one kernel, judged: which of them the harness rejects, and which other criteria would.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/mutate/mutated_kernel.hpp"
#include "harness/process/child.hpp"

namespace assay::mutate {

enum class MutantStatus { killed, survived, equivalent, not_compiled };
std::string_view name_of(MutantStatus status);

struct MutantResult {
  std::size_t index = 0;  ///< among the kernel's mutations
  MutantStatus status{};
  std::string verdict;     ///< of what is killed: "race", "wrong result", ...
  std::string mode;        ///< "fast", "checked", ...: what killed it
  std::int64_t case_ = 0;  ///< index of the case that killed it
  std::string summary;     ///< one line: the verdict's, or what the compiler said
  bool whole = true;       ///< of a survivor: all cases were run, not only the first
  Rejected criteria{};     ///< of what compiled: which other criteria reject
};

nlohmann::json to_json(const MutantResult& result);
MutantResult mutant_result_from_json(const nlohmann::json& json);

/// Judges a batch, by the first cases in both modes, then by all others that are drawn, what the manifest
/// claims, other numerics and the planned cases; sends each result as {"index", ...}. One that is explained
/// meets the first cases only: it is said to survive, but not `whole`. In a process of its own, since it
/// limits the compiler's time.
void judge_batch(MutatedKernel& kernel, const std::vector<std::size_t>& batch,
                 const process::Reporter& reporter);

}  // namespace assay::mutate
