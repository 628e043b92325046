#include "properties/large/large_trial.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/verify/compare.hpp"
#include "harness/verify/sampled_run.hpp"
#include "properties/cases/axes.hpp"
#include "properties/cases/coverage.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/large/part.hpp"
#include "properties/large/sample.hpp"
#include "properties/large/share.hpp"

namespace assay::properties {
namespace {

/// What is right for an element of the whole output.
struct Right {
  std::size_t element = 0;
  double value = 0, low = 0, high = 0;
};

struct RightOfOutput {
  std::string bound;
  bool signed_zero = false;
  std::vector<Right> elements;
};

/// What is right for parts of a problem, and which elements of its tensors that took.
struct Answers {
  std::map<std::string, RightOfOutput> outputs;
  std::map<std::string, Taken> taken;
};

void note(Answers& answers, const std::string& tensor, const Taken& taken) {
  const auto [known, fresh] = answers.taken.try_emplace(tensor, taken);
  known->second.first = std::min(known->second.first, taken.first);
  known->second.last = std::max(known->second.last, taken.last);
}

void answer(const Operation& operation, const Problem& problem, const Arithmetic& arithmetic,
            const Part& part, Answers& answers) {
  const CutProblem cut = cut_out(operation, problem, part);
  for (const Expectation& expected : operation.expect(cut.problem, arithmetic)) {
    RightOfOutput& output = answers.outputs[expected.tensor];
    output.bound = expected.bound;
    output.signed_zero = expected.signed_zero;
    const auto places = places_in(operation, problem, cut, part, expected.tensor);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!places[i]) continue;
      output.elements.push_back({*places[i], expected.value[i], expected.low[i], expected.high[i]});
      note(answers, expected.tensor, {*places[i], *places[i]});
    }
  }
  for (const auto& [name, taken] : cut.taken) note(answers, name, taken);
}

/// The part of a problem that one element of an output is.
Part part_of_element(const Operation& operation, const Problem& problem, const OutputSpec& output,
                     std::size_t element) {
  const TensorSpec& spec = *find_named(operation.declaration().tensors, output.name);
  Part part;
  for (const Dimension& one : operation.declaration().dimensions) {
    const Axis axis = axis_of(spec, problem.dims, one.name);
    if (axis.kind != Axis::Kind::along) continue;
    const std::size_t at = index_along(element, axis.axis, output.shape) * axis.block;
    part[one.name] = {at, std::min(at + axis.block, extent(problem.dims, one.name))};
  }
  return part;
}

class LargeTrial {
 public:
  LargeTrial(const KernelEntry& entry, const Operation& operation, const Case& test_case, const Share& share,
             std::size_t threadgroups)
      : entry_(entry), operation_(operation), problem_(make_large_problem(operation, test_case)) {
    problem_.sample = sample_of(operation, problem_, share, threadgroups);
    for (const device::Size3& one : problem_.sample)
      answer(operation, problem_, entry.arithmetic, share.of_threadgroup(one), answers_);
    for (auto& [name, output] : answers_.outputs) {
      std::sort(output.elements.begin(), output.elements.end(),
                [](const Right& a, const Right& b) { return a.element < b.element; });
    }
  }

  TrialResult run(std::span<const TestDevice> devices, std::span<const device::KernelId> kernels) const {
    TrialResult result;
    const std::vector<Stored> asked = stored(result.telling);
    Evidence& evidence = result.evidence;
    std::vector<Tensor> first;
    std::vector<std::vector<std::size_t>>
        elsewhere;  // by output: what was not stored there, but in other places
    for (std::size_t i = 0; i < devices.size(); ++i) {
      SampledResult ran = run_sampled(*devices[i].device, kernels[i], entry_, problem_, asked);
      if (evidence.report.faults.empty()) evidence.report.faults = std::move(ran.report.faults);
      if (evidence.changed_inputs.empty()) evidence.changed_inputs = std::move(ran.changed_inputs);
      if (i > 0) {
        for (std::size_t t = 0; t < ran.stored.size(); ++t) clear(elsewhere.at(t), ran.stored[t]);
        if (evidence.second_run.empty()) evidence.second_run = assay::compare_bits(first, ran.stored);
        continue;
      }
      for (Tensor& one : ran.stored) {
        evidence.comparisons.push_back(compare(one, ran.strays, devices[i].poison, elsewhere.emplace_back()));
        clear(elsewhere.back(), one);
      }
      first = std::move(ran.stored);
    }
    for (const auto& [name, taken] : answers_.taken) {
      const TensorSpec& spec = *find_named(operation_.declaration().tensors, name);
      cover_widths(name, taken.first, taken.last, assay::size_of(spec.dtype), result.coverage);
    }
    result.outcome = assay::judge(evidence);
    return result;
  }

 private:
  /// What the sample is to store; `telling` where that is not only zeroes.
  std::vector<Stored> stored(bool& telling) const {
    std::vector<Stored> all;
    for (const auto& [name, output] : answers_.outputs) {
      Stored& one = all.emplace_back(Stored{name, {}});
      for (const Right& right : output.elements) {
        one.elements.push_back(right.element);
        telling |= !std::isnan(right.value) && !(right.low <= 0 && 0 <= right.high);
      }
    }
    return all;
  }

  const OutputSpec& output_named(const std::string& name) const {
    return *std::find_if(problem_.outputs.begin(), problem_.outputs.end(),
                         [&](const OutputSpec& output) { return output.name == name; });
  }

  static Expectation expectation_of(const std::string& name, const RightOfOutput& output) {
    Expectation expected;
    expected.tensor = name;
    expected.bound = output.bound;
    expected.signed_zero = output.signed_zero;
    for (const Right& right : output.elements) {
      expected.value.push_back(right.value);
      expected.low.push_back(right.low);
      expected.high.push_back(right.high);
    }
    return expected;
  }

  static void clear(const std::vector<std::size_t>& elements, Tensor& tensor) {
    const std::size_t size = assay::size_of(tensor.dtype);
    for (const std::size_t element : elements)
      std::fill_n(tensor.data.begin() + static_cast<std::ptrdiff_t>(element * size), size, std::byte{0});
  }

  /// `elsewhere` becomes what of `got` was not stored, where something right was stored in other places.
  Comparison compare(const Tensor& got, const std::vector<Stray>& strays, std::uint16_t poison,
                     std::vector<std::size_t>& elsewhere) const {
    const OutputSpec& output = output_named(got.name);
    const RightOfOutput& right = answers_.outputs.at(got.name);
    Comparison comparison = assay::compare(got, expectation_of(got.name, right), poison);
    comparison.shape = output.shape;
    bool stored_elsewhere = false;
    std::vector<WrongElement> strays_wrong;
    for (const Stray& stray : strays) {
      if (stray.tensor != got.name) continue;
      if (auto wrong = judge_stray(output, stray, poison)) {
        strays_wrong.push_back(*wrong);
      } else {
        stored_elsewhere = true;
      }
      ++comparison.elements;
    }
    if (stored_elsewhere) {
      std::erase_if(comparison.wrong, [&](const WrongElement& wrong) {
        if (wrong.never_written) elsewhere.push_back(wrong.index);
        return wrong.never_written;
      });
      comparison.never_written = 0;
      comparison.worst = 0;
    }
    for (WrongElement& wrong : comparison.wrong) wrong.index = right.elements[wrong.index].element;
    comparison.wrong.insert(comparison.wrong.end(), strays_wrong.begin(), strays_wrong.end());
    const std::size_t columns = std::max<std::size_t>(comparison.matrix().columns, 1);
    for (WrongElement& wrong : comparison.wrong) {
      wrong.row = wrong.index / columns;
      wrong.column = wrong.index % columns;
    }
    return comparison;
  }

  /// What is wrong with an element that no launched threadgroup was to store.
  std::optional<WrongElement> judge_stray(const OutputSpec& output, const Stray& stray,
                                          std::uint16_t poison) const {
    Answers answers;
    answer(operation_, problem_, entry_.arithmetic,
           part_of_element(operation_, problem_, output, stray.element), answers);
    RightOfOutput& right = answers.outputs.at(output.name);
    std::erase_if(right.elements, [&](const Right& one) { return one.element != stray.element; });
    const Tensor got{.name = output.name, .dtype = output.dtype, .shape = {1}, .data = stray.bytes};
    const Comparison comparison = assay::compare(got, expectation_of(output.name, right), poison);
    if (comparison.right()) return std::nullopt;
    WrongElement wrong = comparison.wrong.front();
    wrong.index = stray.element;
    return wrong;
  }

  const KernelEntry& entry_;
  const Operation& operation_;
  Problem problem_;
  Answers answers_;
};

}  // namespace

TrialResult run_large(const KernelEntry& entry, const Operation& operation, const Case& test_case,
                      std::span<const TestDevice> devices, std::span<const device::KernelId> kernels,
                      std::size_t threadgroups) {
  const auto share = Share::of(entry, operation, test_case.dims);
  if (!share) {
    throw Unjudgeable(
        "the grid does not say which threadgroup stores what, so that no part of a launch that large "
        "can be judged");
  }
  return LargeTrial(entry, operation, test_case, *share, threadgroups).run(devices, kernels);
}

}  // namespace assay::properties
