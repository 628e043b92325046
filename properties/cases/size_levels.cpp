#include "properties/cases/size_levels.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace assay::properties {
namespace {

/// No size is larger, but for landmarks. Classes of numbers of tiles: this many, and more.
constexpr std::int64_t kLongestTiny = 1300, kMostTiles = 10;

/// Landmarks from here on are limits of loops and of special cases rather than sizes of tiles.
constexpr std::int64_t kLongMark = 256;
constexpr double kMostOverLeast = 8;
constexpr int kMostHalved = 24;
/// Moduli of which each residue is a class: pairs of the first ones are never left out. Of others, 0, 1 and
/// -1 are, and what is left.
constexpr std::array<std::int64_t, 4> kSmall = {2, 3, 4, 8};
constexpr std::int64_t kVector = 16;

/// Values of a choice that no list names, each times what it is a multiple of: these are classes of their
/// own, around powers of two, odd ones, and one beyond 8 bits. Others up to 64 are met once.
constexpr std::array<std::int64_t, 21> kOpenChoices = {1,  2,  3,  4,  5,  6,  7,  8,  9,  12, 15,
                                                       16, 17, 20, 24, 31, 32, 33, 40, 65, 257};
constexpr std::int64_t kEachOpenChoice = 64;

/// Numbers classes in the order in which they are met.
class Classes {
 public:
  std::uint64_t of(int kind, std::int64_t modulus, std::int64_t which) {
    const auto [at, added] = numbers_.try_emplace({kind, modulus, which}, numbers_.size());
    return at->second < kMostClasses ? std::uint64_t{1} << at->second : 0;
  }

  std::uint64_t of_choice(std::int64_t value, bool own) {
    return own ? of(2, 0, value) : of(3, 8, value % 8);
  }

 private:
  std::map<std::tuple<int, std::int64_t, std::int64_t>, std::size_t> numbers_;
};

std::uint64_t classes_of_size(std::int64_t value, std::int64_t tile, std::int64_t threads, Classes& classes) {
  std::uint64_t all = 0;
  for (const std::int64_t modulus : kSmall) all |= classes.of(0, modulus, value % modulus);
  all |= classes.of(0, kVector, value % kVector);
  std::set<std::int64_t> long_ones = {32, 64};
  for (const std::int64_t one : {tile, threads})
    if (one > 8 && one != kVector) long_ones.insert(one);
  for (const std::int64_t modulus : long_ones) {
    const std::int64_t residue = value % modulus;
    all |= classes.of(0, modulus, residue <= 1 ? residue : residue == modulus - 1 ? -1 : 2);
  }
  if (tile > 1) all |= classes.of(1, tile, std::min((value + tile - 1) / tile, kMostTiles));
  return all;
}

/// Around each landmark, at the limits of what the kernel takes, and each of a choice that no list names.
std::set<std::int64_t> marks_of(const CaseSpace& space, const KernelTraits& traits,
                                const Dimension& dimension, const std::vector<std::int64_t>& landmarks) {
  std::set<std::int64_t> marks;
  if (dimension.is_choice() && !dimension.closed) {
    for (std::int64_t i = 1; i <= kEachOpenChoice; ++i) marks.insert(i * dimension.multiple);
  }
  for (const auto landmark : landmarks) {
    for (const std::int64_t step : {-1, 0, 1}) marks.insert(landmark + step * dimension.multiple);
    if (landmark < kLongMark) continue;
    // A choice may be several of them; behind one, a size leaves most of what is done in one go.
    if (dimension.is_choice()) marks.insert({3 * landmark, 5 * landmark});
    if (!dimension.is_choice())
      marks.insert((3 * landmark / 2 - 1) / dimension.multiple * dimension.multiple);
  }
  const auto asked = traits.requirements.find(dimension.name);
  if (asked != traits.requirements.end() && (asked->second.min || asked->second.max)) {
    const std::int64_t least = asked->second.min.value_or(1), most = space.largest(dimension.name);
    for (const auto limit : {least, least + dimension.multiple, most - dimension.multiple, most})
      marks.insert(limit);
  }
  return marks;
}

Factor factor_of(const CaseSpace& space, const KernelTraits& traits, const Dimension& dimension,
                 const std::vector<std::int64_t>& landmarks, std::size_t& marked) {
  const std::int64_t tile = dimension.tile == nullptr ? 0 : traits.tile.*dimension.tile;
  Factor factor{&dimension, std::max<std::int64_t>(tile, 1), {}, {}};
  Classes classes;
  std::set<std::int64_t> values;
  if (dimension.is_choice()) {
    const auto smallest = space.nearest({});
    for (const auto value : space.edges(dimension, smallest.dims)) values.insert(value);
    for (const auto value : dimension.choices) values.insert(value);
    for (const auto value : dimension.rare) values.insert(value);
    for (const auto value : kOpenChoices)
      if (!dimension.closed) values.insert(value * dimension.multiple);
  } else {
    const std::int64_t most = std::min(std::max<std::int64_t>(kMostTiles * tile, 320), kLongestTiny);
    for (std::int64_t value = 1; value <= most; ++value) values.insert(value);
  }
  const auto classed = values;  // choices beside them share the classes of their residues
  auto marks = marks_of(space, traits, dimension, landmarks);
  std::erase_if(marks, [&](std::int64_t value) {
    return value < 1 || (dimension.closed && !values.contains(value)) || factor.cost(value) > kMostWork;
  });
  values.insert(marks.begin(), marks.end());
  const std::int64_t largest = space.largest(dimension.name);
  for (const auto value : values) {
    if (value > largest || !space.at({{dimension.name, value}})) continue;
    const std::uint64_t of_value = dimension.is_choice()
                                       ? classes.of_choice(value, classed.contains(value))
                                       : classes_of_size(value, tile, traits.threads, classes);
    Level level{value, of_value, static_cast<unsigned>(value % 4), {}, {}};
    if (!dimension.is_choice()) {
      const std::int64_t tiles = tile > 1 ? std::min(factor.tiles(value), kMostTiles) : 0;
      level.alone = {std::uint64_t{1} << (value % 64), std::uint64_t{1} << tiles};
    }
    for (const std::int64_t modulus : kSmall)
      if (!dimension.is_choice()) factor.small |= classes.of(0, modulus, value % modulus);
    // Few slices, tokens or experts beside few tiles.
    if (dimension.is_choice() && value < kMostTiles) factor.small |= of_value;
    if (!dimension.is_choice() && tile > 1)
      factor.small |= classes.of(1, tile, std::min(factor.tiles(value), kMostTiles));
    if (marks.contains(value)) {
      factor.landmarks.push_back(factor.levels.size());
      level.landmark = marked++;
    }
    factor.levels.push_back(level);
  }
  return factor;
}

}  // namespace

double Factor::cost(std::int64_t value) const {
  double all = 1;
  const bool counts = !dimension->is_choice() || dimension->stacks || dimension->adds_work;
  const std::int64_t whole = (value + tile - 1) / tile * tile;
  for (int i = 0; counts && i < std::max(1, dimension->power); ++i) all *= static_cast<double>(whole);
  return all;
}

std::vector<Factor> factors_of(const CaseSpace& space, const KernelTraits& traits,
                               const std::vector<std::int64_t>& landmarks, std::size_t& marked) {
  std::vector<Factor> factors;
  for (const Dimension& one : space.declaration().dimensions)
    factors.push_back(factor_of(space, traits, one, landmarks, marked));
  return factors;
}

const Level* Factor::level_of(std::int64_t value) const {
  const auto at = std::lower_bound(levels.begin(), levels.end(), value,
                                   [](const Level& one, std::int64_t wanted) { return one.value < wanted; });
  return at != levels.end() && at->value == value ? &*at : nullptr;
}

double work_of(const std::vector<Factor>& factors, const Levels& levels) {
  double work = 1;
  for (std::size_t f = 0; f < factors.size(); ++f) work *= factors[f].cost(levels[f]->value);
  return work;
}

double least_work(const std::vector<Factor>& factors) {
  double least = 1;
  for (const Factor& one : factors) least *= one.cost(one.levels.front().value);
  return least;
}
double most_work(const std::vector<Factor>& factors) {
  return std::max(kMostWork, kMostOverLeast * least_work(factors));
}

namespace {

void lower(const Level*& level, const Factor& factor, std::int64_t most) {
  while (level->value > most && level != &factor.levels.front()) --level;
}

}  // namespace

std::optional<Dims> legal_of(const CaseSpace& space, const std::vector<Factor>& factors, Levels& levels) {
  for (int i = 0; i < kMostHalved; ++i) {
    Dims dims;
    std::size_t largest = 0;
    for (std::size_t f = 0; f < factors.size(); ++f) {
      const Dimension& dimension = *factors[f].dimension;
      if (dimension.at_most) lower(levels[f], factors[f], dimension.at_most(dims));
      dims[dimension.name] = levels[f]->value;
      if (levels[f]->value > levels[largest]->value) largest = f;
    }
    if (!space.at(dims)) return std::nullopt;
    if (std::max(work_of(factors, levels), space.work_of(dims)) <= std::max(kMostOfAll, most_work(factors)))
      return dims;
    lower(levels[largest], factors[largest], levels[largest]->value / 2);
  }
  return std::nullopt;
}

}  // namespace assay::properties
