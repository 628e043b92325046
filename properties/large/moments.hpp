// Which cases of long sizes are run whole: those that take moments.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/verify/manifest.hpp"
#include "properties/cases/operation.hpp"

namespace assay::properties {

/// Threads that a case is launched with, beyond which it takes seconds.
inline constexpr double kMostThreads = 0x1p21;

/// The cases of one kernel, which it must outlive, as does the operation.
class CasesOfMoments {
 public:
  CasesOfMoments(const KernelEntry& entry, const Operation& operation);

  const CaseSpace& space() const { return space_; }
  const KernelTraits& traits() const { return traits_; }

  /// What a legal size is a multiple of.
  std::int64_t step_of(const Dimension& one) const;
  /// The least legal size that is at least `value`, or else the largest.
  std::int64_t legal(const Dimension& one, std::int64_t value) const;

  /// The case of these dimensions, others as small as can be, if it can be launched and made as a whole, with
  /// no tensor of more than `most_elements`. Where a size is a side of squares, it is no longer than lets
  /// each thread loop along it.
  std::optional<Case> at(const Dims& dims, double most_elements) const;

  double elements_of(const TensorSpec& spec, const Dims& dims) const;
  double threads_at(const Dims& dims) const;

 private:
  bool can_launch(const Dims& dims) const;

  const KernelEntry& entry_;
  const Operation& operation_;
  const OperationDeclaration& declaration_;
  KernelTraits traits_;
  CaseSpace space_;
};

}  // namespace assay::properties
