#include "properties/stated/patterns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "properties/cases/planted.hpp"
#include "properties/stated/drawing.hpp"

namespace assay::properties {
namespace {

using Kind = StatedValues::Kind;

/// A size that is long beside a few others: more than two threadgroups of 1,024 threads go through at once.
constexpr std::int64_t kLongSize = 2053, kFewBeside = 3;

struct PatternRow {
  Pattern pattern;
  std::string_view words;
  std::string_view never;  ///< of kNever: the word that leaves it out
};

constexpr std::array<PatternRow, 25> kPatternRows = {{
    {Pattern::equal, "one value everywhere", "equal"},
    {Pattern::least, "the least value everywhere", "extremes"},
    {Pattern::largest, "the largest value everywhere", "extremes"},
    {Pattern::extremes, "the least and the largest value", "extremes"},
    {Pattern::few, "two values", "few"},
    {Pattern::in_turn, "two values in turn", "few"},
    {Pattern::runs, "long runs", "runs"},
    {Pattern::ones, "a beginning of ones", "beginning"},
    {Pattern::zeros, "a beginning of zeros", "beginning"},
    {Pattern::signs, "zeros of both signs", "-0"},
    {Pattern::outliers, "a few values far larger than others", "outliers"},
    {Pattern::strided, "the largest as far apart as threads", "outliers"},
    {Pattern::steps, "a step behind a short beginning", "outliers"},
    {Pattern::terms, "one value, and many next to nothing beside it", "outliers"},
    {Pattern::magnitudes, "magnitudes of the whole range", "magnitudes"},
    {Pattern::subnormal, "subnormal numbers", "subnormal"},
    {Pattern::opposed_1, "far from 0", "outliers"},
    {Pattern::opposed_2, "far from 0", "outliers"},
    {Pattern::opposed_4, "far from 0", "outliers"},
    {Pattern::last, "the last index everywhere", "extremes"},
    {Pattern::ends, "large values at the ends", "ends"},
    {Pattern::behind, "infinity before the last tile", "infinity"},
    {Pattern::infinite, "rows that are infinite", "infinity"},
    {Pattern::squares, "values whose squares overflow or are 0", "magnitudes"},
    {Pattern::beside, "what lies beside the ends and about the sign bit", "extremes"},
}};

bool is_given(const StatedTensor& tensor) { return tensor.access != StatedTensor::Access::out; }

bool holds_both_signs(const StatedValues& values) {
  return values.kind == Kind::normal || values.kind == Kind::integers || values.kind == Kind::bits ||
         (values.kind == Kind::range && values.low < 0 && values.high > 0);
}

bool is_whole_of_any_bits(const StatedTensor& tensor) {
  return tensor.values.kind == Kind::bits && is_integer(tensor.dtype);
}

/// Which bit of an input's number says that it lies below 0; 0 for other patterns.
unsigned bit_of(Pattern pattern) {
  return pattern == Pattern::opposed_1   ? 1
         : pattern == Pattern::opposed_2 ? 2
         : pattern == Pattern::opposed_4 ? 4
                                         : 0;
}

/// Whether it may have more than one element.
bool is_vector(const StatedTensor& tensor) {
  return std::any_of(tensor.shape.begin(), tensor.shape.end(),
                     [](const Expression& axis) { return axis.text() != "1"; });
}

bool has_values_for(const StatedTensor& tensor, Pattern pattern) {
  const StatedValues& values = tensor.values;
  const bool free = values.kind == Kind::normal || values.kind == Kind::positive;
  switch (pattern) {
    case Pattern::signs:
      return !is_integer(tensor.dtype) && holds_both_signs(values);
    case Pattern::outliers:
    case Pattern::magnitudes:
      return free;
    case Pattern::strided:
    case Pattern::steps:
    case Pattern::terms:
      return values.kind == Kind::normal && is_vector(tensor);
    case Pattern::squares:  // the others hold such halves
      return free && tensor.dtype != DType::f16;
    case Pattern::subnormal:
      return free || (!is_integer(tensor.dtype) && values.kind == Kind::bits);
    case Pattern::opposed_1:
    case Pattern::opposed_2:
    case Pattern::opposed_4:
      return values.kind == Kind::normal;
    case Pattern::beside:
      return is_whole_of_any_bits(tensor);
    case Pattern::last:
      return values.kind == Kind::below;
    case Pattern::behind:
    case Pattern::infinite:
      return values.kind == Kind::normal && is_vector(tensor);
    default:
      return values.kind != Kind::constant && values.kind != Kind::unit;
  }
}

/// Of tiles of up to 64 it leaves a few in the last, where it need not be shorter than such.
std::int64_t long_size(const Dimension& one) {
  constexpr std::int64_t kTile = 64, kRest = kLongSize % kTile;
  if (one.largest >= kLongSize || one.largest < kTile + kRest) return kLongSize;
  return (one.largest - kRest) / kTile * kTile + kRest;
}

std::vector<Dims> pattern_sizes(const std::vector<Dimension>& dimensions, const Tile& tile) {
  std::vector<Dims> sizes = {ragged_and_whole(dimensions, tile).front()};
  for (const Dimension& one : dimensions) {
    if (one.is_choice()) continue;
    Dims& dims = sizes.emplace_back();
    for (const Dimension& other : dimensions) {
      dims[other.name] = other.is_choice() ? other.choices.back()
                         : &other == &one  ? long_size(one)
                                           : kFewBeside;
    }
  }
  return sizes;
}

/// "q, v: all far below 0; k: all far above"
std::string words_of_sides(const StatedOperation& stated, Pattern pattern) {
  std::vector<std::string_view> below, above;
  for (const StatedTensor& tensor : stated.tensors) {
    if (takes(tensor, pattern)) (is_below(stated, tensor, pattern) ? below : above).push_back(tensor.name);
  }
  std::string words = fmt::format("{}: all far below 0", fmt::join(below, ", "));
  if (!above.empty()) words += fmt::format("; {}: all far above", fmt::join(above, ", "));
  return words;
}

PlannedRegime planned_patterns(const StatedOperation& stated, const std::vector<Pattern>& patterns) {
  PlannedRegime planned;
  planned.regime = {.name = kPatterns,
                    .about = "values that are planned: extremes, one value, long runs, zeros of both signs",
                    .knobs = {{.name = "value", .largest = nullptr}}};
  Knob& knob = planned.regime.knobs.front();
  for (const Pattern pattern : patterns) {
    std::vector<std::string_view> names;
    for (const StatedTensor& tensor : stated.tensors) {
      if (takes(tensor, pattern)) names.push_back(tensor.name);
    }
    const auto row = std::find_if(kPatternRows.begin(), kPatternRows.end(),
                                  [&](const PatternRow& one) { return one.pattern == pattern; });
    knob.names.push_back(bit_of(pattern) != 0 ? words_of_sides(stated, pattern)
                                              : fmt::format("{}: {}", fmt::join(names, ", "), row->words));
    knob.never.emplace_back(row->never);
  }
  const std::int64_t last = std::ssize(patterns) - 1;
  knob.largest = [last](const Dims&, const Arithmetic&) { return last; };
  return planned;
}

/// NaN and infinities at both ends of each axis of what may hold them.
void declare_specials(const StatedOperation& stated, OperationDeclaration& declared) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  bool any = false;
  for (const auto& [value, name, never] : {std::tuple{infinity, "infinity", "infinity"},
                                           {not_a_number, "NaN", "NaN"},
                                           {-infinity, "-infinity", "infinity"}}) {
    for (const StatedTensor& tensor : stated.tensors) {
      if (!is_given(tensor) || is_integer(tensor.dtype) || tensor.values.kind != Kind::normal ||
          says_never(tensor, never))
        continue;
      for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
        const std::string& text = tensor.shape[axis].text();
        if (text == "1" && (is_vector(tensor) || axis > 0)) continue;
        const auto same = std::count_if(tensor.shape.begin(), tensor.shape.end(),
                                        [&](const Expression& other) { return other.text() == text; });
        const std::string place = same > 1 ? fmt::format("axis {}", axis) : text;
        for (const auto& [at, words] :
             {std::pair{PlantedValue::At::last, "end"}, {PlantedValue::At::first, "start"}}) {
          PlantedValue one{.tensor = tensor.name, .value = value};
          one.along = at;
          one.axis = axis;
          add_planted(std::move(one), fmt::format("{}: {} at the {} of {}", tensor.name, name, words, place),
                      declared, never);
          any = true;
        }
      }
    }
  }
  if (!any) return;
  settle_planted(declared, [dimensions = declared.dimensions](const Tile& tile) {
    return std::vector{ragged_and_whole(dimensions, tile).front()};
  });
}

}  // namespace

bool says_never(const StatedTensor& tensor, std::string_view word) {
  return std::find(tensor.never.begin(), tensor.never.end(), word) != tensor.never.end();
}

Dims small_dims(const std::vector<Dimension>& dimensions, std::int64_t size) {
  Dims dims;
  for (const Dimension& one : dimensions) dims[one.name] = one.is_choice() ? one.choices.front() : size;
  return dims;
}

bool takes(const StatedTensor& tensor, Pattern pattern) {
  const auto row = std::find_if(kPatternRows.begin(), kPatternRows.end(),
                                [&](const PatternRow& one) { return one.pattern == pattern; });
  const bool everywhere =
      pattern == Pattern::least || pattern == Pattern::largest || pattern == Pattern::last;
  return is_given(tensor) && has_values_for(tensor, pattern) && !says_never(tensor, row->never) &&
         !(everywhere && says_never(tensor, "equal"));
}

bool is_below(const StatedOperation& stated, const StatedTensor& tensor, Pattern pattern) {
  if (pattern == Pattern::ends) {
    const auto first = std::find_if(stated.tensors.begin(), stated.tensors.end(), [&](const auto& one) {
      return takes(one, pattern) &&
             (one.values.kind == Kind::normal || (is_whole_of_any_bits(one) && is_signed(one.dtype))) &&
             is_vector(one);
    });
    return first != stated.tensors.end() && &*first == &tensor;
  }
  unsigned number = 0;  // from 1 on: none is above 0 in all of the patterns
  for (const StatedTensor& one : stated.tensors) {
    if (takes(one, pattern)) number = number % 7 + 1;
    if (&one == &tensor) break;
  }
  return takes(tensor, pattern) && (number & bit_of(pattern)) != 0;
}

std::vector<Pattern> patterns_of(const StatedOperation& stated) {
  std::vector<Pattern> found;
  for (const PatternRow& row : kPatternRows) {
    if (std::any_of(stated.tensors.begin(), stated.tensors.end(), [&](const StatedTensor& tensor) {
          return bit_of(row.pattern) != 0 ? is_below(stated, tensor, row.pattern)
                                          : takes(tensor, row.pattern);
        }))
      found.push_back(row.pattern);
  }
  return found;
}

namespace {

/// Each two sizes of one tensor, once.
std::vector<std::pair<std::string, std::string>> sizes_multiplied(const StatedOperation& stated) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const StatedTensor& tensor : stated.tensors) {
    std::vector<std::string> sizes;
    for (const StatedDimension& one : stated.dimensions) {
      const bool is_of_it = std::any_of(tensor.shape.begin(), tensor.shape.end(), [&](const auto& axis) {
        const auto& names = axis.names();
        return std::find(names.begin(), names.end(), one.name) != names.end();
      });
      if (is_of_it && one.choices.empty()) sizes.push_back(one.name);
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      for (std::size_t j = i + 1; j < sizes.size(); ++j) {
        const std::pair both(sizes[i], sizes[j]);
        if (std::find(pairs.begin(), pairs.end(), both) == pairs.end()) pairs.push_back(both);
      }
    }
  }
  return pairs;
}

/// The sizes that rows of what takes the pattern are as long as.
std::vector<std::string> last_axes(const StatedOperation& stated, Pattern pattern) {
  std::vector<std::string> sizes;
  for (const StatedTensor& tensor : stated.tensors) {
    if (!takes(tensor, pattern) || tensor.shape.empty()) continue;
    for (const std::string& name : tensor.shape.back().names()) sizes.push_back(name);
  }
  return sizes;
}

}  // namespace

void declare_plans(const StatedOperation& stated, OperationDeclaration& declared) {
  const std::vector<Pattern> patterns = patterns_of(stated);
  declared.lengths.emplace();
  declared.products.emplace().pairs = sizes_multiplied(stated);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const auto value = static_cast<std::int64_t>(i);
    if (patterns[i] == Pattern::ends || patterns[i] == Pattern::equal || patterns[i] == Pattern::steps)
      declared.lengths->push_back({kPatterns, value});
    if (patterns[i] == Pattern::strided)
      declared.lengths->push_back(
          {kPatterns, value, LongValues::At::many_rounds, last_axes(stated, patterns[i])});
    if (patterns[i] == Pattern::terms)
      declared.lengths->push_back(
          {kPatterns, value, LongValues::At::longest, last_axes(stated, patterns[i])});
    if (patterns[i] == Pattern::last) declared.products->values = {kPatterns, static_cast<std::int64_t>(i)};
  }
  if (!patterns.empty()) {
    PlannedRegime planned = planned_patterns(stated, patterns);
    planned.sizes = [dimensions = declared.dimensions](const Tile& tile) {
      return pattern_sizes(dimensions, tile);
    };
    // Few of what is next to nothing come to nothing.
    planned.at_once = [patterns](const Dims&, std::int64_t first) {
      const auto at = static_cast<std::size_t>(first);
      return at < patterns.size() && patterns[at] == Pattern::terms ? std::int64_t{0} : 1;
    };
    declared.planned.push_back(std::move(planned));
  }
  declare_specials(stated, declared);
}

}  // namespace assay::properties
