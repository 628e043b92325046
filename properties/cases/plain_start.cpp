#include "properties/cases/plain_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "properties/cases/meetings.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/special_values.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

/// More than a kernel would look at: a simdgroup's lanes, two elements each.
constexpr std::size_t kPlain = 64;

/// How many starts from `first` on are of different tensors.
std::int64_t side_by_side(const std::vector<PlainStart>& starts, std::int64_t first) {
  std::set<std::string> tensors;
  for (auto i = static_cast<std::size_t>(first); i < starts.size(); ++i) {
    if (!tensors.insert(starts[i].tensor).second) break;
  }
  return std::ssize(tensors);
}

void start(double value, Tensor& tensor) {
  const std::size_t count = std::min(kPlain, tensor.element_count());
  switch (tensor.dtype) {
    case DType::f16:
      std::fill_n(tensor.as<std::uint16_t>().begin(), count, reference::half_from_double(value));
      break;
    case DType::f32:
      std::fill_n(tensor.as<float>().begin(), count, static_cast<float>(value));
      break;
    default:
      std::fill_n(tensor.as<std::uint32_t>().begin(), count, static_cast<std::uint32_t>(value));
  }
}

}  // namespace

void declare_plain_starts(const std::vector<PlainStart>& starts, OperationDeclaration& declared,
                          std::function<std::vector<Dims>(const Tile&)> sizes) {
  std::vector<std::string> words;
  for (const PlainStart& one : starts) {
    const bool packed = is_integer(find_named(declared.tensors, one.tensor)->dtype);
    words.push_back(packed ? fmt::format("{}: words of {:#x} at the start", one.tensor,
                                         static_cast<std::uint32_t>(one.value))
                           : fmt::format("{}: {} at the start", one.tensor, one.value));
  }
  const std::int64_t last = std::ssize(words) - 1;
  declared.plain_starts = starts;
  declared.planned.push_back(
      {.regime = {.name = kPlainStart,
                  .about = "inputs that begin with one plain value, random ones after it",
                  .knobs = {{"start", [last](const Dims&, const Arithmetic&) { return last; }, words}}},
       .sizes = std::move(sizes),
       .at_once = [starts](const Dims&, std::int64_t first) { return side_by_side(starts, first); }});
}

std::vector<PlainStart> trellis_plain_starts(const std::string& prefix) {
  return {{prefix + "su", 1}, {prefix + "sv", 1}, {prefix + "scales", 1}};
}

std::vector<Dims> past_plain_starts(const Tile&) {
  return {{{"batch", 3},
           {"M", 9},
           {"N", 160},
           {"K", 160},
           {"group_size", 16},
           {"parallel", 3},
           {"threadgroups", 2}}};
}

Case surrounding(const Case& test_case) {
  Case around = test_case;
  if (test_case.regime == kPlainStart) {
    around.regime = "random";
    around.knobs.clear();
  }
  if (test_case.regime == kMeetings) {
    around.regime = kPlanted;
    around.knobs.clear();
  }
  return around;
}

void start_plainly(const OperationDeclaration& declaration, const Case& test_case, Problem& filled) {
  if (test_case.regime != kPlainStart) return;
  const auto& starts = declaration.plain_starts;
  const std::int64_t first = std::clamp<std::int64_t>(knob_of(test_case, "start"), 0, std::ssize(starts) - 1);
  for (std::int64_t i = first; i < first + side_by_side(starts, first); ++i) {
    const PlainStart& one = starts[static_cast<std::size_t>(i)];
    start(one.value, input(filled, one.tensor));
  }
}

}  // namespace assay::properties
