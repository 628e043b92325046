#include "properties/diagnosis/finite_neighbours.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "harness/verify/compare.hpp"

namespace assay::properties {
namespace {

constexpr std::uint16_t kHalfOfOne = 0x3C00, kSignOfHalf = 0x8000;

bool holds_floats(const Tensor& tensor) { return tensor.dtype == DType::f16 || tensor.dtype == DType::f32; }

/// Puts 1, of the sign that stands there, in place of what is not finite; whether there was any.
bool make_finite(Tensor& tensor) {
  bool changed = false;
  for (std::size_t i = 0; holds_floats(tensor) && i < tensor.element_count(); ++i) {
    if (std::isfinite(assay::decode(tensor, i))) continue;
    changed = true;
    if (tensor.dtype == DType::f16) {
      std::uint16_t& half = tensor.as<std::uint16_t>()[i];
      half = static_cast<std::uint16_t>((half & kSignOfHalf) | kHalfOfOne);
    } else {
      float& value = tensor.as<float>()[i];
      value = std::copysign(1.0F, value);
    }
  }
  return changed;
}

/// Is the kernel right for it? Nothing where that cannot be judged.
std::optional<bool> is_right(const Trial& trial, const Problem& problem) {
  try {
    const Verdict verdict = trial.run(problem).outcome.verdict;
    if (verdict == Verdict::pass) return true;
    if (verdict == Verdict::wrong_result) return false;
  } catch (const std::logic_error&) {
    // No problem of the operation any more.
  }
  return std::nullopt;
}

}  // namespace

std::string finite_neighbours_in_words(const Trial& trial, const Problem& problem) {
  Problem finite = problem;
  std::vector<std::string> changed, cured;
  for (std::size_t t = 0; t < problem.inputs.size(); ++t) {
    if (!make_finite(finite.inputs[t])) continue;
    changed.push_back(problem.inputs[t].name);
    Problem one = problem;
    one.inputs[t] = finite.inputs[t];
    if (is_right(trial, one).value_or(false)) cured.push_back(problem.inputs[t].name);
  }
  if (changed.empty()) return "";
  const auto right = is_right(trial, finite);
  if (!right) return "";
  const auto names = fmt::format("{}", fmt::join(changed, " and "));
  if (!*right) {
    return fmt::format(
        "The failing case stays wrong if 1 replaces every infinity and NaN of {}. The fault does not need "
        "them.",
        names);
  }
  std::string text = fmt::format(
      "The failing case is right if 1 replaces every infinity and NaN of {}. Only these values show the "
      "fault.",
      names);
  if (changed.size() > 1 && !cured.empty())
    text += fmt::format(" It is enough to replace those of {}.", fmt::join(cured, " or of "));
  return text;
}

}  // namespace assay::properties
