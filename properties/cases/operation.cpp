#include "properties/cases/operation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "harness/device/planned_schedule.hpp"
#include "properties/cases/meetings.hpp"
#include "properties/cases/plain_start.hpp"
#include "properties/cases/planted.hpp"

namespace assay::properties {
namespace {

/// A tensor of a problem may not be larger, and one of a case of which a sample is run; a replay line is a
/// string that anybody may write.
constexpr std::size_t kLargestTensorBytes = std::size_t{1} << 30;
constexpr std::size_t kLargestSparseBytes = (std::size_t{16} << 30) - (std::size_t{1} << 20);

/// The shape of a tensor, refused when its bytes do not fit.
std::vector<std::size_t> checked_shape(const TensorSpec& spec, const Dims& dims,
                                       std::size_t most = kLargestTensorBytes) {
  std::vector<std::size_t> shape = spec.shape(dims);
  std::size_t elements_left = most / assay::size_of(spec.dtype);
  for (const std::size_t extent : shape) {
    if (extent > elements_left) {
      throw std::invalid_argument(
          fmt::format("{}: a tensor [{}] is larger than {} bytes; make its dimensions smaller", spec.name,
                      fmt::join(shape, ", "), most));
    }
    elements_left /= std::max<std::size_t>(1, extent);
  }
  return shape;
}

/// No dimension may be so large that products of two overflow.
void check_extents(const Dims& dims) {
  for (const auto& [name, value] : dims) {
    if (value > std::numeric_limits<std::int32_t>::max()) {
      throw std::invalid_argument(fmt::format("{}={}: must fit in 31 bits", name, value));
    }
  }
}

/// What no tensor's shape says is drawn as well, an element each: no more of it than a tensor of bytes holds.
void check_hidden(const OperationDeclaration& declaration, const Dims& dims) {
  std::size_t left = kLargestTensorBytes;
  std::string sizes;
  for (const Dimension& one : declaration.dimensions) {
    if (!one.hidden) continue;
    const auto extent = static_cast<std::size_t>(dim(dims, one.name));
    sizes += fmt::format("{}={} ", one.name, extent);
    if (extent > left) {
      throw std::invalid_argument(
          fmt::format("{}: more than {} elements in compressed data; make its dimensions smaller", sizes,
                      kLargestTensorBytes));
    }
    left /= std::max<std::size_t>(1, extent);
  }
}

}  // namespace

void resize_vector(Tensor& tensor, std::size_t elements) {
  tensor.shape = {elements};
  tensor.data.resize(elements * assay::size_of(tensor.dtype));
}

Operation::Operation(OperationDeclaration declaration) : declaration_(std::move(declaration)) {
  declare_meetings(declaration_);
}

std::vector<std::string> Operation::scalars() const {
  std::vector<std::string> names;
  for (const Dimension& one : declaration_.dimensions) names.push_back(one.name);
  for (const Count& one : declaration_.counts) names.push_back(one.name);
  return names;
}

ArgumentNames Operation::argument_names() const {
  ArgumentNames names{.operation = name(), .tensors = {}, .outputs = {}, .scalars = scalars()};
  for (const TensorSpec& spec : declaration_.tensors) {
    names.tensors.push_back(spec.name);
    if (spec.role != Role::output) names.inputs.push_back(spec.name);
    if (spec.single) names.singles.emplace(spec.name, spec.dtype);
    if (spec.role != Role::input && !spec.optional) names.outputs.push_back(spec.name);
  }
  return names;
}

CaseSpace Operation::cases(const KernelTraits& traits, Budget budget) const {
  return CaseSpace(declaration_, traits, budget);
}

void Operation::check_kernel(const KernelTraits& traits) const {
  const Case smallest = cases(traits).nearest({});
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(
        fmt::format("requires: the smallest case that the kernel takes is {}: {}", to_line(smallest), why));
  };
  double product = 1;
  for (const Dimension& one : declaration_.dimensions) {
    if (!one.is_choice()) product *= static_cast<double>(dim(smallest.dims, one.name));
  }
  const auto most = static_cast<double>(Budget{}.longest);
  if (product > most)
    refuse(fmt::format("the product of its sizes is {}; cases have {} at most", product, most));
  try {
    Dims dims = smallest.dims;
    for (const Count& one : declaration_.counts) dims[one.name] = 1;
    for (const TensorSpec& spec : declaration_.tensors) checked_shape(spec, dims);
  } catch (const std::invalid_argument& large) {
    refuse(large.what());
  }
}

void Operation::check_case(const Case& test_case) const {
  if (test_case.operation != name()) {
    throw std::invalid_argument(fmt::format("operation={}: expected {}", test_case.operation, name()));
  }
  check_dims(declaration_, test_case.dims);
  check_extents(test_case.dims);
  if (!test_case.part.empty() && test_case.golden.empty()) {
    throw std::invalid_argument(
        fmt::format("part.{}: only a case of a golden file has parts; write golden=FILE beside it",
                    test_case.part.begin()->first));
  }
  const Regime& regime = regime_of(test_case);
  for (const auto& [knob, value] : test_case.knobs) {
    if (find_named(regime.knobs, knob) == nullptr) {
      throw std::invalid_argument(fmt::format("knob.{}: regime {} has no such knob", knob, regime.name));
    }
    if (value < 0) throw std::invalid_argument(fmt::format("knob.{}={}: must not be negative", knob, value));
  }
  shapes_of(test_case.dims, kLargestSparseBytes);
  if (!test_case.schedule.empty()) device::schedule_of(test_case.schedule);
}

const Regime& Operation::regime_of(const Case& test_case) const {
  const Regime* regime = find_named(declaration_.regimes, test_case.regime);
  if (regime == nullptr) regime = find_named(declaration_.listed, test_case.regime);
  for (const PlannedRegime& one : declaration_.planned) {
    if (regime == nullptr && one.regime.name == test_case.regime) regime = &one.regime;
  }
  if (regime != nullptr) return *regime;
  std::vector<std::string> names;
  for (const Regime& one : declaration_.regimes) names.push_back(one.name);
  throw std::invalid_argument(
      fmt::format("regime={}: {} has {}", test_case.regime, name(), fmt::join(names, ", ")));
}

void Operation::check_knobs(const Case& test_case, const Arithmetic& arithmetic) const {
  for (const auto& [name_of_knob, value] : test_case.knobs) {
    const Knob* knob = find_named(regime_of(test_case).knobs, name_of_knob);
    const std::int64_t largest = knob == nullptr ? 0 : knob->largest(test_case.dims, arithmetic);
    if (value > largest) {
      throw std::invalid_argument(
          fmt::format("knob.{}={}: must be at most {} here", name_of_knob, value, largest));
    }
  }
}

std::vector<std::vector<std::size_t>> Operation::shapes_of(const Dims& dims, std::size_t most_bytes) const {
  Dims all = dims;
  for (const Count& one : declaration_.counts) all[one.name] = 1;  // until the values are there
  std::vector<std::vector<std::size_t>> shapes;
  for (const TensorSpec& spec : declaration_.tensors) shapes.push_back(checked_shape(spec, all, most_bytes));
  return shapes;
}

Problem Operation::make_problem(const Case& test_case) const {
  check_case(test_case);
  if (!test_case.golden.empty())
    throw std::invalid_argument("golden: the values of this case are a file's, none are drawn");
  Problem problem{.operation = name(), .dims = test_case.dims, .inputs = {}, .outputs = {}};
  check_hidden(declaration_, test_case.dims);
  const auto shapes = shapes_of(test_case.dims, kLargestTensorBytes);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const TensorSpec& spec = declaration_.tensors[i];
    if (spec.role != Role::output)
      problem.inputs.push_back(assay::make_tensor(spec.name, spec.dtype, shapes[i]));
    if (spec.role != Role::input)
      problem.outputs.push_back({spec.name, spec.dtype, shapes[i], spec.optional});
  }
  problem.schedule = test_case.seed;  // so that a replay sees the same order of threadgroups
  if (!test_case.schedule.empty())
    problem.planned = std::make_shared<device::PlannedSchedule>(device::schedule_of(test_case.schedule));
  fill(surrounding(test_case), problem);
  plant(declaration_, test_case, problem);
  meet(declaration_, test_case, problem);
  start_plainly(declaration_, test_case, problem);
  settle_counts(problem);
  return problem;
}

bool Operation::can_repeat() const { return declaration_.has_plain_tensors(); }

Dims Operation::repeats(const Dims& dims) const { return dims; }
std::int64_t Operation::repeats_for(const Dims&, std::string_view) const { return 1; }
void Operation::repeat_counted(const Problem&, Problem&) const {}
std::optional<Chosen> Operation::chosen_by(const Problem&, const Part&) const { return std::nullopt; }

void Operation::renumber(const Chosen&, Problem&) const {}

std::map<std::string, Taken> Operation::cut_counted(const Problem&, const Part&, Problem&) const {
  return {};
}

void Operation::settle_counts(Problem& problem) const {
  for (const Count& one : declaration_.counts) {
    problem.dims[one.name] = static_cast<std::int64_t>(input(problem, one.tensor).element_count());
  }
}

void Operation::check_problem(const Problem& problem) const {
  if (problem.operation != name()) {
    throw std::invalid_argument(fmt::format("operation {}: expected {}", problem.operation, name()));
  }
  Dims drawn = problem.dims;
  for (const Count& one : declaration_.counts) drawn.erase(one.name);
  check_dims(declaration_, drawn);
  check_extents(problem.dims);
  for (const TensorSpec& spec : declaration_.tensors) {
    if (spec.role == Role::output) continue;
    const Tensor& tensor = input(problem, spec.name);
    const auto shape = checked_shape(spec, problem.dims);
    if (tensor.dtype != spec.dtype) {
      throw std::invalid_argument(fmt::format("{}: is {}, must be {}", spec.name,
                                              assay::name_of(tensor.dtype), assay::name_of(spec.dtype)));
    }
    if (tensor.shape != shape || tensor.data.size() != tensor.element_count() * assay::size_of(spec.dtype)) {
      const std::string mistake = mistaken_shape(tensor, problem.dims);
      throw std::invalid_argument(fmt::format("{}: has shape [{}], its dimensions ask for [{}]{}{}",
                                              spec.name, fmt::join(tensor.shape, ", "),
                                              fmt::join(shape, ", "), mistake.empty() ? "" : ": ", mistake));
    }
  }
}

std::optional<std::vector<ExactOutput>> Operation::exact_outputs(const Problem&, const Arithmetic&) const {
  return std::nullopt;
}

std::vector<std::string> Operation::warnings(const Problem&) const { return {}; }
std::string Operation::mistaken_shape(const Tensor&, const Dims&) const { return ""; }

void Operation::cover(const Problem&, Coverage&) const {}

std::unique_ptr<ExhaustiveRun> Operation::exhaustive(const KernelTraits&, WordRange) const {
  throw std::invalid_argument(name() +
                              ": its inputs are too many to try them all, there is no exhaustive run of it");
}

std::vector<std::string> Operation::wanted_coverage() const { return {}; }

std::optional<WeightsSeen> Operation::weights_seen(const Problem&, std::string_view) const {
  return std::nullopt;
}

std::vector<Counterfactual> Operation::counterfactuals(const Problem&, const Tile&) const { return {}; }

std::vector<OtherAnswers> Operation::other_answers(const Problem&) const { return {}; }

}  // namespace assay::properties
