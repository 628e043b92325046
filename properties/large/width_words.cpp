#include "properties/large/width_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <utility>

#include "harness/device/grouped.hpp"
#include "harness/verify/numbers.hpp"
#include "properties/large/share.hpp"

namespace assay::properties {
namespace {

constexpr int kLeastWidth = 7;

/// The width that all wrong offsets have reached and no right one has.
std::optional<int> width_between(const std::vector<char>& wrong, const Offset& offset, std::uint64_t scale) {
  std::uint64_t right_last = 0, wrong_first = ~std::uint64_t{0};
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const std::uint64_t at = offset.of[i] * scale;
    if (wrong[i] != 0) {
      wrong_first = std::min(wrong_first, at);
    } else {
      right_last = std::max(right_last, at);
    }
  }
  if (wrong_first <= right_last) return std::nullopt;
  const int width = static_cast<int>(std::bit_width(wrong_first)) - 1;  // the highest that it has reached
  return width >= kLeastWidth && right_last < std::uint64_t{1} << width ? std::optional(width) : std::nullopt;
}

}  // namespace

std::string what_large_cases_lack(const KernelEntry& entry, const Operation& operation) {
  const OperationDeclaration& declaration = operation.declaration();
  const Dims small = operation.cases(traits_of(entry)).nearest({}).dims;
  if (operation.can_repeat() && Share::of(entry, operation, small)) return "";
  for (const TensorSpec& tensor : declaration.tensors) {
    if (tensor.role == Role::in_out) return tensor.name + " is given and changed";
  }
  bool any_repeats = false;
  for (const Dimension& one : declaration.dimensions) {
    if (one.is_choice()) continue;
    any_repeats |= one.repeats;
    Dims long_one = small;
    long_one[one.name] = 4096 * one.multiple;
    if (threadgroups_at(entry, operation, long_one) == threadgroups_at(entry, operation, small)) continue;
    if (!one.reorders) {
      return fmt::format(
          "the grid cuts {0}; if inputs that are reordered along {0} give outputs that are reordered, say "
          "`independent = true` of dimension {0}",
          one.name);
    }
    if (!one.repeats)
      return fmt::format("{} is not by itself the outermost axis of each input that has it", one.name);
  }
  if (!any_repeats)
    return "no dimension is `independent` and the outermost axis of each input that has it; say "
           "`independent = true` of one along which inputs can be reordered";
  return "the grid does not say which threadgroup stores what; write each side as ceil(D / step) of one "
         "dimension";
}

std::string widths_in_words(const std::vector<char>& wrong, const std::vector<Offset>& offsets,
                            const std::string& first) {
  const auto count = static_cast<std::size_t>(std::count(wrong.begin(), wrong.end(), 1));
  const auto all = wrong.size();
  std::vector<std::string> widths;
  for (const Offset& offset : offsets) {
    for (const bool bytes : {false, true}) {
      if (count == 0 || count == all || (bytes && offset.element_bytes == 0)) continue;
      const auto width = width_between(wrong, offset, bytes ? offset.element_bytes : 1);
      if (!width) continue;
      widths.push_back(fmt::format("{} below 2^{}{}", offset.words, *width, bytes ? " bytes" : ""));
      break;
    }
  }
  if (!widths.empty()) {
    return fmt::format(
        "in the sample, every element with {}{} is right ({}), and all others are wrong ({}); "
        "the first wrong one is {}",
        fmt::join(widths, ", or with "), widths.size() > 1 ? "," : "",
        device::counted(all - count, "element"), grouped(count), first);
  }
  return fmt::format(
      "in the sample, {} of {} elements are wrong, and no power of two separates their rows, columns or "
      "offsets from those of the right ones; the first is {}",
      grouped(count), grouped(all), first);
}

std::string widths_of(const Comparison& comparison, const RightParts& right, const Problem& problem) {
  const std::size_t columns = std::max<std::size_t>(comparison.matrix().columns, 1);
  const std::vector<Right>& elements = right.outputs().at(comparison.tensor).elements;
  std::set<std::size_t> wrong_elements;
  for (const WrongElement& one : comparison.wrong) wrong_elements.insert(one.index);
  std::vector<char> wrong;
  wrong.reserve(elements.size());
  for (const Right& one : elements) wrong.push_back(wrong_elements.contains(one.element) ? 1 : 0);
  std::vector<Offset> offsets = {{"column", {}, 0}, {"row", {}, 0}};
  offsets.push_back({"offset of " + comparison.tensor, {}, assay::size_of(comparison.dtype)});
  for (const Right& one : elements) {
    offsets[0].of.push_back(one.element % columns);
    offsets[1].of.push_back(one.element / columns);
    offsets[2].of.push_back(one.element);
  }
  for (const Tensor& input : problem.inputs) {
    Offset offset{"offset of " + input.name, {}, assay::size_of(input.dtype)};
    for (const Right& one : elements) {
      const auto& taken_of = right.taken_by_part().at(one.part);
      const auto taken = taken_of.find(input.name);
      offset.of.push_back(taken == taken_of.end() ? 0 : taken->second.last);
    }
    offsets.push_back(std::move(offset));
  }
  const WrongElement& first = comparison.wrong.front();
  return widths_in_words(wrong, offsets,
                         fmt::format("{}[{},{}]", comparison.tensor, first.row, first.column));
}

}  // namespace assay::properties
