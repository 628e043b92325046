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
  std::array<double, 2> limit_s{};  ///< of processor time, by mode: fast, checked
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

/// Preprocesses the kernel and finds its mutations. Throws what metal::preprocess and live_tokens throw.
MutatedKernel read_kernel(const verify::KernelEntry& entry);

/// Makes the cases and runs the kernel itself on them, which sets the time limits. Throws std::runtime_error
/// if it does not pass: mutants of a wrong kernel say nothing.
void prepare_cases(MutatedKernel& kernel, std::uint64_t cases, std::uint64_t seed);

}  // namespace assay::cli
