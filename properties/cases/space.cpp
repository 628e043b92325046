#include "properties/cases/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "properties/cases/draw.hpp"
#include "properties/cases/semantics.hpp"

namespace assay::properties {

/// Random words one after the other, for decisions that depend on earlier ones.
class Stream {
 public:
  explicit Stream(std::uint64_t key) : draw_(key, "case") {}
  std::uint32_t next() { return draw_.words(index_++)[0]; }
  std::uint64_t next64() { return std::uint64_t{next()} << 32 | next(); }
  std::uint32_t below(std::size_t count) {
    return properties::below(static_cast<std::uint32_t>(count), next());
  }

 private:
  Draw draw_;
  std::uint64_t index_ = 0;
};

namespace {

/// Below this K a half accumulator has K u < 1/4, so that its error bound says something.
constexpr std::int64_t kLargestHalfSum = 511;

constexpr std::size_t kSimplestChoices = 4;

/// No dimension may be asked to be larger, so that products of one with a budget fit.
constexpr std::int64_t kLargestSize = std::int64_t{1} << 31;

/// Rounded down; value at least 1.
int log2_of(std::int64_t value) { return 63 - std::countl_zero(static_cast<std::uint64_t>(value)); }

/// About evenly over powers of two.
std::int64_t between_log(std::int64_t low, std::int64_t high, Stream& stream) {
  const auto octaves = static_cast<unsigned>(log2_of(high / low)) + 1;
  const std::int64_t from = std::min(low << stream.below(octaves), high);
  return between(from, std::min(2 * from - 1, high), stream.next());
}

}  // namespace

bool CaseSpace::Range::admits(std::int64_t value) const {
  const bool listed = one_of.empty() || std::find(one_of.begin(), one_of.end(), value) != one_of.end();
  return listed && value >= low && value <= high && value % multiple == 0;
}

std::int64_t CaseSpace::Range::nearest(std::int64_t value) const {
  if (one_of.empty()) return std::clamp((value + multiple - 1) / multiple * multiple, low, high);
  const auto above = std::lower_bound(one_of.begin(), one_of.end(), value);
  return above == one_of.end() ? one_of.back() : *above;
}

CaseSpace::CaseSpace(OperationDeclaration declaration, KernelTraits traits, Budget budget)
    : declaration_(std::move(declaration)), traits_(std::move(traits)), budget_(budget) {
  check_requirements(declaration_, traits_);
  for (const Dimension& one : declaration_.dimensions) ranges_.push_back(range_of(one));
  for (std::size_t i = 0; i < declaration_.regimes.size(); ++i) {
    const bool half_sums = has_half_sums(declaration_, traits_.arithmetic);
    const Regime& regime = declaration_.regimes[i];
    if (!regime.needs.empty() && !traits_.has(regime.needs)) continue;
    if (!half_sums || regime.half_sums_safe) regimes_.push_back(i);
  }
}

CaseSpace::Range CaseSpace::range_of(const Dimension& dimension) const {
  const auto found = traits_.requirements.find(dimension.name);
  const Requirement asked = found == traits_.requirements.end() ? Requirement{} : found->second;
  Range range;
  range.multiple = std::lcm(dimension.multiple, std::max<std::int64_t>(1, asked.multiple));
  range.low = std::max<std::int64_t>(dimension.least, asked.min.value_or(1));
  range.low = (range.low + range.multiple - 1) / range.multiple * range.multiple;
  std::int64_t high = dimension.largest;
  if (dimension.is_choice()) high = *std::max_element(dimension.choices.begin(), dimension.choices.end());
  if (dimension.tile != nullptr) high = std::max(high, 2 * traits_.tile.*dimension.tile + 1);
  for (const std::int64_t value : asked.one_of) high = std::max(high, value);
  if (dimension.reduced && traits_.arithmetic.accumulate == Precision::half_precision) {
    high = std::min(high, kLargestHalfSum);
  }
  high = asked.max ? std::min(high, *asked.max) : std::max(high, range.low);
  range.high = high / range.multiple * range.multiple;
  range.longest = asked.max.value_or(kLargestSize);
  if (dimension.reduced && traits_.arithmetic.accumulate == Precision::half_precision) {
    range.longest = std::min(range.longest, kLargestHalfSum);
  }
  std::vector<std::int64_t> listed = asked.one_of;
  std::sort(listed.begin(), listed.end());
  std::erase_if(listed, [&](std::int64_t value) { return !range.admits(value); });
  range.one_of = listed;
  if (!listed.empty()) {
    range.low = listed.front();
    range.high = listed.back();
  }
  const bool none_listed = !asked.one_of.empty() && listed.empty();
  if (none_listed || range.high < range.low || range.low > kLargestSize ||
      edges_within(range, dimension, {}).empty()) {
    throw std::invalid_argument(
        fmt::format("requires: no value of {} is left to draw: {}", dimension.name, asked.describe()));
  }
  return range;
}

std::vector<std::int64_t> CaseSpace::edges(const Dimension& dimension, const Dims& dims) const {
  const auto index = static_cast<std::size_t>(&dimension - declaration_.dimensions.data());
  std::vector<std::int64_t> related;
  for (const std::string& name : dimension.related) related.push_back(dim(dims, name));
  std::vector<std::int64_t> found = edges_within(ranges_[index], dimension, related);
  if (dimension.at_most) {
    const std::int64_t most = dimension.at_most(dims);
    std::erase_if(found, [&](std::int64_t value) { return value > most; });
    if (found.empty()) {
      throw std::invalid_argument(
          fmt::format("requires: no value of {} is left to draw: must be at most {}", dimension.name, most));
    }
  }
  return found;
}

std::vector<std::int64_t> CaseSpace::edges_within(const Range& range, const Dimension& dimension,
                                                  const std::vector<std::int64_t>& related) const {
  std::vector<std::int64_t> found;
  const auto add = [&](std::int64_t value) {
    value = range.nearest(value);
    if (std::find(found.begin(), found.end(), value) == found.end()) found.push_back(value);
  };
  if (dimension.is_choice()) {
    for (const std::int64_t choice : dimension.choices) {
      if (range.admits(choice)) found.push_back(choice);
    }
    if (found.empty() && !dimension.closed) {  // legal, though not drawn where nothing asks for it
      found = range.one_of.empty() ? std::vector{range.low} : range.one_of;
    }
    return found;
  }
  const std::int64_t tile = dimension.tile == nullptr ? 0 : traits_.tile.*dimension.tile;
  add(1);
  for (const std::int64_t landmark : dimension.landmarks) add(landmark);
  if (dimension.meets_threads && traits_.threads > 1) {
    for (const std::int64_t edge :
         {traits_.threads - 1, traits_.threads, traits_.threads + 1, 2 * traits_.threads + 1})
      add(edge);
  }
  for (const std::int64_t landmark : {tile, std::int64_t{8}}) {
    if (landmark < 2) continue;
    add(landmark - 1);
    add(landmark);
    add(landmark + 1);
    add(2 * landmark + 1);
  }
  for (const std::int64_t value : related) {
    for (const std::int64_t edge : {value - 1, value, value + 1, 2 * value, 2 * value + 1}) add(edge);
  }
  add(2 * tile);
  add(3 * tile - 1);
  return found;
}

Case CaseSpace::draw(std::uint64_t key, int size) const {
  Stream stream(key);
  Case test_case;
  test_case.operation = declaration_.name;
  draw_choices(test_case, stream);
  const bool far = size >= kFirstFarSize && (size - kFirstFarSize) % kFarSizeStep == 0 &&
                   draw_far(test_case, static_cast<std::size_t>((size - kFirstFarSize) / kFarSizeStep));
  if (!far) draw_sizes(test_case, stream, std::max(size, 0));
  draw_regime(test_case, stream, far);
  test_case.seed = stream.next();  // 32 bits are plenty and print shorter
  return test_case;
}

Case CaseSpace::draw(std::uint64_t key, const Dims& dims) const {
  Stream stream(key);
  Case test_case;
  test_case.operation = declaration_.name;
  test_case.dims = dims;
  draw_regime(test_case, stream, false);
  test_case.seed = stream.next();
  return test_case;
}

std::vector<const Regime*> CaseSpace::regimes() const {
  std::vector<const Regime*> asked;
  for (const std::size_t i : regimes_) asked.push_back(&declaration_.regimes[i]);
  return asked;
}

Case CaseSpace::nearest(const Dims& wanted) const {
  Case test_case;
  test_case.operation = declaration_.name;
  for (std::size_t i = 0; i < declaration_.dimensions.size(); ++i) {
    const Dimension& one = declaration_.dimensions[i];
    const auto found = wanted.find(one.name);
    std::int64_t value = found == wanted.end() ? ranges_[i].low : ranges_[i].nearest(found->second);
    if (one.is_choice()) {
      const auto choices = edges(one, test_case.dims);
      value = choices.front();
      for (const std::int64_t choice : choices) {
        if (found != wanted.end() && std::abs(choice - found->second) < std::abs(value - found->second))
          value = choice;
      }
    }
    test_case.dims[one.name] = value;
  }
  const Regime& regime = declaration_.regimes.at(regimes_.front());
  test_case.regime = regime.name;
  for (const Knob& knob : regime.knobs) test_case.knobs[knob.name] = 0;
  return test_case;
}

std::optional<Case> CaseSpace::at(const Dims& wanted) const {
  Case test_case = nearest(wanted);
  for (std::size_t i = 0; i < declaration_.dimensions.size(); ++i) {
    const Dimension& one = declaration_.dimensions[i];
    const auto found = wanted.find(one.name);
    if (found == wanted.end()) continue;
    const Range& range = ranges_[i];
    const std::int64_t value = found->second;
    const bool listed = range.one_of.empty() ||
                        std::find(range.one_of.begin(), range.one_of.end(), value) != range.one_of.end();
    if (!listed || value < range.low || value > range.longest || value % range.multiple != 0)
      return std::nullopt;
    test_case.dims[one.name] = value;
  }
  try {
    check_dims(declaration_, test_case.dims);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  set_regime(test_case, "exact");
  return test_case;
}

bool CaseSpace::asks(std::string_view name) const {
  return std::any_of(regimes_.begin(), regimes_.end(),
                     [&](std::size_t i) { return declaration_.regimes[i].name == name; });
}

void CaseSpace::set_regime(Case& test_case, std::string_view name) const {
  for (const std::size_t i : regimes_) {
    const Regime& regime = declaration_.regimes[i];
    if (regime.name != name) continue;
    test_case.regime = regime.name;
    test_case.knobs.clear();
    for (const Knob& knob : regime.knobs) test_case.knobs[knob.name] = 0;
  }
}

void CaseSpace::set_telling(Case& test_case) const {
  set_regime(test_case, "exact");
  for (const Regime& regime : declaration_.regimes) {
    if (regime.name != test_case.regime) continue;
    for (const Knob& knob : regime.knobs)
      test_case.knobs[knob.name] = knob.largest(test_case.dims, traits_.arithmetic);
  }
}

double CaseSpace::work_of(const Dims& dims) const {
  double sizes = 1, tiles = 1, elements = 0;
  for (const Dimension& one : declaration_.dimensions) {
    if (one.cuts_sums) tiles *= static_cast<double>(dim(dims, one.name));
    if (one.is_choice()) continue;
    const std::int64_t size = dim(dims, one.name);
    const std::int64_t tile = one.tile == nullptr ? 1 : std::max<std::int64_t>(traits_.tile.*one.tile, 1);
    sizes *= static_cast<double>(size);
    const std::int64_t whole = (size + tile - 1) / tile * tile;
    tiles *= static_cast<double>(whole);
  }
  if (sizes > static_cast<double>(budget_.longest)) return 0;
  Dims all = dims;
  for (const Count& one : declaration_.counts) all[one.name] = 1;  // until the values are there
  for (const TensorSpec& spec : declaration_.tensors) {
    double own = 1;
    for (const std::size_t side : spec.shape(all)) own *= static_cast<double>(side);
    elements += own;
  }
  constexpr double kEachElement = 256;  // is drawn, sent, read back and compared
  return tiles + kEachElement * elements;
}

std::int64_t CaseSpace::largest(const std::string& dimension) const {
  for (std::size_t i = 0; i < declaration_.dimensions.size(); ++i) {
    if (declaration_.dimensions[i].name == dimension) return ranges_[i].longest;
  }
  throw std::invalid_argument(dimension + ": no dimension of " + declaration_.name);
}

void CaseSpace::draw_choices(Case& test_case, Stream& stream) const {
  for (const Dimension& one : declaration_.dimensions) {
    if (!one.is_choice()) continue;
    const auto choices = edges(one, test_case.dims);
    // Half of them among the simplest few: small groups are those that K crosses.
    const std::size_t few =
        stream.below(2) == 0 ? std::min(choices.size(), kSimplestChoices) : choices.size();
    test_case.dims[one.name] = choices[stream.below(few)];
  }
}

// Shapes in which nothing is ragged: whole tiles along every size, and along a reduced one whole groups too.
// A kernel that has a way of its own for them takes it here. False, and nothing changed, where none fits.
bool CaseSpace::draw_whole_tiles(Case& test_case, Stream& stream) const {
  Dims dims = test_case.dims;
  std::int64_t left = budget_.largest;
  for (std::size_t i = 0; i < declaration_.dimensions.size(); ++i) {
    const Dimension& one = declaration_.dimensions[i];
    if (one.is_choice()) continue;
    std::int64_t step = one.tile == nullptr ? 0 : traits_.tile.*one.tile;
    for (const std::string& name : one.related)
      step = std::lcm(std::max<std::int64_t>(step, 1), dim(dims, name));
    if (step < 1) return false;
    const std::int64_t most = std::min<std::int64_t>(one.reduced ? 6 : 3, left / step);
    if (most < 1) return false;
    const std::int64_t value =
        step * (1 + static_cast<std::int64_t>(stream.below(static_cast<std::size_t>(most))));
    if (!ranges_[i].admits(value)) return false;
    dims[one.name] = value;
    left /= value;
  }
  test_case.dims = dims;
  return true;
}

void CaseSpace::draw_sizes(Case& test_case, Stream& stream, int size) const {
  std::vector<std::size_t> order;
  std::int64_t least = 1;  // product of the smallest sizes
  for (std::size_t i = 0; i < declaration_.dimensions.size(); ++i) {
    if (declaration_.dimensions[i].is_choice()) continue;
    order.push_back(i);
    test_case.dims[declaration_.dimensions[i].name] = ranges_[i].low;
    least = std::min(least * std::min(ranges_[i].low, budget_.largest), budget_.largest);
  }
  std::size_t ladder = 0;  // how many sizes walk the edges together
  for (const std::size_t i : order)
    ladder = std::max(ladder, edges(declaration_.dimensions[i], test_case.dims).size());
  const bool walking = static_cast<std::size_t>(size) < ladder;
  if (!walking && stream.below(6) == 0 && draw_whole_tiles(test_case, stream)) return;
  std::int64_t target = budget_.largest;
  if (!walking) {
    const int low = log2_of(budget_.least);
    const int high = log2_of(budget_.largest);
    const int top = low + (high - low) * std::min(size, kNominalSize) / kNominalSize;
    target = std::int64_t{1} << between(low, top, stream.next());
  }
  std::int64_t left = target / least;  // for the sizes not yet drawn, in multiples of their smallest
  // The first to be drawn may use up the budget, so each gets its turn at being large.
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[stream.below(i)]);
  for (const std::size_t i : order) {
    const Range& range = ranges_[i];
    const Dimension& dimension = declaration_.dimensions[i];
    const std::int64_t limit = std::clamp(range.low * std::max<std::int64_t>(left, 1), range.low, range.high);
    std::vector<std::int64_t> usable = edges(dimension, test_case.dims);
    const auto step = static_cast<std::size_t>(size);
    const bool aligned = walking && step < usable.size() && usable[step] <= limit;
    const std::int64_t wanted = aligned ? usable[step] : 0;
    std::erase_if(usable, [&](std::int64_t edge) { return edge > limit; });
    std::int64_t value = usable[stream.below(usable.size())];
    if (aligned) {
      value = wanted;
    } else if (!walking && stream.below(4) == 0) {
      const std::int64_t middle = between_log(range.low, limit, stream) / range.multiple * range.multiple;
      if (range.admits(middle)) value = middle;
    }
    test_case.dims[dimension.name] = value;
    left /= std::max<std::int64_t>(1, value / range.low);
  }
}

// Among far cases, of which there is one of each kind, values that show any wrong place where there are such.
void CaseSpace::draw_regime(Case& test_case, Stream& stream, bool far) const {
  std::uint32_t total = 0;
  for (const std::size_t i : regimes_) total += declaration_.regimes[i].weight;
  std::uint32_t chosen = stream.below(total);
  if (far) {
    for (std::uint32_t before = 0; const std::size_t i : regimes_) {
      if (declaration_.regimes[i].name == "exact") chosen = before;
      before += declaration_.regimes[i].weight;
    }
  }
  for (const std::size_t i : regimes_) {
    const Regime& regime = declaration_.regimes[i];
    if (chosen >= regime.weight) {
      chosen -= regime.weight;
      continue;
    }
    test_case.regime = regime.name;
    for (const Knob& knob : regime.knobs) {
      test_case.knobs[knob.name] =
          between(0, knob.largest(test_case.dims, traits_.arithmetic), stream.next());
    }
    return;
  }
}

}  // namespace assay::properties
