// A kernel whose mutants are to be judged, with the cases that judge them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/criteria.hpp"
#include "harness/mutate/mutation.hpp"
#include "harness/verify/manifest.hpp"
#include "properties/operation.hpp"

namespace assay::cli {

/// A case of a run with its tensors and the right answers, made once for all mutants.
struct PreparedCase {
  std::int64_t number = 0;  ///< of the run
  properties::Case problem;
  verify::Problem made;
  std::vector<verify::Expectation> expected;
  std::array<double, 2> limit_s{};  ///< of processor time, by mode: fast, checked; 0: not known yet
  Rejected spared{};                ///< of a random case: criteria that reject the kernel itself
};

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

/// Preprocesses the kernel and finds what `operators` make of it. Throws what metal::preprocess and
/// live_tokens throw.
MutatedKernel read_kernel(const verify::KernelEntry& entry,
                          mutate::OperatorSet operators = mutate::mutations_of);

/// Makes the cases. Throws std::runtime_error where nothing can be said about any.
void make_cases(MutatedKernel& kernel, std::uint64_t cases, std::uint64_t seed);

/// Cases of each mode before a survivor is looked at more closely: most faults show in the first few.
inline constexpr std::size_t kFirstCases = 30;
std::size_t first_cases(const MutatedKernel& kernel);

/// Makes the cases and runs the kernel itself on the first and on the random ones, which sets their time
/// limits. Throws std::runtime_error if it does not pass: mutants of a wrong kernel say nothing.
void prepare_first(MutatedKernel& kernel, std::uint64_t cases, std::uint64_t seed);

/// The same for the other cases, in other numerics and for what the manifest claims: whatever a mutant meets
/// that the first cases let live.
void prepare_rest(MutatedKernel& kernel);

}  // namespace assay::cli
