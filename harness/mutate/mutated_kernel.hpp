// A kernel whose mutants are to be judged, with the cases that judge them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/mutate/criteria.hpp"
#include "harness/mutate/mutant_code.hpp"
#include "harness/mutate/mutation.hpp"
#include "harness/process/slots.hpp"
#include "harness/run/test_devices.hpp"
#include "harness/verify/manifest.hpp"
#include "properties/cases/operation.hpp"

namespace assay::mutate {

/// A case of a run. Its tensors and the right answers are made by who judges, once the process that runs the
/// mutant is there: what that process was forked from knows no answer.
struct PreparedCase {
  std::int64_t number = 0;  ///< of the run
  properties::Case test_case;
  std::map<run::Mode, std::int64_t> own_steps;  ///< of the kernel itself, where it has been run
  Rejected spared{};                            ///< of a random case: criteria that reject the kernel itself

  /// Steps of loops that a mutant may take: 20 times the kernel's own, and never fewer than what a mutant has
  /// got whose kernel nobody had run yet.
  std::int64_t step_limit(run::Mode mode) const;
};

struct MutatedKernel {
  const KernelEntry* entry = nullptr;
  std::string text;  ///< preprocessed
  metal::TokenText tokens;
  std::vector<mutate::Mutation> mutations;
  std::vector<bool> explained;  ///< by mutation: the list of equivalents has it
  /// Those that are drawn; behind them those that are planned.
  std::vector<PreparedCase> cases;
  std::vector<std::size_t> first;   ///< of `cases`: those that most faults show in
  std::vector<std::size_t> later;   ///< of `cases`: the others, those that cost least before
  std::vector<std::size_t> random;  ///< of `cases`: those that the other criteria judge
  std::map<run::Mode, std::vector<std::size_t>> planned;  ///< of `cases`: those that a mode has beside them
  /// Of `planned`; none where the operation plans none.
  std::vector<std::size_t> planned_in(run::Mode mode) const {
    const auto found = planned.find(mode);
    return found == planned.end() ? std::vector<std::size_t>() : found->second;
  }
  std::map<run::Mode, Module> own;      ///< the kernel itself, compiled as its mutants are
  std::string code;                     ///< of the kernel itself (mutant_code.hpp)
  std::optional<std::string> unrolled;  ///< the same with its loops unrolled, once something asks for it
};

/// Preprocesses the kernel and finds what `operators` make of it. Throws what metal::preprocess and
/// live_tokens throw.
MutatedKernel read_kernel(const KernelEntry& entry, mutate::OperatorSet operators = mutate::mutations_of);

/// Draws the cases.
void make_cases(MutatedKernel& kernel, std::uint64_t cases, std::uint64_t seed);

/// All that are drawn, in the order of `first` and `later`; some of it.
std::vector<std::size_t> all_cases(const MutatedKernel& kernel);
std::vector<std::size_t> half_of_cases(const MutatedKernel& kernel);

/// The kernel itself, compiled to count its steps; kept. Throws std::runtime_error where it does not compile.
const Module& own_module(MutatedKernel& kernel, run::Mode mode);

/// Makes the cases and runs the kernel itself on the first and on the random ones, which sets how many steps
/// its mutants may take. Throws std::runtime_error if it does not pass: mutants of a wrong kernel say
/// nothing.
void prepare(MutatedKernel& kernel, std::uint64_t cases, std::uint64_t seed, const process::Slots& slots);

}  // namespace assay::mutate
