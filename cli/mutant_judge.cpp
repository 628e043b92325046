#include "cli/mutant_judge.hpp"

#include <algorithm>
#include <stdexcept>

#include "cli/case_runner.hpp"

namespace assay::cli {
namespace {

using verify::Verdict;

/// Cases of each mode before a survivor is looked at more closely: most faults show in the first few.
constexpr std::size_t kQuickCases = 40;
/// Processor time of the compiler: for a batch, for each of its mutants, for one by itself.
constexpr rlim_t kBatch_s = 10, kMutant_s = 2, kAlone_s = 20;

constexpr std::array<std::string_view, 4> kStatusNames = {"killed", "survived", "equivalent", "not compiled"};

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

void judge_batch(const MutatedKernel& kernel, const std::vector<std::size_t>& batch,
                 const Reporter& reporter) {
  const auto source = kernel.entry->kernel_source();
  std::vector<MutantResult> results(batch.size());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    results[i].index = batch[i];
    texts.push_back(mutate::apply(kernel.tokens, kernel.mutations[batch[i]]));
  }
  const auto compile = [&](const std::vector<std::string>& some, metal::Flavour flavour) {
    const TimeForPrograms limit(kBatch_s + kMutant_s * some.size());
    return metal::compile_variants(source, some, flavour);
  };
  const auto finish = [&](std::size_t i, MutantStatus status) {
    results[i].status = status;
    reporter.send(to_json(results[i]));
  };
  // True if the mutant is done with.
  const auto killed_by = [&](std::size_t i, Way way, const Judgement& judgement) {
    auto& result = results[i];
    if (judgement.verdict == Verdict::pass) return false;
    result.verdict = verify::name_of(judgement.verdict);
    result.mode = name_of(way);
    result.case_ =
        judgement.case_ < 0 ? -1 : kernel.cases.at(static_cast<std::size_t>(judgement.case_)).number;
    result.summary = judgement.summary;
    // What the device refuses to load is no kernel.
    finish(i, judgement.verdict == Verdict::error ? MutantStatus::not_compiled : MutantStatus::killed);
    return true;
  };
  const auto killed = [&](std::size_t i, Way way, const Module& module, Span span) {
    const auto judgement = judge(kernel, way, module, span);
    if (span.criteria) results[i].criteria = judgement.criteria;
    return killed_by(i, way, judgement);
  };
  const std::size_t quick = std::min(kQuickCases, kernel.cases.size());

  const auto fast = compile(texts, metal::Flavour::fast);
  std::vector<std::size_t> alive;
  std::vector<std::string> objects(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!fast[i].module) {
      results[i].summary = fast[i].error;
      finish(i, MutantStatus::not_compiled);
      continue;
    }
    if (killed(i, kFast, fast[i].module, {0, quick, true})) continue;
    {
      const TimeForPrograms limit(kAlone_s);
      objects[i] = code_of(source, texts[i], metal::Numerics::strict);
    }
    if (objects[i] == kernel.object_code) {
      finish(i, MutantStatus::equivalent);
    } else {
      alive.push_back(i);
    }
  }
  if (alive.empty()) return;

  std::vector<std::string> alive_texts;
  for (const auto i : alive) alive_texts.push_back(texts[i]);
  const auto checked = compile(alive_texts, metal::Flavour::checked);
  for (std::size_t a = 0; a < alive.size(); ++a) {
    const auto i = alive[a];
    if (!checked[a].module) {
      results[i].summary = checked[a].error;
      finish(i, MutantStatus::not_compiled);
      continue;
    }
    if (killed(i, kChecked, checked[a].module, {0, quick, false})) continue;
    if (kernel.explained[batch[i]]) {
      results[i].whole = false;
      finish(i, MutantStatus::survived);
      continue;
    }
    const auto all = kernel.cases.size();
    if (!kernel.entry->claims.empty() && killed_by(i, kChecked, judge_claims(kernel, texts[i]))) continue;
    if (killed(i, kFast, fast[i].module, {quick, all, false})) continue;
    if (killed(i, kChecked, checked[a].module, {quick, all, false})) continue;
    bool dead = false;
    for (const auto numerics : kLoose) {
      if (dead) break;
      const auto other = [&] {
        const TimeForPrograms limit(2 * kAlone_s);
        return loosely_compiled(source, texts[i], objects[i], numerics);
      }();
      dead |= other && killed(i, {Mode::fast, numerics}, other, {0, (all + 1) / 2, false});
    }
    if (dead) continue;
    finish(i, MutantStatus::survived);
  }
}

}  // namespace assay::cli
