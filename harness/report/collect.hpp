// From what the engine hands out to results.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/mutate/mutation_run.hpp"
#include "harness/report/results.hpp"

namespace assay::report {

/// What the shards of a run must agree on. `content`: content_of(), or "" where nobody asks for it.
Run run_of(const run::VerifyOptions& options, const std::vector<const KernelEntry*>& chosen,
           std::string content);
Run run_of(const mutate::MutateOptions& options, const std::vector<const KernelEntry*>& chosen,
           std::string content);

Run run_of(const char* command, nlohmann::json settings);  ///< of a command without kernels

/// A hash of all that verdicts on these kernels depend on: their manifests, and each kernel's text as the
/// preprocessor leaves it, wherever it lies. Compiles nothing; `jobs` processes at a time, each of which may
/// take `timeout_s`. A text that cannot be preprocessed counts as it stands.
std::string content_of(const std::vector<const KernelEntry*>& chosen, unsigned jobs, double timeout_s);

/// The same with a golden set beside the kernels: what its files hold, one at a time.
std::string content_of(const run::GoldenSet& set, const std::string& content);

Verified verified_of(const std::vector<run::KernelReport>& reports);

/// What became of a kernel's mutants.
MutantsResult mutants_of(const mutate::MutationReport& report);

/// The kernels' mutants, in this order. `stale`: what the list of equivalents has left over, which counts if
/// all could be judged.
Mutated mutated_of(const std::vector<mutate::MutationReport>& reports, std::vector<std::string> stale);

/// Lists in any order. `of`: files of all shards together.
Golden golden_of(std::uint64_t of, const std::vector<std::filesystem::path>& files,
                 const std::vector<std::filesystem::path>& removed, std::vector<std::string> differing = {},
                 std::vector<std::string> unreadable = {});

/// The line of a kernel's function in its source file: the first that names it before a `(`, or at all,
/// outside of comments; 1 where there is none.
std::uint32_t function_line(std::string_view text, std::string_view function);

}  // namespace assay::report
