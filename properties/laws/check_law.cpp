#include "properties/laws/check_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/verify/compare.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/report.hpp"

namespace assay::properties::laws {
namespace {

constexpr std::size_t kShown = 5;  // elements of a broken law

/// The same output in all launches, and its right answers where they are known.
struct Output {
  std::vector<const Tensor*> tensors;
  std::vector<const Expectation*> expected;

  double value(ScaledElement term) const {
    return std::ldexp(assay::decode(*tensors[term.run], term.element), term.exponent);
  }
};

struct Interval {
  double low, high;
  bool none() const { return std::isnan(low); }
  bool finite() const { return std::isfinite(low) && std::isfinite(high); }
  double width() const { return low == high ? 0 : high - low; }
  bool operator==(const Interval& other) const {
    return none() ? other.none() : low == other.low && high == other.high;
  }
};

/// The right answers at a term, times its power of two.
std::optional<Interval> interval_at(const Output& output, ScaledElement term) {
  const Expectation* const expected = output.expected[term.run];
  if (expected == nullptr) return std::nullopt;
  // What overflows in some orders only may come out either way.
  if (expected->is_apart(term.element)) return Interval{std::nan(""), std::nan("")};
  return Interval{std::ldexp(expected->low[term.element], term.exponent),
                  std::ldexp(expected->high[term.element], term.exponent)};
}

/// Half a last place of the largest value of an interval: what rounding a sum to the output's type may cost.
double rounding(const Interval& right, DType dtype) {
  const bool half = dtype == DType::f16;
  const double largest = std::max({std::fabs(right.low), std::fabs(right.high), half ? 0x1p-14 : 0x1p-126});
  return std::ldexp(1.0, std::ilogb(largest) - (half ? 11 : 24));
}

enum class Answer { not_asked, holds, broken };
Answer answer(bool holds) { return holds ? Answer::holds : Answer::broken; }

Answer ask_sum_of_one(const Output& output, ScaledElement left, ScaledElement right) {
  const auto of_left = interval_at(output, left), of_right = interval_at(output, right);
  if (of_left && of_right && !(*of_left == *of_right)) return Answer::not_asked;
  const std::optional<Interval> both = of_left ? of_left : of_right;
  if (!both) return Answer::not_asked;
  const double a = output.value(left), b = output.value(right);
  if (std::isnan(a) || std::isnan(b)) return answer(std::isnan(a) && std::isnan(b));
  if (both->none()) return Answer::not_asked;
  if (both->width() == 0) {
    const bool signs = output.expected[0]->signed_zero && a == 0;
    return answer(a == b && (!signs || std::signbit(a) == std::signbit(b)));
  }
  if (std::isinf(both->width())) return Answer::not_asked;
  return answer(std::fabs(a - b) <= both->width() * (1 + 0x1p-40));
}

Answer ask_sum_of_two(const Output& output, ScaledElement left, const Claim& claim) {
  double allowed = 0, sum = 0;
  for (const ScaledElement term : {left, claim.terms[0], claim.terms[1]}) {
    const auto right = interval_at(output, term);
    if (!right || !right->finite()) return Answer::not_asked;
    allowed += right->width() + rounding(*right, output.tensors[0]->dtype);
  }
  for (std::size_t i = 0; i < claim.count; ++i) sum += output.value(claim.terms[i]);
  return answer(std::fabs(output.value(left) - sum) <= allowed * (1 + 0x1p-40));  // false for NaN
}

Answer ask(const Output& output, ScaledElement left, const Claim& claim) {
  switch (claim.what) {
    case Claim::What::zero: {
      const auto right = interval_at(output, claim.terms[0]);
      const bool finite = right && right->finite() && std::isfinite(output.value(claim.terms[0]));
      return finite ? answer(output.value(left) == 0) : Answer::not_asked;
    }
    case Claim::What::nan:
      return answer(std::isnan(output.value(left)));
    case Claim::What::not_finite:
      return answer(!std::isfinite(output.value(left)));
    case Claim::What::sum:
      return claim.count == 1 ? ask_sum_of_one(output, left, claim.terms[0])
                              : ask_sum_of_two(output, left, claim);
  }
  throw std::logic_error("not a claim");
}

std::string place_of(const Output& output, ScaledElement term) {
  const Tensor& tensor = *output.tensors[term.run];
  const std::size_t columns = assay::matrix_of(tensor.shape).columns;
  return fmt::format("{}[{},{}] of {}", tensor.name, term.element / columns, term.element % columns,
                     term.run == 0 ? std::string("the case") : fmt::format("launch {}", term.run));
}

/// "C[0,17] of launch 1 is 3.5 and must be C[0,3] of the case, which is 3.25".
std::string in_words(const Output& output, ScaledElement left, const Claim& claim) {
  std::string text = fmt::format("{} is {:.7g} and must be ", place_of(output, left), output.value(left));
  if (claim.what == Claim::What::zero) return text + "0";
  if (claim.what == Claim::What::nan) return text + "NaN";
  if (claim.what == Claim::What::not_finite) return text + "infinite or NaN";
  double sum = 0;
  for (std::size_t i = 0; i < claim.count; ++i) {
    const ScaledElement term = claim.terms[i];
    if (i > 0) text += " + ";
    if (term.exponent != 0) text += fmt::format("2^{} x ", term.exponent);
    text += place_of(output, term);
    sum += output.value(term);
  }
  return text + fmt::format(", which is {:.7g}", sum);
}

template <class T>
const T* named(const std::vector<T>& all, std::string T::*name, const std::string& wanted) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const T& one) { return one.*name == wanted; });
  return found == all.end() ? nullptr : &*found;
}

/// What the launches of an experiment gave, the case's first.
struct Launches {
  const Base& base;
  std::vector<std::vector<Tensor>> outputs = {};        ///< of those behind the case's
  std::vector<std::vector<Expectation>> expected = {};  ///< of these; empty where they are not known

  std::size_t count() const { return 1 + outputs.size(); }

  std::optional<Output> output(const std::string& name) const {
    Output found;
    for (std::size_t run = 0; run < count(); ++run) {
      found.tensors.push_back(named(run == 0 ? base.outputs : outputs[run - 1], &Tensor::name, name));
      found.expected.push_back(
          named(run == 0 ? base.expected : expected[run - 1], &Expectation::tensor, name));
      if (found.tensors.back() == nullptr) return std::nullopt;  // optional, and not bound
    }
    if (found.expected[0] == nullptr) return std::nullopt;
    return found;
  }
};

void compare_claims(const OperationDeclaration& declaration, const Experiment& experiment,
                    const Launches& launches, LawResult& result) {
  std::size_t broken = 0;
  for (const TensorSpec& spec : declaration.tensors) {
    if (spec.role != Role::output) continue;
    const auto output = launches.output(spec.name);
    if (!output) continue;
    for (std::size_t run = 0; run < launches.count(); ++run) {
      const Claims claims = experiment.claims(run, spec);
      if (!claims) continue;
      for (std::size_t i = 0; i < output->tensors[run]->element_count(); ++i) {
        const auto claim = claims(i);
        const Answer said = claim ? ask(*output, {run, i, 0}, *claim) : Answer::not_asked;
        result.claims += said == Answer::not_asked ? 0 : 1;
        if (said != Answer::broken) continue;
        if (broken == 0) result.outcome.summary = in_words(*output, {run, i, 0}, *claim);
        if (broken++ < kShown) result.details += "    " + in_words(*output, {run, i, 0}, *claim) + '\n';
      }
    }
  }
  if (broken == 0) return;
  result.outcome.verdict = Verdict::law_broken;
  result.outcome.summary = fmt::format("{}; the law fails at {} of {} elements", result.outcome.summary,
                                       grouped(broken), grouped(result.claims));
  if (broken > kShown) result.details += fmt::format("    and {} more\n", grouped(broken - kShown));
}

/// The device failed: the kernel is not judged.
LawResult failure_of(const device::DeviceError& failed) {
  LawResult result;
  result.outcome = {Verdict::error, failed.what(), {failed.what()}};
  return result;
}

}  // namespace

LawResult check_law(const Law& law, const Subject& subject, const Base& base, const Launch& launch) try {
  LawResult result;
  const auto experiment = law.experiment(subject);
  if (!experiment) return result;
  Launches launches{base};
  for (const Problem& problem : experiment->problems) {
    launches.expected.emplace_back();
    if (experiment->bounded) {
      launches.expected.back() = subject.operation.expect(problem, subject.entry.arithmetic);
    }
  }
  std::string launched;
  for (const Problem& problem : experiment->problems) {
    launched += fmt::format("    launch {}: {}\n", launches.count(), assay::to_text(problem.dims));
    RunResult run = launch(problem);
    result.evidence.report = std::move(run.report);
    result.evidence.changed_inputs = std::move(run.changed_inputs);
    launches.outputs.push_back(std::move(run.outputs));
    if (result.evidence.report.faults.empty() && result.evidence.changed_inputs.empty()) continue;
    result.outcome = assay::judge(result.evidence);
    break;
  }
  if (result.outcome.verdict == Verdict::pass) {
    compare_claims(subject.operation.declaration(), *experiment, launches, result);
  }
  if (result.outcome.verdict == Verdict::pass) return result;
  result.outcome.summary = fmt::format("law {}: {}", law.name, result.outcome.summary);
  result.details = fmt::format("\n  law {}: {}\n  {}\n{}{}", law.name, law.about, experiment->what, launched,
                               result.details);
  return result;
} catch (const Unjudgeable&) {  // of what the law made of the case, nothing can be said
  return {};
}

LawResult check_law(const Law& law, const Trial& trial, const Case& test_case, const Problem& problem,
                    const TrialResult& ran) try {
  const Subject subject = {trial.operation(), trial.entry(), problem, Draw(test_case.seed, law.name)};
  return check_law(law, subject, {ran.outputs, ran.expected},
                   [&](const Problem& other) { return trial.outputs(other); });
} catch (const device::DeviceError& failed) {
  return failure_of(failed);
}

LawResult check_law(const Law& law, const Trial& trial, const Case& test_case) try {
  const Problem problem = trial.operation().make_problem(test_case);
  TrialResult ran;
  ran.expected = trial.operation().expect(problem, trial.entry().arithmetic);
  RunResult run = trial.outputs(problem);
  if (!run.report.faults.empty() || !run.changed_inputs.empty()) {
    LawResult result;
    result.evidence.report = std::move(run.report);
    result.evidence.changed_inputs = std::move(run.changed_inputs);
    result.outcome = assay::judge(result.evidence);
    return result;
  }
  ran.outputs = std::move(run.outputs);
  return check_law(law, trial, test_case, problem, ran);
} catch (const Unjudgeable&) {
  return {};
} catch (const device::DeviceError& failed) {
  return failure_of(failed);
}

}  // namespace assay::properties::laws
