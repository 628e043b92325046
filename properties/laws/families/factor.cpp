// Outputs are linear in each factor: a power of two times a factor gives as much of the outputs, and where it
// is zero they are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "harness/verify/compare.hpp"
#include "properties/cases/axes.hpp"
#include "properties/laws/law.hpp"
#include "reference/half.hpp"

namespace assay::properties::laws {
namespace {

/// Element i times 2^exponent; false where that is not exact.
bool scale_element(Tensor& tensor, std::size_t i, int exponent) {
  const double value = assay::decode(tensor, i);
  if (!std::isfinite(value)) return true;  // NaN and infinities stay what they are
  const double scaled = std::ldexp(value, exponent);
  if (tensor.dtype == DType::f16) {
    tensor.as<std::uint16_t>()[i] = reference::half_from_double(scaled);
  } else if (tensor.dtype == DType::f32) {
    tensor.as<float>()[i] = static_cast<float>(scaled);
  } else {
    throw std::logic_error(tensor.name + ": factors are halves or floats");
  }
  return assay::decode(tensor, i) == scaled;
}

std::optional<Experiment> scaled(const Subject& subject, const std::string& factor) {
  constexpr int kLargest = 4;
  const auto word = subject.draw.words(0)[0];
  for (int attempt = 0; attempt < 2 * kLargest; ++attempt) {
    const int step = static_cast<int>((word + static_cast<std::uint32_t>(attempt)) % (2 * kLargest));
    const int exponent = step < kLargest ? step + 1 : kLargest - 1 - step;  // 1 .. 4, -1 .. -4
    Problem changed = subject.problem;
    Tensor& tensor = input(changed, factor);
    bool exact = true;
    for (std::size_t i = 0; exact && i < tensor.element_count(); ++i)
      exact = scale_element(tensor, i, exponent);
    if (!exact) continue;
    Experiment experiment{.what = fmt::format("{} times 2^{}", factor, exponent),
                          .problems = {std::move(changed)},
                          .bounded = true,
                          .claims = {}};
    experiment.claims = [exponent](std::size_t run, const TensorSpec& output) -> Claims {
      const bool floating = output.dtype == DType::f16 || output.dtype == DType::f32;
      if (run == 0) return {};
      return [e = floating ? exponent : 0](std::size_t element) { return Claim::same_as(0, element, e); };
    };
    return experiment;
  }
  return std::nullopt;
}

std::optional<Experiment> zeroed(const Subject& subject, const std::string& factor,
                                 const std::string& dimension) {
  const Dims& dims = subject.problem.dims;
  const auto axis_in = [&](const std::string& tensor) {
    return axis_of(*find_named(subject.operation.declaration().tensors, tensor), dims, dimension);
  };
  const Axis axis = axis_in(factor);
  if (axis.kind != Axis::Kind::along) return std::nullopt;
  Problem changed = subject.problem;
  Tensor& tensor = input(changed, factor);
  const auto along = static_cast<std::uint32_t>(tensor.shape[axis.axis]);
  const std::size_t where = below(along, subject.draw.words(0)[0]), size = assay::size_of(tensor.dtype);
  for (std::size_t i = 0; i < tensor.element_count(); ++i) {
    if (index_along(i, axis.axis, tensor.shape) == where) std::memset(tensor.data.data() + i * size, 0, size);
  }
  Experiment experiment{
      .what = fmt::format("{} is set to zero at index {} of {}", factor, where * axis.block, dimension),
      .problems = {std::move(changed)},
      .bounded = false,
      .claims = {}};
  experiment.claims = [=](std::size_t run, const TensorSpec& output) -> Claims {
    const Axis out = axis_of(output, dims, dimension);
    const bool floating = output.dtype == DType::f16 || output.dtype == DType::f32;
    if (run == 0 || (floating && out.kind != Axis::Kind::along)) return {};
    return [=, shape = output.shape(dims)](std::size_t element) {
      Claim claim = Claim::same_as(0, element);
      const bool there = floating && index_along(element, out.axis, shape) * out.block / axis.block == where;
      if (there) claim.what = Claim::What::zero;
      return std::optional(claim);
    };
  };
  return experiment;
}

std::vector<Law> scale_laws(const OperationDeclaration& declaration) {
  std::vector<Law> laws;
  for (const std::string& factor : declaration.factors) {
    laws.push_back({"scale-" + factor,
                    fmt::format("{} times a power of two multiplies the outputs by the same power", factor),
                    [=](const Subject& subject) { return scaled(subject, factor); }});
  }
  return laws;
}

std::vector<Law> zero_laws(const OperationDeclaration& declaration) {
  std::vector<Law> laws;
  for (const std::string& factor : declaration.factors) {
    for (const std::string& dimension : places_of(declaration, factor)) {
      // A stencil or a scan is linear, and what it gives at one place depends on others.
      if (!find_named(declaration.dimensions, dimension)->reorders) continue;
      laws.push_back(
          {fmt::format("zero-{}-{}", factor, dimension),
           fmt::format("outputs are zero where {} is zero along {}, and nowhere else", factor, dimension),
           [=](const Subject& subject) { return zeroed(subject, factor, dimension); }});
    }
  }
  return laws;
}

const RegisterLaws kScale(0, scale_laws);
const RegisterLaws kZero(30, zero_laws);

}  // namespace
}  // namespace assay::properties::laws
