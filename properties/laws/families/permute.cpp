// What is reordered along a dimension comes out reordered; along one that is summed over, it comes out the
// same. What is there twice comes out twice.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "properties/cases/axes.hpp"
#include "properties/laws/law.hpp"

namespace assay::properties::laws {
namespace {

/// One launch with the inputs in that order, whose outputs are those of the case in that order.
Experiment reordering(const Subject& subject, const Movement& movement, const Order& order,
                      std::string what) {
  Experiment experiment{.what = std::move(what),
                        .problems = {reordered(subject.operation, subject.problem, movement, order)},
                        .bounded = false,
                        .claims = {}};
  const Dims before = subject.problem.dims, after = experiment.problems[0].dims;
  experiment.claims = [=](std::size_t run, const TensorSpec& output) -> Claims {
    const Axis axis = movement.axes.at(output.name);
    if (run == 0 || axis.kind == Axis::Kind::mixed) return {};
    return [=, was = output.shape(before), is = output.shape(after)](std::size_t element) {
      return Claim::same_as(0, origin_of(element, axis, order, was, is));
    };
  };
  return experiment;
}

std::vector<std::size_t> counting(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

std::string units_of(const Movement& movement) {
  return movement.unit == 1 ? movement.dimension : fmt::format("{} by {}", movement.dimension, movement.unit);
}

std::optional<Experiment> permuted(const Subject& subject, const std::string& dimension) {
  const auto movement = movement_along(subject.operation, subject.problem, dimension);
  if (!movement || movement->whole_units() < 2) return std::nullopt;
  std::vector<std::size_t> units = counting(movement->whole_units());
  for (std::size_t i = units.size() - 1; i > 0; --i) {
    std::swap(units[i], units[below(static_cast<std::uint32_t>(i + 1), subject.draw.words(i)[0])]);
  }
  if (std::is_sorted(units.begin(), units.end())) std::rotate(units.begin(), units.begin() + 1, units.end());
  return reordering(subject, *movement, order_of(*movement, units),
                    fmt::format("inputs reordered along {}, the first from {} = {}", units_of(*movement),
                                dimension, units[0] * movement->unit));
}

std::optional<Experiment> duplicated(const Subject& subject, const std::string& dimension) {
  const auto movement = movement_along(subject.operation, subject.problem, dimension);
  if (!movement || movement->whole_units() < 2) return std::nullopt;
  std::vector<std::size_t> units = counting(movement->whole_units());
  const auto count = static_cast<std::uint32_t>(units.size());
  const std::size_t one = below(count, subject.draw.words(0)[0]);
  for (std::size_t& unit : units) {
    if ((subject.draw.words(1 + unit)[0] & 1) != 0) unit = one;
  }
  units[(one + 1) % count] = one;
  return reordering(subject, *movement, order_of(*movement, units),
                    fmt::format("copies of {} = {} in half of all places along {}", dimension,
                                one * movement->unit, units_of(*movement)));
}

std::vector<Law> permute_laws(const OperationDeclaration& declaration) {
  std::vector<Law> laws;
  for (const std::string& dimension : sizes_of(declaration)) {
    if (!find_named(declaration.dimensions, dimension)->reorders) continue;
    const bool free = is_free(declaration, dimension);
    if (!free && !find_named(declaration.dimensions, dimension)->reduced) continue;
    laws.push_back(
        {"permute-" + dimension,
         free ? fmt::format("inputs reordered along {0} give outputs reordered along {0}", dimension)
              : fmt::format("inputs reordered along {} give the same sums", dimension),
         [=](const Subject& subject) { return permuted(subject, dimension); }});
  }
  return laws;
}

std::vector<Law> duplicate_laws(const OperationDeclaration& declaration) {
  std::vector<Law> laws;
  for (const std::string& dimension : sizes_of(declaration)) {
    if (!find_named(declaration.dimensions, dimension)->reorders || !is_free(declaration, dimension))
      continue;
    laws.push_back({"duplicate-" + dimension,
                    fmt::format("inputs repeated along {0} give outputs repeated along {0}", dimension),
                    [=](const Subject& subject) { return duplicated(subject, dimension); }});
  }
  return laws;
}

const RegisterLaws kPermute(10, permute_laws);
const RegisterLaws kDuplicate(40, duplicate_laws);

}  // namespace
}  // namespace assay::properties::laws
