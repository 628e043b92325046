// NaN and infinity put into one element of an input reach the outputs that depend on it and no others.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "properties/cases/axes.hpp"
#include "properties/cases/semantics.hpp"
#include "properties/laws/law.hpp"

namespace assay::properties::laws {
namespace {

constexpr std::uint16_t kHalfNan = 0x7E00, kHalfInfinity = 0x7C00, kHalfSign = 0x8000;

void put(Tensor& tensor, std::size_t i, bool nan, bool negative) {
  if (tensor.dtype == DType::f16) {
    const std::uint16_t half = nan ? kHalfNan : kHalfInfinity;
    tensor.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(half | (negative ? kHalfSign : 0));
  } else if (tensor.dtype == DType::f32) {
    using Limits = std::numeric_limits<float>;
    const float value = nan ? Limits::quiet_NaN() : Limits::infinity();
    tensor.as<float>()[i] = negative ? -value : value;
  } else {
    throw std::logic_error(tensor.name + ": no NaN in integers");
  }
}

/// An axis of the input and that of an output along the same dimension.
struct Shared {
  Axis of_input, of_output;
};

/// The element that was spoilt, and which dimensions of the outputs its tensor has.
struct Spoilt {
  std::string tensor;
  std::size_t element = 0;
  std::vector<std::size_t> shape;
  std::vector<std::string> dimensions;
};

/// Claims of an output: `there` where all shared axes are at the spoilt element, elsewhere what it was.
Claims claims_of(const Spoilt& spoilt, const OperationDeclaration& declaration, const Dims& dims,
                 const TensorSpec& output, std::optional<Claim::What> there) {
  std::vector<Shared> shared;
  for (const std::string& dimension : spoilt.dimensions) {
    const Shared both = {axis_of(*find_named(declaration.tensors, spoilt.tensor), dims, dimension),
                         axis_of(output, dims, dimension)};
    if (both.of_output.kind == Axis::Kind::mixed) return {};
    if (both.of_output.kind == Axis::Kind::along) shared.push_back(both);
  }
  const bool floating = output.dtype == DType::f16 || output.dtype == DType::f32;
  return [=, shape = output.shape(dims)](std::size_t element) -> std::optional<Claim> {
    const bool reached = floating && std::all_of(shared.begin(), shared.end(), [&](const Shared& both) {
                           return index_along(element, both.of_output.axis, shape) * both.of_output.block /
                                      both.of_input.block ==
                                  index_along(spoilt.element, both.of_input.axis, spoilt.shape);
                         });
    Claim claim = Claim::same_as(0, element);
    if (!reached) return claim;
    if (!there) return std::nullopt;
    claim.what = *there;
    return claim;
  };
}

std::optional<Experiment> spoilt(const Subject& subject, const std::string& tensor, bool nan) {
  const OperationDeclaration& declaration = subject.operation.declaration();
  if (is_hidden(declaration, subject.entry.arithmetic, tensor)) return std::nullopt;
  Problem changed = subject.problem;
  Tensor& given = input(changed, tensor);
  const Words words = subject.draw.words(0);
  Spoilt one{.tensor = tensor,
             .element = below(static_cast<std::uint32_t>(given.element_count()), words[0]),
             .shape = given.shape,
             .dimensions = places_of(declaration, tensor)};
  put(given, one.element, nan, (words[1] & 1) != 0);
  const bool linear =
      std::find(declaration.factors.begin(), declaration.factors.end(), tensor) != declaration.factors.end();
  std::optional<Claim::What> there;
  if (nan) {
    there = Claim::What::nan;
  } else if (linear) {  // times 0 it is NaN, times anything else infinite
    there = Claim::What::not_finite;
  }
  Experiment experiment{
      .what = fmt::format("element {} of {} is {}", one.element, tensor, nan ? "NaN" : "infinite"),
      .problems = {std::move(changed)},
      .bounded = false,
      .claims = {}};
  experiment.claims = [one, there, &declaration, dims = subject.problem.dims](
                          std::size_t run, const TensorSpec& output) -> Claims {
    if (run == 0) return {};
    return claims_of(one, declaration, dims, output, there);
  };
  return experiment;
}

std::vector<Law> special_value_laws(const OperationDeclaration& declaration) {
  std::vector<Law> laws;
  for (const Number& number : declaration.numbers) {
    if (places_of(declaration, number.name).empty()) continue;
    for (const bool nan : {true, false}) {
      if (!nan && !number.infinite) continue;
      laws.push_back(
          {fmt::format("{}-{}", nan ? "nan" : "infinity", number.name),
           fmt::format("{} in {} reaches the outputs that depend on that element, and no others",
                       nan ? "NaN" : "an infinity", number.name),
           [nan, tensor = number.name](const Subject& subject) { return spoilt(subject, tensor, nan); }});
    }
  }
  return laws;
}

const RegisterLaws kSpecialValue(50, special_value_laws);

}  // namespace
}  // namespace assay::properties::laws
