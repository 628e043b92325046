#include "harness/mutate/mutant_judge.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "harness/mutate/case_runner.hpp"

namespace assay::mutate {
namespace {

/// Processor time of the compiler for a mutant: a hundred times what a kernel of ours takes. What it ends
/// would not end.
constexpr rlim_t kMutant_s = 60;

constexpr std::array<std::string_view, 4> kStatusNames = {"killed", "survived", "equivalent", "not compiled"};

// Mutants that are judged together: their texts, and what is known of each.
class MutantBatch {
 public:
  MutantBatch(MutatedKernel& kernel, const std::vector<std::size_t>& batch, const process::Reporter& reporter)
      : kernel_(kernel), source_(kernel.entry->kernel_source()), reporter_(reporter), results_(batch.size()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      results_[i].index = batch[i];
      texts_.push_back(mutate::apply(kernel.tokens, kernel.mutations[batch[i]]));
    }
  }

  // Those that do not compile are done with.
  std::vector<metal::CompiledVariant> compile(const std::vector<std::size_t>& some, run::Mode mode) {
    std::vector<std::string> texts;
    texts.reserve(some.size());
    for (const auto i : some) texts.push_back(texts_[i]);
    auto compiled = [&] {
      const TimeForPrograms limit(kMutant_s);
      return counting_variants(source_, texts, mode);
    }();
    for (std::size_t s = 0; s < some.size(); ++s) {
      if (compiled[s].module) continue;
      results_[some[s]].summary = compiled[s].error;
      finish(some[s], MutantStatus::not_compiled);
    }
    return compiled;
  }

  std::string strict_code(std::size_t i) const {
    const TimeForPrograms limit(kMutant_s);
    return code_of(source_, texts_[i], metal::Numerics::strict);
  }
  // Of what nothing has rejected: is it the kernel, once loops are unrolled?
  bool is_kernel_unrolled(std::size_t i) const {
    const TimeForPrograms limit(kMutant_s);
    if (!kernel_.unrolled) kernel_.unrolled = code_of(source_, kernel_.text, metal::Numerics::strict, true);
    const auto code = code_of(source_, texts_[i], metal::Numerics::strict, true);
    return !code.empty() && code == *kernel_.unrolled;
  }

  // These are true if the mutant is done with.
  bool killed_first(std::size_t i, run::Mode mode, const Module& module) {
    const auto judgement = judge(kernel_, mode, module, kernel_.first, mode == kFast);
    if (mode == kFast) results_[i].criteria = judgement.criteria;
    return killed_by(i, mode, judgement);
  }
  // Where nobody has seen the kernel itself on the case that rejects, it is run now; where it needs many
  // steps, the mutant gets its multiple of them.
  bool killed(std::size_t i, run::Mode mode, const Module& module, std::vector<std::size_t> cases) {
    for (;;) {
      const auto judgement = judge(kernel_, mode, module, cases);
      if (judgement.verdict == Verdict::pass || judgement.verdict == Verdict::error)
        return killed_by(i, mode, judgement);
      const auto at = static_cast<std::size_t>(judgement.case_);
      const PreparedCase& one = kernel_.cases[at];
      const auto before = one.step_limit(mode);
      if (!one.own_steps.contains(mode)) run_baselines(kernel_, {{mode, {at}}});
      if (judgement.verdict != Verdict::timeout || one.step_limit(mode) == before)
        return killed_by(i, mode, judgement);
      cases.erase(cases.begin(), std::find(cases.begin(), cases.end(), at));  // more steps from here on
    }
  }
  bool breaks_claims(std::size_t i) {
    if (kernel_.entry->claims.empty()) return false;
    const auto judgement = judge_claims(kernel_, texts_[i]);
    if (judgement.verdict == Verdict::pass) return false;
    if (judgement.verdict == Verdict::error)
      throw std::runtime_error("the claims of a mutant could not be counted: " + judgement.summary);
    const auto own = judge_claims(*kernel_.entry);
    if (own.verdict != Verdict::pass)
      throw std::runtime_error("the kernel itself does not do what it claims: " + own.summary);
    return killed_by(i, kChecked, judgement);
  }

  bool killed_in_loose_numerics(std::size_t i, const std::string& strict) {
    for (const auto numerics : kLoose) {
      const auto module = [&] {
        const TimeForPrograms limit(kMutant_s);
        return loosely_compiled(source_, texts_[i], strict, numerics);
      }();
      if (module && killed(i, run::unwatched(numerics), module, half_of_cases(kernel_))) return true;
    }
    return false;
  }

  void finish(std::size_t i, MutantStatus status, bool whole = true) {
    results_[i].status = status;
    results_[i].whole = whole;
    reporter_.send(to_json(results_[i]));
  }

 private:
  bool killed_by(std::size_t i, run::Mode mode, const Judgement& judgement) {
    if (judgement.verdict == Verdict::pass) return false;
    auto& result = results_[i];
    result.verdict = assay::name_of(judgement.verdict);
    result.mode = name_of(mode);
    result.case_ =
        judgement.case_ < 0 ? -1 : kernel_.cases.at(static_cast<std::size_t>(judgement.case_)).number;
    result.summary = judgement.summary;
    // What the device refuses to load is no kernel.
    finish(i, judgement.verdict == Verdict::error ? MutantStatus::not_compiled : MutantStatus::killed);
    return true;
  }

  MutatedKernel& kernel_;
  device::KernelSource source_;
  const process::Reporter& reporter_;
  std::vector<MutantResult> results_;
  std::vector<std::string> texts_;
};

std::vector<std::size_t> up_to(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

std::string_view name_of(MutantStatus status) { return kStatusNames[static_cast<std::size_t>(status)]; }

nlohmann::json to_json(const MutantResult& result) {
  return {{"type", "mutant"},          {"index", result.index},       {"status", name_of(result.status)},
          {"verdict", result.verdict}, {"mode", result.mode},         {"case", result.case_},
          {"summary", result.summary}, {"criteria", result.criteria}, {"whole", result.whole}};
}

MutantResult mutant_result_from_json(const nlohmann::json& json) {
  MutantResult result;
  result.index = json.at("index").get<std::size_t>();
  const auto status = json.at("status").get<std::string>();
  const auto found = std::find(kStatusNames.begin(), kStatusNames.end(), status);
  if (found == kStatusNames.end()) throw std::invalid_argument("status: no such one: " + status);
  result.status = static_cast<MutantStatus>(found - kStatusNames.begin());
  result.verdict = json.at("verdict").get<std::string>();
  result.mode = json.at("mode").get<std::string>();
  result.case_ = json.at("case").get<std::int64_t>();
  result.summary = json.at("summary").get<std::string>();
  result.criteria = json.at("criteria").get<Rejected>();
  result.whole = json.at("whole").get<bool>();
  return result;
}

// The cases decide before code is compared: where the compiler may take for granted that an index stays
// inside its array, code can be the same and the text wrong.
void judge_batch(MutatedKernel& kernel, const std::vector<std::size_t>& batch,
                 const process::Reporter& reporter) {
  MutantBatch mutants(kernel, batch, reporter);
  const auto fast = mutants.compile(up_to(batch.size()), kFast);
  std::vector<std::size_t> alive;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (fast[i].module && !mutants.killed_first(i, kFast, fast[i].module)) alive.push_back(i);
  }
  const auto checked = mutants.compile(alive, kChecked);
  for (std::size_t a = 0; a < alive.size(); ++a) {
    const auto i = alive[a];
    if (!checked[a].module || mutants.killed_first(i, kChecked, checked[a].module)) continue;
    const auto code = mutants.strict_code(i);
    if (!code.empty() && code == kernel.code) {
      mutants.finish(i, MutantStatus::equivalent);
    } else if (kernel.explained[batch[i]]) {
      mutants.finish(i, MutantStatus::survived, false);
    } else if (!mutants.killed(i, kFast, fast[i].module, kernel.later) && !mutants.breaks_claims(i) &&
               !mutants.killed(i, kChecked, checked[a].module, kernel.later) &&
               !mutants.killed_in_loose_numerics(i, code) &&
               !mutants.killed(i, kFast, fast[i].module, kernel.planned_in(kFast)) &&
               !mutants.killed(i, kChecked, checked[a].module, kernel.planned_in(kChecked))) {
      mutants.finish(i, mutants.is_kernel_unrolled(i) ? MutantStatus::equivalent : MutantStatus::survived);
    }
  }
}

}  // namespace assay::mutate
