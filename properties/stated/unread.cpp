#include "properties/stated/unread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <exception>
#include <limits>
#include <optional>

#include "properties/cases/planted.hpp"
#include "properties/stated/patterns.hpp"

namespace assay::properties {
namespace {

/// Tries for one input: enough to look at each element of a small one with three axes.
constexpr std::size_t kMostTries = 192;
/// Fewer where an answer takes long, by the elements of all inputs.
constexpr std::size_t kLeastTries = 24, kElementsAndTries = std::size_t{1} << 14;

/// A size of the small cases: sums, masks and lengths differ there, and each element can be tried.
constexpr std::int64_t kFew = 4;

constexpr double kUp = std::numeric_limits<double>::infinity();
/// NaN last: it stays. A maximum may pass over it, and not over the others.
constexpr std::array kProbes = {kUp, -kUp, 0x1p15, std::numeric_limits<double>::quiet_NaN()};

bool may_hold_nan(const StatedTensor& tensor) {
  return tensor.access != StatedTensor::Access::out && !is_integer(tensor.dtype) &&
         tensor.values.kind == StatedValues::Kind::normal && !says_never(tensor, "NaN");
}

std::vector<const StatedTensor*> tensors_of(const StatedOperation& stated) {
  std::vector<const StatedTensor*> found;
  for (const StatedTensor& tensor : stated.tensors) {
    if (may_hold_nan(tensor)) found.push_back(&tensor);
  }
  return found;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

bool same(const std::vector<Expectation>& a, const std::vector<Expectation>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expectation& x, const Expectation& y) {
    return same(x.value, y.value) && same(x.low, y.low) && same(x.high, y.high);
  });
}

}  // namespace

void declare_unread(const StatedOperation& stated, OperationDeclaration& declared) {
  const auto tensors = tensors_of(stated);
  if (tensors.empty() || !stated.has_answers()) return;
  PlannedRegime planned;
  planned.regime = {.name = kUnread,
                    .about = "NaN in what no answer depends on",
                    .knobs = {{.name = "tensor", .largest = nullptr}}};
  Knob& knob = planned.regime.knobs.front();
  for (const StatedTensor* tensor : tensors) {
    knob.names.push_back(fmt::format("{}: NaN where no answer depends on it", tensor->name));
    knob.never.emplace_back("NaN");
  }
  knob.largest = [last = std::ssize(tensors) - 1](const Dims&, const Arithmetic&) { return last; };
  planned.sizes = [dimensions = declared.dimensions](const Tile& tile) {
    return std::vector{small_dims(dimensions, kFew), ragged_and_whole(dimensions, tile).front()};
  };
  planned.lent = false;
  declared.planned.push_back(std::move(planned));
}

void spoil_unread(const StatedOperation& stated, std::int64_t knob, Problem& filled,
                  const std::function<std::vector<Expectation>(const Problem&)>& expect) {
  const auto tensors = tensors_of(stated);
  if (knob < 0 || knob >= std::ssize(tensors)) return;
  const auto input = std::find_if(filled.inputs.begin(), filled.inputs.end(), [&](const Tensor& one) {
    return one.name == tensors[static_cast<std::size_t>(knob)]->name;
  });
  if (input == filled.inputs.end()) return;
  const auto answers = [&]() -> std::optional<std::vector<Expectation>> {
    try {
      return expect(filled);
    } catch (const std::exception&) {
      return std::nullopt;
    }
  };
  const auto right = answers();
  if (!right) return;
  std::size_t elements = 1, tries = 0;
  for (const Tensor& one : filled.inputs) elements += one.element_count();
  const std::size_t most = std::clamp(kElementsAndTries / elements, kLeastTries, kMostTries);
  // Of the outermost axis each index, then of each such part those of the next: what is unread lies together.
  struct Stretch {
    std::size_t begin, end, axis;
  };
  std::deque<Stretch> parts = {{0, input->element_count(), 0}};
  while (!parts.empty() && tries < most) {
    const auto [begin, end, axis] = parts.front();
    parts.pop_front();
    const auto kept = input->data;
    bool read = false;
    for (const double probe : kProbes) {
      for (std::size_t i = begin; i < end; ++i) put_value(probe, *input, i);
      ++tries;
      const auto got = answers();
      read = !got || !same(*got, *right);
      if (read) break;
    }
    if (!read) continue;
    input->data = kept;
    if (axis == input->shape.size()) continue;
    const std::size_t each = (end - begin) / input->shape[axis];
    for (std::size_t at = begin; at < end; at += each) parts.push_back({at, at + each, axis + 1});
  }
}

}  // namespace assay::properties
