#include "properties/large/strays.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "properties/cases/axes.hpp"
#include "properties/large/right_parts.hpp"

namespace assay::properties {
namespace {

/// Which threadgroup is to store each element of an output.
class Owners {
 public:
  Owners(const Operation& operation, const Problem& problem, const Share& share, const OutputSpec& output)
      : share_(share) {
    const TensorSpec& spec = *find_named(operation.declaration().tensors, output.name);
    shape_ = spec.axes(problem.dims);
    for (const Dimension& one : operation.declaration().dimensions) {
      const Axis axis = axis_of(spec, problem.dims, one.name);
      if (axis.kind == Axis::Kind::along) axes_.emplace_back(one.name, axis);
    }
  }

  device::Size3 of(std::size_t element) const {
    std::map<std::string, std::size_t> indices;
    for (const auto& [dimension, axis] : axes_)
      indices[dimension] = index_along(element, axis.axis, shape_) * axis.block;
    return share_.storing(indices);
  }

 private:
  const Share& share_;
  std::vector<std::size_t> shape_;
  std::vector<std::pair<std::string, Axis>> axes_;
};

/// What is wrong with that one element, if anything is.
std::optional<WrongElement> wrong_with(const Tensor& got, std::size_t element, const RightOutput& right,
                                       std::uint16_t poison) {
  const auto one = std::lower_bound(right.elements.begin(), right.elements.end(), element,
                                    [](const Right& a, std::size_t e) { return a.element < e; });
  Expectation expected;
  expected.tensor = got.name;
  expected.bound = right.bound;
  expected.signed_zero = right.signed_zero;
  add_right(*one, expected);
  const Comparison comparison = assay::compare(got, expected, poison);
  if (comparison.right()) return std::nullopt;
  WrongElement wrong = comparison.wrong.front();
  wrong.index = element;
  return wrong;
}

}  // namespace

std::vector<JudgedStray> judge_strays(const Operation& operation, const Problem& problem,
                                      const Arithmetic& arithmetic, const Share& share,
                                      const std::vector<Stray>& strays, std::uint16_t poison) {
  std::map<Part, RightParts> shares;
  std::vector<JudgedStray> all;
  for (const OutputSpec& output : problem.outputs) {
    const Owners owners(operation, problem, share, output);
    const std::size_t size = assay::size_of(output.dtype);
    for (const Stray& stray : strays) {
      if (stray.tensor != output.name) continue;
      for (std::size_t at = 0; at < stray.bytes.size(); at += size) {
        const std::size_t element = stray.element + at / size;
        JudgedStray one{output.name, owners.of(element), {}};
        const Part part = share.of_threadgroup(one.owner);
        auto found = shares.find(part);
        if (found == shares.end()) {
          if (shares.size() == problem.sample.size()) continue;
          found = shares.try_emplace(part, operation, problem, arithmetic).first;
          found->second.add(part);
        }
        const auto begin = stray.bytes.begin() + static_cast<std::ptrdiff_t>(at);
        const Tensor got{.name = output.name,
                         .dtype = output.dtype,
                         .shape = {1},
                         .data = {begin, begin + static_cast<std::ptrdiff_t>(size)}};
        one.wrong = wrong_with(got, element, found->second.outputs().at(output.name), poison);
        all.push_back(std::move(one));
      }
    }
  }
  return all;
}

}  // namespace assay::properties
