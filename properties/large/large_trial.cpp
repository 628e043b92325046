#include "properties/large/large_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/verify/compare.hpp"
#include "harness/verify/sampled_run.hpp"
#include "properties/cases/axes.hpp"
#include "properties/cases/coverage.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/large/right_parts.hpp"
#include "properties/large/sample.hpp"
#include "properties/large/share.hpp"
#include "properties/large/strays.hpp"
#include "properties/large/whole.hpp"
#include "properties/large/width_words.hpp"

namespace assay::properties {
namespace {

/// Shares that hold zeroes alone are not seen where others store them: of those that are solved the share of
/// such is known, and so many more may be, by chance.
constexpr std::size_t kMissed = 2;

class LargeTrial {
 public:
  LargeTrial(const Trial& trial, const Case& test_case, const Share& share)
      : entry_(trial.entry()),
        operation_(trial.operation()),
        arithmetic_(trial.arithmetic()),
        share_(share),
        problem_(make_large_problem(operation_, test_case, entry_.storages.value_or(Storages{}))),
        right_(operation_, problem_, arithmetic_) {
    const std::size_t most = sample_size(operation_, test_case, share);
    problem_.sample = sample_of(operation_, problem_, share, most, test_case.budget == 1 ? kAnywhere : most);
    add_first_ones();
    for (const device::Size3& one : problem_.sample) right_.add(share.of_threadgroup(one));
    first_shares_ = right_.count();
  }

  TrialResult run(std::span<const TestDevice> devices, std::span<const device::KernelId> kernels) {
    SampledResult first = run_sampled(*devices[0].device, kernels[0], entry_, problem_, asked());
    if (first.report.faults.empty() && take_in(first.strays, devices[0].poison))
      first = run_sampled(*devices[0].device, kernels[0], entry_, problem_, asked());
    TrialResult result;
    result.telling = telling();
    Evidence& evidence = result.evidence;
    std::vector<std::vector<std::size_t>> elsewhere;  // by output: what was not stored, and need not be
    for (Tensor& one : first.stored) {
      evidence.comparisons.push_back(compare(one, first, devices[0].poison, elsewhere.emplace_back()));
      clear(elsewhere.back(), one);
    }
    evidence.report.faults = std::move(first.report.faults);
    evidence.report.inactive_reads = std::move(first.report.inactive_reads);
    evidence.report.undefined = std::move(first.report.undefined);
    evidence.changed_inputs = std::move(first.changed_inputs);
    for (std::size_t i = 1; i < devices.size(); ++i) {
      SampledResult again = run_sampled(*devices[i].device, kernels[i], entry_, problem_, asked());
      if (evidence.report.faults.empty()) evidence.report.faults = std::move(again.report.faults);
      if (evidence.changed_inputs.empty()) evidence.changed_inputs = std::move(again.changed_inputs);
      for (std::size_t t = 0; t < again.stored.size(); ++t) clear(elsewhere.at(t), again.stored[t]);
      if (evidence.second_run.empty()) evidence.second_run = assay::compare_bits(first.stored, again.stored);
    }
    for (const auto& [name, taken] : right_.taken()) {
      const TensorSpec& spec = *find_named(operation_.declaration().tensors, name);
      cover_widths(name, taken.first, taken.last, assay::size_of(spec.dtype), result.coverage);
    }
    assay::blame_undefined(evidence);
    result.outcome = assay::judge(evidence);
    if (result.outcome.verdict == Verdict::wrong_result) {
      for (const Comparison& one : evidence.comparisons) {
        if (!one.right()) result.outcome.summary += "; " + widths_of(one, right_, problem_);
      }
    }
    return result;
  }

 private:
  /// An output that does not run along a side of the grid is there once for all threadgroups along it, and
  /// the first of them is to store it: where another is in the sample, so is that.
  void add_first_ones() {
    const auto asked = problem_.sample;
    for (const OutputSpec& output : problem_.outputs) {
      const TensorSpec& spec = *find_named(operation_.declaration().tensors, output.name);
      std::map<std::string, bool> along;
      for (const auto& [dimension, unused] : share_.of_threadgroup({0, 0, 0}))
        along[dimension] = axis_of(spec, problem_.dims, dimension).kind != Axis::Kind::none;
      if (std::all_of(along.begin(), along.end(), [](const auto& one) { return one.second; })) continue;
      for (const device::Size3& one : asked) {
        std::map<std::string, std::size_t> indices;
        for (const auto& [dimension, range] : share_.of_threadgroup(one)) {
          if (along.at(dimension)) indices[dimension] = range.begin;
        }
        const device::Size3 first = share_.storing(indices);
        const auto known = std::find(problem_.sample.begin(), problem_.sample.end(), first);
        if (known == problem_.sample.end()) problem_.sample.push_back(first);
      }
    }
  }

  /// What the sample is to store.
  std::vector<Stored> asked() const {
    std::vector<Stored> all;
    for (const auto& [name, output] : right_.outputs()) {
      Stored& one = all.emplace_back(Stored{name, {}});
      for (const Right& right : output.elements) one.elements.push_back(right.element);
    }
    return all;
  }

  /// Whether what is right is not only zeroes.
  bool telling() const {
    return std::any_of(right_.outputs().begin(), right_.outputs().end(), [](const auto& output) {
      return std::any_of(output.second.elements.begin(), output.second.elements.end(),
                         [](const Right& right) {
                           return !std::isnan(right.value) && !(right.low <= 0 && 0 <= right.high);
                         });
    });
  }

  /// Where threadgroups stored in place of their own share that of others, as where tiles are numbered in
  /// another order: these others run too, so that two that store the same meet. False where there are none.
  bool take_in(const std::vector<Stray>& strays, std::uint16_t poison) {
    std::map<Part, bool> all_right;
    for (const JudgedStray& one : judge_strays(operation_, problem_, arithmetic_, share_, strays, poison)) {
      bool& right = all_right.try_emplace(share_.of_threadgroup(one.owner), true).first->second;
      right = right && !one.wrong;
    }
    bool more = false;
    for (const auto& [part, right] : all_right) {
      if (!right || !right_.add(part)) continue;
      std::map<std::string, std::size_t> indices;
      for (const auto& [dimension, range] : part) indices[dimension] = range.begin;
      problem_.sample.push_back(share_.storing(indices));
      more = true;
    }
    return more;
  }

  const OutputSpec& output_named(const std::string& name) const {
    return *std::find_if(problem_.outputs.begin(), problem_.outputs.end(),
                         [&](const OutputSpec& output) { return output.name == name; });
  }

  static void clear(const std::vector<std::size_t>& elements, Tensor& tensor) {
    const std::size_t size = assay::size_of(tensor.dtype);
    for (const std::size_t element : elements)
      std::fill_n(tensor.data.begin() + static_cast<std::ptrdiff_t>(element * size), size, std::byte{0});
  }

  /// Shares of which nothing was stored, by number, where others were stored in their place; each threadgroup
  /// stores one, so where too few were, none is forgiven.
  /// `others`: how many further shares it was in.
  std::vector<bool> stored_elsewhere(const Comparison& comparison, const RightOutput& right,
                                     std::size_t others) const {
    std::vector<std::size_t> left(right_.count());
    std::vector<bool> empty(left.size(), true), zero(left.size(), true);
    for (const Right& one : right.elements) {
      ++left[one.part];
      zero[one.part] = zero[one.part] && one.low <= 0 && 0 <= one.high;
    }
    for (const WrongElement& wrong : comparison.wrong) {
      if (wrong.never_written) --left[right.elements[wrong.index].part];
    }
    std::transform(left.begin(), left.end(), empty.begin(), [](std::size_t written) { return written == 0; });
    const auto stored = std::count(empty.begin(), empty.end(), false);
    const auto unseen = std::count(zero.begin(), zero.end(), true);
    const bool enough =
        static_cast<std::size_t>(stored + 2 * unseen) + others + kMissed >= problem_.sample.size();
    const bool in_place = right_.count() == first_shares_;
    return enough && !in_place ? empty : std::vector<bool>(left.size());
  }

  /// `elsewhere` becomes what of `got` was not stored, where something right was stored in other places.
  Comparison compare(const Tensor& got, const SampledResult& run, std::uint16_t poison,
                     std::vector<std::size_t>& elsewhere) const {
    const OutputSpec& output = output_named(got.name);
    const RightOutput& right = right_.outputs().at(got.name);
    Comparison comparison =
        assay::compare(got, right_.expectation_of(got.name), poison, !run.report.inactive_reads.empty());
    comparison.shape = output.shape;
    const auto judged = judge_strays(operation_, problem_, arithmetic_, share_, run.strays, poison);
    std::set<Part> others;
    for (const JudgedStray& stray : judged)
      if (stray.tensor == got.name && !stray.wrong) others.insert(share_.of_threadgroup(stray.owner));
    const auto forgiven = stored_elsewhere(comparison, right, others.size());
    std::erase_if(comparison.wrong, [&](const WrongElement& wrong) {
      if (!wrong.never_written || !forgiven[right.elements[wrong.index].part]) return false;
      elsewhere.push_back(wrong.index);
      return true;
    });
    if (!elsewhere.empty()) {
      comparison.never_written -= elsewhere.size();
      comparison.worst = 0;
    }
    for (WrongElement& wrong : comparison.wrong) wrong.index = right.elements[wrong.index].element;
    for (const JudgedStray& stray : judged) {
      if (stray.tensor != got.name) continue;
      ++comparison.elements;
      if (stray.wrong) comparison.wrong.push_back(*stray.wrong);
    }
    const std::size_t columns = std::max<std::size_t>(comparison.matrix().columns, 1);
    for (WrongElement& wrong : comparison.wrong) {
      wrong.row = wrong.index / columns;
      wrong.column = wrong.index % columns;
    }
    return comparison;
  }

  const KernelEntry& entry_;
  const Operation& operation_;
  const Arithmetic& arithmetic_;
  const Share& share_;
  Problem problem_;
  RightParts right_;
  std::size_t first_shares_ = 0;  ///< of the sample, before others were taken in
};

}  // namespace

TrialResult run_large(const Trial& trial, const Case& test_case, std::span<const TestDevice> devices,
                      std::span<const device::KernelId> kernels) {
  const auto share = Share::of(trial.entry(), trial.operation(), test_case.dims);
  if (!share) {
    throw Unjudgeable(
        "the grid does not say which threadgroup stores what, so no part of such a large launch can be "
        "judged");
  }
  return LargeTrial(trial, test_case, *share).run(devices, kernels);
}

}  // namespace assay::properties
