// A golden file as one kernel is judged by it: whole, or a part of its rows and columns.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "golden/golden_case.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/trial.hpp"
#include "properties/large/part.hpp"

namespace assay::run {

class GoldenProblem {
 public:
  /// Reads a golden file, all of which stays in memory. `arithmetic` is the kernel's. Throws
  /// golden::FormatError.
  GoldenProblem(std::filesystem::path file, const Arithmetic& arithmetic);

  /// The same of the file of a case of `operation`, the kernel's. Where its regime is golden::kOwnRegime, the
  /// file has somebody's own tensors (golden/own_tensors.hpp), which need say nothing of what is right.
  GoldenProblem(const properties::Case& test_case, const properties::Operation& operation,
                const Arithmetic& arithmetic);

  /// The problem of a case, which is the file or a part of it, and what is right for it:
  ///   - what the file says, where it was made for the kernel's arithmetic;
  ///   - where that differs, what the reference makes of the file's inputs in the kernel's arithmetic, but of
  ///   an
  ///     element for which both have the same answers, or of which the file says otherwise than the reference
  ///     does in the file's own arithmetic: then the file counts, alone or too;
  ///   - what the reference says, where the part is cut along a dimension that sums run over, and of outputs
  ///   of
  ///     which the file says nothing.
  /// Throws std::invalid_argument that names the field where the case is not of this file, and Unjudgeable.
  properties::Given given(const properties::Case& test_case) const;

  /// Parts of a case, the simplest first, of dimensions that `takes` says yes to.
  std::vector<properties::Case> simpler(const properties::Case& test_case,
                                        const std::function<bool(const Dims&)>& takes) const;

 private:
  void check(const properties::Case& test_case, const Problem& problem) const;
  std::vector<Expectation> judged_by(std::vector<Expectation> stored, const Problem& problem) const;

  std::filesystem::path file_;
  golden::GoldenCase golden_;
  const properties::Operation& operation_;
  Arithmetic arithmetic_;
};

}  // namespace assay::run
