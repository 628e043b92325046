#include "properties/large/large_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "properties/cases/space.hpp"

namespace assay::properties {
namespace {

/// Sizes of the problem that is repeated: eight times a prime, so that its tensors fill whole pages after few
/// repetitions; the last for all that follow.
constexpr std::array<std::int64_t, 3> kSides = {8 * 53, 8 * 131, 8 * 67};
constexpr std::int64_t kReduced = 512;

/// Elements of all tensors of a problem that is repeated, where some sizes are as those of the large one.
constexpr double kMostRepeated = 0x1p22;

/// Of dimensions that are hidden in compressed data, the product of those of a problem that is compressed as
/// a whole: mostly, and where nothing of it can repeat.
constexpr std::int64_t kCompressed = std::int64_t{1} << 20, kMostCompressed = std::int64_t{1} << 24;

/// Shrinks hidden dimensions, as far as what they are compressed to may repeat; false where too much is left.
bool shrink_hidden(const Operation& operation, Dims& dims) {
  const auto is_at_most = [&](std::int64_t most) {
    std::int64_t product = 1;
    for (const Dimension& one : operation.declaration().dimensions)
      if (one.hidden && __builtin_mul_overflow(product, dim(dims, one.name), &product)) return false;
    return product <= most;
  };
  if (!is_at_most(kCompressed)) dims = operation.repeats(dims);
  return is_at_most(kMostCompressed);
}

double elements_at(const Operation& operation, const Dims& dims) {
  double all = 0;
  for (const TensorSpec& spec : operation.declaration().tensors) {
    double own = 1;
    for (const std::size_t extent : spec.shape(dims)) own *= static_cast<double>(extent);
    all += own;
  }
  return all;
}

/// The sizes of the problem that a large one repeats.
std::optional<Dims> smaller(const Operation& operation, const Dims& large) {
  Dims small = large;
  std::size_t side = 0;
  bool all_repeat = true;
  for (const Dimension& one : operation.declaration().dimensions) {
    if (one.is_choice() || one.hidden) continue;
    if (!one.repeats) {
      all_repeat = false;
      continue;
    }
    std::int64_t& value = small.at(one.name);
    const std::int64_t most = one.reduced ? kReduced : kSides[std::min(side++, kSides.size() - 1)];
    value = std::min(value, most / one.multiple * one.multiple);
  }
  if (!shrink_hidden(operation, small)) return std::nullopt;
  if (!all_repeat && elements_at(operation, small) > kMostRepeated) return std::nullopt;
  return small;
}

std::vector<std::byte> repeated(const std::vector<std::byte>& data, std::size_t times) {
  std::vector<std::byte> all;
  all.reserve(data.size() * times);
  for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), data.begin(), data.end());
  return all;
}

/// Takes over how a kernel keeps a tensor. An order is that of its pattern; what is kept by blocks repeats in
/// them.
void keep(const Storage& storage, Tensor& tensor) {
  tensor.order = storage.order();
  const std::size_t block = storage.block_bytes(tensor.shape);
  if (!tensor.repeated || tensor.order != nullptr || (block > 0 && tensor.data.size() % block == 0)) return;
  throw Unjudgeable(tensor.name +
                    ": cannot be this large, since the manifest stores it in a layout of its own");
}

}  // namespace

bool is_large(const OperationDeclaration& declaration, const Dims& dims) {
  std::int64_t left = Budget{}.longest;
  for (const Dimension& one : declaration.dimensions) {
    if (one.is_choice()) continue;
    const std::int64_t value = dim(dims, one.name);
    if (value > left) return true;
    left /= std::max<std::int64_t>(value, 1);
  }
  return false;
}

bool can_make_large(const Operation& operation, const Dims& dims) {
  return operation.can_repeat() && smaller(operation, dims).has_value();
}

Problem make_large_problem(const Operation& operation, const Case& test_case, const Storages& storages) {
  operation.check_case(test_case);
  const OperationDeclaration& declaration = operation.declaration();
  const auto dims = operation.can_repeat() ? smaller(operation, test_case.dims) : std::nullopt;
  if (!dims) {
    throw Unjudgeable(fmt::format("{} has no cases that are too large to be run whole", operation.name()));
  }
  Case small_case = test_case;
  small_case.dims = *dims;
  const Problem small = operation.make_problem(small_case);
  Problem problem = small;
  problem.dims = test_case.dims;
  operation.settle_counts(problem);
  for (Tensor& tensor : problem.inputs) {
    tensor.shape = find_named(declaration.tensors, tensor.name)->shape(problem.dims);
    tensor.repeated = tensor.element_count() * assay::size_of(tensor.dtype) != tensor.data.size();
  }
  operation.repeat_counted(small, problem);
  operation.settle_counts(problem);
  for (Tensor& tensor : problem.inputs) {
    if (!tensor.repeated) continue;
    const std::size_t bytes = tensor.element_count() * assay::size_of(tensor.dtype);
    const std::size_t pattern = std::lcm(tensor.data.size(), kPage);
    if (bytes <= std::max(kSmallTensor, pattern)) {
      std::vector<std::byte> whole(bytes);
      tensor.copy(0, whole);
      tensor.data = std::move(whole);
      tensor.repeated = false;
    } else {
      tensor.data = repeated(tensor.data, pattern / tensor.data.size());
    }
  }
  for (const auto& kept : storages) {
    const std::string& name = kept.first;
    const auto output = std::find_if(problem.outputs.begin(), problem.outputs.end(),
                                     [&name](const OutputSpec& one) { return one.name == name; });
    if (output != problem.outputs.end())
      throw Unjudgeable(
          name +
          ": no part of this output can be judged, since the manifest stores it in a layout of its own");
    keep(*kept.second, input(problem, name));
  }
  for (OutputSpec& output : problem.outputs)
    output.shape = find_named(declaration.tensors, output.name)->shape(problem.dims);
  return problem;
}

}  // namespace assay::properties
