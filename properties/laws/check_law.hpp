// Holding a kernel to a law: launching what the law asks for and looking at what came out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/verify/judge.hpp"
#include "harness/verify/run_problem.hpp"
#include "properties/cases/trial.hpp"
#include "properties/laws/law.hpp"

namespace assay::properties::laws {

/// Runs a problem on the kernel, once.
using Launch = std::function<RunResult(const Problem&)>;

/// The case itself: what its launch gave, and the sets of right answers, whose widths say how exactly results
/// are determined. Where they stand is not asked: a law holds of wrong results as well.
struct Base {
  const std::vector<Tensor>& outputs;
  const std::vector<Expectation>& expected;
};

struct LawResult {
  Outcome outcome;  ///< pass, law_broken, or what the launches did wrong
  Evidence evidence;
  std::size_t claims = 0;  ///< that were asked; 0: the law says nothing of this case
  std::string details;     ///< of a broken law: its words and some of the elements, for the report
};

/// An element breaks `sum` when it is farther from its terms than the widths of their sets of right answers
/// and, of two terms, three halves of a last place, for each was rounded to the output's type. Where the sets
/// are single values that is bit for bit. An element is not asked where its set of right answers is not that
/// of its term times the power of two (something overflows or is subnormal), or where a set is infinite.
LawResult check_law(const Law& law, const Subject& subject, const Base& base, const Launch& launch);

/// A law on one case of a kernel under test, without regard to what is right; what the law leaves open
/// follows from the case. Where the device fails, the verdict is `error`.
LawResult check_law(const Law& law, const Trial& trial, const Case& test_case);

/// The same for a problem that has been launched: `ran` has its outputs and what was expected of them.
LawResult check_law(const Law& law, const Trial& trial, const Case& test_case, const Problem& problem,
                    const TrialResult& ran);

}  // namespace assay::properties::laws
