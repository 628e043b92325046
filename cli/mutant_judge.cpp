#include "cli/mutant_judge.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "cli/case_runner.hpp"

namespace assay::cli {
namespace {

using verify::Verdict;

/// Processor time of the compiler: for a batch, for each of its mutants, for one by itself.
constexpr rlim_t kBatch_s = 10, kMutant_s = 2, kAlone_s = 20;

constexpr std::array<std::string_view, 4> kStatusNames = {"killed", "survived", "equivalent", "not compiled"};

// Mutants that are judged together: their texts, and what is known of each.
class MutantBatch {
 public:
  MutantBatch(const MutatedKernel& kernel, const std::vector<std::size_t>& batch, const Reporter& reporter)
      : kernel_(kernel), source_(kernel.entry->kernel_source()), reporter_(reporter), results_(batch.size()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      results_[i].index = batch[i];
      texts_.push_back(mutate::apply(kernel.tokens, kernel.mutations[batch[i]]));
    }
  }

  // Those that do not compile are done with.
  std::vector<Module> compile(const std::vector<std::size_t>& some, metal::Flavour flavour) {
    std::vector<std::string> texts;
    for (const auto i : some) texts.push_back(texts_[i]);
    const TimeForPrograms limit(kBatch_s + kMutant_s * some.size());
    const auto compiled = metal::compile_variants(source_, texts, flavour);
    std::vector<Module> modules;
    for (std::size_t s = 0; s < some.size(); ++s) {
      modules.push_back(compiled[s].module);
      if (compiled[s].module) continue;
      results_[some[s]].summary = compiled[s].error;
      finish(some[s], MutantStatus::not_compiled);
    }
    return modules;
  }

  std::string strict_code(std::size_t i) const {
    const TimeForPrograms limit(kAlone_s);
    return code_of(source_, texts_[i], metal::Numerics::strict);
  }

  Module loose(std::size_t i, const std::string& strict, metal::Numerics numerics) const {
    const TimeForPrograms limit(2 * kAlone_s);
    return loosely_compiled(source_, texts_[i], strict, numerics);
  }

  // These two are true if the mutant is done with.
  bool killed(std::size_t i, Way way, const Module& module, Span span) {
    const auto judgement = judge(kernel_, way, module, span);
    if (span.criteria) results_[i].criteria = judgement.criteria;
    return killed_by(i, way, judgement);
  }
  bool breaks_claims(std::size_t i) {
    return !kernel_.entry->claims.empty() && killed_by(i, kChecked, judge_claims(kernel_, texts_[i]));
  }

  void finish(std::size_t i, MutantStatus status, bool whole = true) {
    results_[i].status = status;
    results_[i].whole = whole;
    reporter_.send(to_json(results_[i]));
  }

 private:
  bool killed_by(std::size_t i, Way way, const Judgement& judgement) {
    if (judgement.verdict == Verdict::pass) return false;
    auto& result = results_[i];
    result.verdict = verify::name_of(judgement.verdict);
    result.mode = name_of(way);
    result.case_ =
        judgement.case_ < 0 ? -1 : kernel_.cases.at(static_cast<std::size_t>(judgement.case_)).number;
    result.summary = judgement.summary;
    // What the device refuses to load is no kernel.
    finish(i, judgement.verdict == Verdict::error ? MutantStatus::not_compiled : MutantStatus::killed);
    return true;
  }

  const MutatedKernel& kernel_;
  device::KernelSource source_;
  const Reporter& reporter_;
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

void judge_first(const MutatedKernel& kernel, const std::vector<std::size_t>& batch,
                 const Reporter& reporter) {
  MutantBatch mutants(kernel, batch, reporter);
  const auto first = first_cases(kernel);
  const auto fast = mutants.compile(up_to(batch.size()), metal::Flavour::fast);
  std::vector<std::size_t> alive;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!fast[i] || mutants.killed(i, kFast, fast[i], {0, first, true})) continue;
    if (mutants.strict_code(i) == kernel.object_code) {
      mutants.finish(i, MutantStatus::equivalent);
    } else {
      alive.push_back(i);
    }
  }
  if (alive.empty()) return;
  const auto checked = mutants.compile(alive, metal::Flavour::checked);
  for (std::size_t a = 0; a < alive.size(); ++a) {
    if (!checked[a] || mutants.killed(alive[a], kChecked, checked[a], {0, first, false})) continue;
    mutants.finish(alive[a], MutantStatus::survived, false);
  }
}

void judge_rest(const MutatedKernel& kernel, const std::vector<std::size_t>& batch,
                const Reporter& reporter) {
  MutantBatch mutants(kernel, batch, reporter);
  const auto first = first_cases(kernel), all = kernel.cases.size();
  const auto fast = mutants.compile(up_to(batch.size()), metal::Flavour::fast);
  const auto checked = mutants.compile(up_to(batch.size()), metal::Flavour::checked);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!fast[i] || !checked[i] || mutants.breaks_claims(i)) continue;
    if (mutants.killed(i, kFast, fast[i], {first, all, false})) continue;
    if (mutants.killed(i, kChecked, checked[i], {first, all, false})) continue;
    const auto strict = mutants.strict_code(i);
    bool dead = false;
    for (const auto numerics : kLoose) {
      if (dead) break;
      const auto other = mutants.loose(i, strict, numerics);
      dead = other && mutants.killed(i, {Mode::fast, numerics}, other, {0, (all + 1) / 2, false});
    }
    if (!dead) mutants.finish(i, MutantStatus::survived);
  }
}

}  // namespace assay::cli
