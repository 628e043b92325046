#include "properties/large/large_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "properties/cases/space.hpp"

namespace assay::properties {
namespace {

/// Sizes of the problem that is repeated: eight times a prime, so that its tensors fill whole pages after few
/// repetitions; the last for all that follow.
constexpr std::array<std::int64_t, 3> kSides = {8 * 53, 8 * 131, 8 * 67};
constexpr std::int64_t kReduced = 512;

/// Tensors up to here are whole.
constexpr std::size_t kSmallTensor = std::size_t{8} << 20;

constexpr std::size_t kPage = 4096;

Case smaller(const OperationDeclaration& declaration, const Case& large) {
  Case small = large;
  std::size_t side = 0;
  for (const Dimension& one : declaration.dimensions) {
    if (one.is_choice()) continue;
    std::int64_t& value = small.dims.at(one.name);
    const std::int64_t most = one.reduced ? kReduced : kSides[std::min(side++, kSides.size() - 1)];
    value = std::min(value, most / one.multiple * one.multiple);
  }
  return small;
}

std::vector<std::byte> repeated(const std::vector<std::byte>& data, std::size_t times) {
  std::vector<std::byte> all;
  all.reserve(data.size() * times);
  for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), data.begin(), data.end());
  return all;
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

bool can_repeat(const OperationDeclaration& declaration) {
  return std::none_of(declaration.dimensions.begin(), declaration.dimensions.end(),
                      [](const Dimension& one) { return one.hidden; }) &&
         std::none_of(declaration.tensors.begin(), declaration.tensors.end(),
                      [](const TensorSpec& spec) { return spec.role == Role::in_out; });
}

Problem make_large_problem(const Operation& operation, const Case& test_case) {
  operation.check_case(test_case);
  const OperationDeclaration& declaration = operation.declaration();
  if (!can_repeat(declaration)) {
    throw Unjudgeable(
        fmt::format("cases of {} that are too large to be run whole cannot be made", operation.name()));
  }
  Problem problem = operation.make_problem(smaller(declaration, test_case));
  problem.dims = test_case.dims;
  for (Tensor& tensor : problem.inputs) {
    const TensorSpec& spec = *find_named(declaration.tensors, tensor.name);
    const auto shape = spec.shape(test_case.dims);
    if (shape == tensor.shape) continue;
    tensor.shape = shape;
    tensor.repeated = true;
    const std::size_t bytes = tensor.element_count() * assay::size_of(tensor.dtype);
    if (bytes <= kSmallTensor) {
      std::vector<std::byte> whole(bytes);
      tensor.copy(0, whole);
      tensor.data = std::move(whole);
      tensor.repeated = false;
    } else {
      tensor.data = repeated(tensor.data, kPage / std::gcd(tensor.data.size(), kPage));
    }
  }
  for (OutputSpec& output : problem.outputs)
    output.shape = find_named(declaration.tensors, output.name)->shape(test_case.dims);
  return problem;
}

}  // namespace assay::properties
