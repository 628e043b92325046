// Cut in two along a dimension of the outputs, a problem gives the two pieces of its outputs; along one that
// is summed over, two outputs whose sum is its own.
#include <fmt/format.h>

#include <algorithm>

#include "properties/cases/axes.hpp"
#include "properties/laws/law.hpp"

namespace assay::properties::laws {
namespace {

/// Where to cut: at a place that the kernel takes both pieces of, or nothing.
std::optional<std::size_t> place_to_cut(const Subject& subject, const Movement& movement) {
  const std::size_t places = (movement.extent - 1) / movement.unit;
  if (places == 0) return std::nullopt;
  const std::size_t first = below(static_cast<std::uint32_t>(places), subject.draw.words(0)[0]);
  for (std::size_t i = 0; i < places; ++i) {
    const std::size_t at = ((first + i) % places + 1) * movement.unit;
    const auto fits = [&](std::size_t length) {
      Problem piece{
          .operation = subject.problem.operation, .dims = subject.problem.dims, .inputs = {}, .outputs = {}};
      piece.dims[movement.dimension] = static_cast<std::int64_t>(length);
      return subject.takes(piece);
    };
    if (fits(at) && fits(movement.extent - at)) return at;
  }
  return std::nullopt;
}

/// The experiment of both pieces, without its claims.
std::optional<std::pair<Movement, Experiment>> cut(const Subject& subject, const std::string& dimension,
                                                   std::size_t& at) {
  const auto movement = movement_along(subject.operation, subject.problem, dimension);
  if (!movement) return std::nullopt;
  const auto place = place_to_cut(subject, *movement);
  if (!place) return std::nullopt;
  at = *place;
  Experiment experiment{.what = fmt::format("cut in two at {} = {}", dimension, at),
                        .problems = {},
                        .bounded = false,
                        .claims = {}};
  for (const Order& piece : {range_of(0, at), range_of(at, movement->extent)}) {
    experiment.problems.push_back(reordered(subject.operation, subject.problem, *movement, piece));
  }
  return std::pair{*movement, experiment};
}

std::optional<Experiment> split(const Subject& subject, const std::string& dimension) {
  std::size_t at = 0;
  auto found = cut(subject, dimension, at);
  if (!found) return std::nullopt;
  auto& [movement, experiment] = *found;
  std::vector<Dims> dims = {subject.problem.dims};
  for (const Problem& problem : experiment.problems) dims.push_back(problem.dims);
  experiment.claims = [at, axes = movement.axes, extent = movement.extent, dims](
                          std::size_t run, const TensorSpec& output) -> Claims {
    const Axis axis = axes.at(output.name);
    if (run == 0 || axis.kind != Axis::Kind::along) return {};
    return [=, order = run == 1 ? range_of(0, at) : range_of(at, extent), was = output.shape(dims[0]),
            is = output.shape(dims[run])](std::size_t element) {
      return Claim::same_as(0, origin_of(element, axis, order, was, is));
    };
  };
  return std::move(experiment);
}

std::optional<Experiment> joined(const Subject& subject, const std::string& dimension) {
  std::size_t at = 0;
  auto found = cut(subject, dimension, at);
  if (!found) return std::nullopt;
  auto& [movement, experiment] = *found;
  experiment.bounded = true;
  experiment.claims = [axes = movement.axes](std::size_t run, const TensorSpec& output) -> Claims {
    const bool floating = output.dtype == DType::f16 || output.dtype == DType::f32;
    if (run != 0 || !floating || axes.at(output.name).kind != Axis::Kind::none) return {};
    return [](std::size_t element) {
      return Claim{Claim::What::sum, {ScaledElement{1, element, 0}, ScaledElement{2, element, 0}}, 2};
    };
  };
  return std::move(experiment);
}

std::vector<Law> split_laws(const OperationDeclaration& declaration) {
  std::vector<Law> laws;
  for (const std::string& dimension : sizes_of(declaration)) {
    if (!find_named(declaration.dimensions, dimension)->reorders) continue;
    if (is_free(declaration, dimension)) {
      laws.push_back(
          {"split-" + dimension,
           fmt::format("the two pieces of a problem cut along {} give the two pieces of its outputs",
                       dimension),
           [=](const Subject& subject) { return split(subject, dimension); }});
    }
    // Linear in a factor and summed over one of its axes: the sum over that axis is of independent terms.
    const bool summed =
        !is_free(declaration, dimension) &&
        std::any_of(declaration.factors.begin(), declaration.factors.end(),
                    [&](const auto& factor) { return runs_along(declaration, factor, dimension); });
    if (!summed) continue;
    laws.push_back(
        {"join-" + dimension,
         fmt::format("the outputs of the two pieces of a problem cut along {} add up to those of the whole",
                     dimension),
         [=](const Subject& subject) { return joined(subject, dimension); }});
  }
  return laws;
}

const RegisterLaws kSplit(20, split_laws);

}  // namespace
}  // namespace assay::properties::laws
