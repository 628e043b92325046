#include "properties/cases/size_design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "properties/cases/draw.hpp"

namespace assay::properties {
namespace {

/// No size is larger, but for landmarks. Classes of numbers of tiles: this many, and more.
constexpr std::int64_t kLongestTiny = 1300, kMostTiles = 10;

/// Products of sizes, each up to the end of its last tile: no case has more, unless the smallest has nearly
/// as much, and what every case costs beside.
constexpr double kMostWork = 0x1p21, kWorkOfAny = 0x1p19;
/// With the elements of its tensors, and whatever else a case takes (CaseSpace::work_of).
constexpr double kMostOfAll = 0x1p23;
constexpr double kMostOverLeast = 8;

constexpr std::size_t kMostClasses = 64;
constexpr std::array<std::int64_t, 4> kSmall = {2, 3, 4, 8};
/// Of the cases that are drawn, the first whose sizes are designed: the walk along the edges is over.
constexpr std::uint64_t kFirstDesigned = 20;

/// Cases that are compared for each that is taken, and levels of a factor on the way to each.
constexpr std::size_t kTries = 4, kLevels = 12;
/// So many where none of them adds anything, or is legal.
constexpr std::size_t kMostTries = 24;
constexpr int kMostHalved = 24;

/// A landmark that no case has yet counts as much as so many pairs; one in so many levels that are tried is
/// one.
constexpr std::size_t kWorthOfLandmark = 12, kLevelsPerLandmark = 3;
/// A pair of small residues counts as much as so many other pairs more.
constexpr std::size_t kWorthOfSmall = 6;

/// Values of a choice that no list names, each times what it is a multiple of: these are classes of their
/// own, around powers of two, odd ones, and one beyond 8 bits. Others up to 64 are met once.
constexpr std::array<std::int64_t, 21> kOpenChoices = {1,  2,  3,  4,  5,  6,  7,  8,  9,  12, 15,
                                                       16, 17, 20, 24, 31, 32, 33, 40, 65, 257};
constexpr std::int64_t kEachOpenChoice = 64;

/// A legal value of a dimension with the classes it falls into, a bit each.
struct Level {
  std::int64_t value = 0;
  std::uint64_t classes = 0;
  unsigned residue = 0;                      ///< mod 4
  std::optional<std::size_t> landmark = {};  ///< its number among those of all factors
};

struct Factor {
  const Dimension* dimension = nullptr;
  std::int64_t tile = 1;
  std::vector<Level> levels;           ///< ascending
  std::vector<std::size_t> landmarks;  ///< levels that are some
  std::uint64_t small = 0;             ///< classes of small residues, of which no pair is left out
  double cost(std::int64_t value) const {
    double all = 1;
    const bool counts = !dimension->is_choice() || dimension->stacks || dimension->adds_work;
    const std::int64_t whole = (value + tile - 1) / tile * tile;
    for (int i = 0; counts && i < std::max(1, dimension->power); ++i) all *= static_cast<double>(whole);
    return all;
  }
};

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
  std::set<std::int64_t> long_ones = {16, 32, 64};
  for (const std::int64_t one : {tile, threads})
    if (one > 8) long_ones.insert(one);
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
  for (const auto landmark : landmarks)
    for (const std::int64_t step : {-1, 0, 1}) marks.insert(landmark + step * dimension.multiple);
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
    Level level{value, of_value, static_cast<unsigned>(value % 4), {}};
    for (const std::int64_t modulus : kSmall)
      if (!dimension.is_choice()) factor.small |= classes.of(0, modulus, value % modulus);
    if (marks.contains(value)) {
      factor.landmarks.push_back(factor.levels.size());
      level.landmark = marked++;
    }
    factor.levels.push_back(level);
  }
  return factor;
}

/// What the smallest case has, and the limit for all of them.
double least_work(const std::vector<Factor>& factors) {
  double least = 1;
  for (const Factor& one : factors) least *= one.cost(one.levels.front().value);
  return least;
}
double most_work(const std::vector<Factor>& factors) {
  return std::max(kMostWork, kMostOverLeast * least_work(factors));
}

/// Which pairs and triples a set of cases has: bits of words, one word for each class of each pair of
/// factors, and one for each three factors. And which landmarks.
class Covered {
 public:
  Covered(const std::vector<Factor>& all, std::size_t landmarks)
      : factors_(all.size()),
        words_(factors_ * factors_ * kMostClasses + factors_ * factors_ * factors_),
        small_(words_.size()),
        landmarks_(landmarks) {
    for (std::size_t a = 0; a < factors_; ++a)
      for (std::size_t b = a + 1; b < factors_; ++b)
        each_pair(a, b, all[a].small, all[b].small,
                  [&](std::size_t word, std::uint64_t bits) { small_[word] = bits; });
  }

  /// What a case of these levels adds; or of it, what the level of one factor has a part in.
  std::size_t gain(const std::vector<const Level*>& levels, std::optional<std::size_t> of = {}) const {
    std::size_t all = 0;
    each(levels, of, [&](std::size_t word, std::uint64_t bits) {
      const std::uint64_t added = bits & ~words_[word];
      if (added != 0) all += bits_of(added) + kWorthOfSmall * bits_of(added & small_[word]);
    });
    for (std::size_t f = 0; f < factors_; ++f)
      if ((!of || *of == f) && !has_landmark(*levels[f])) all += kWorthOfLandmark;
    return all;
  }
  void take(const std::vector<const Level*>& levels) {
    each(levels, {}, [&](std::size_t word, std::uint64_t bits) { words_[word] |= bits; });
    for (const Level* level : levels)
      if (level->landmark) landmarks_[*level->landmark] = true;
  }
  void take_pair(std::size_t a, std::size_t b, std::uint64_t classes_of_a, std::uint64_t classes_of_b) {
    each_pair(a, b, classes_of_a, classes_of_b,
              [&](std::size_t word, std::uint64_t bits) { words_[word] |= bits; });
  }
  bool has_landmark(const Level& level) const { return !level.landmark || landmarks_[*level.landmark]; }
  std::size_t landmarks() const {
    return static_cast<std::size_t>(std::count(landmarks_.begin(), landmarks_.end(), true));
  }
  std::size_t pairs() const { return count(0, first_triple()); }
  std::size_t triples() const { return count(first_triple(), words_.size()); }

 private:
  static std::size_t bits_of(std::uint64_t word) { return static_cast<std::size_t>(std::popcount(word)); }
  std::size_t first_triple() const { return factors_ * factors_ * kMostClasses; }
  std::size_t count(std::size_t begin, std::size_t end) const {
    std::size_t all = 0;
    for (std::size_t i = begin; i < end; ++i) all += bits_of(words_[i]);
    return all;
  }

  template <class Visit>
  void each_pair(std::size_t a, std::size_t b, std::uint64_t classes_of_a, std::uint64_t classes_of_b,
                 const Visit& visit) const {
    for (std::uint64_t left = classes_of_a; left != 0; left &= left - 1)
      visit((a * factors_ + b) * kMostClasses + static_cast<std::size_t>(std::countr_zero(left)),
            classes_of_b);
  }

  template <class Visit>
  void each(const std::vector<const Level*>& levels, std::optional<std::size_t> of,
            const Visit& visit) const {
    for (std::size_t a = 0; a < factors_; ++a) {
      for (std::size_t b = a + 1; b < factors_; ++b) {
        const std::size_t pair = a * factors_ + b;
        const bool has_both = !of || *of == a || *of == b;
        if (has_both) each_pair(a, b, levels[a]->classes, levels[b]->classes, visit);
        for (std::size_t c = b + 1; c < factors_; ++c) {
          if (!has_both && *of != c) continue;
          const auto residues = levels[a]->residue * 16 + levels[b]->residue * 4 + levels[c]->residue;
          visit(first_triple() + pair * factors_ + c, std::uint64_t{1} << residues);
        }
      }
    }
  }

  std::size_t factors_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> small_;  ///< of these, those of two small residues
  std::vector<bool> landmarks_;
};

/// Searches for cases that add most to what is covered: from levels at random, one factor after the other
/// takes the best of some.
class Search {
 public:
  Search(const CaseSpace& space, const std::vector<Factor>& factors, std::size_t landmarks)
      : space_(space),
        factors_(factors),
        covered_(factors, landmarks),
        draw_(1, "sizes"),
        most_work_(most_work(factors)) {}

  /// Takes in the best of those that are tried, by what it adds for what it costs; nothing where none of them
  /// adds anything.
  struct Added {
    Dims dims;
    std::string why;
  };
  std::optional<Added> next() {
    std::vector<const Level*> best;
    double most = 0;
    Dims dims;
    for (std::size_t i = 0; i < kTries || (most == 0 && i < kMostTries); ++i) {
      auto tried = climbed();
      const auto legal = legal_of(tried);
      if (!legal) continue;
      const double work = std::max(work_of(tried), space_.work_of(*legal));
      const double worth = static_cast<double>(covered_.gain(tried)) / (kWorkOfAny + work);
      if (worth <= most) continue;
      most = worth;
      best = std::move(tried);
      dims = *legal;
    }
    if (most == 0) return std::nullopt;
    const std::size_t pairs = covered_.pairs();
    std::string marks;
    for (std::size_t f = 0; f < factors_.size(); ++f) {
      if (!covered_.has_landmark(*best[f]))
        marks += fmt::format("; {} = {}", factors_[f].dimension->name, best[f]->value);
    }
    covered_.take(best);
    return Added{std::move(dims), fmt::format("{} pairs of classes{}", covered_.pairs() - pairs, marks)};
  }

  const Covered& covered() const { return covered_; }

 private:
  std::uint32_t below(std::size_t count) {
    return properties::below(static_cast<std::uint32_t>(count), draw_.words(turn_++)[0]);
  }
  // Small ones more often, and landmarks that no case has.
  const Level* any_of(const Factor& factor) {
    if (!factor.landmarks.empty() && below(kLevelsPerLandmark) == 0) {
      const Level& mark = factor.levels[factor.landmarks[below(factor.landmarks.size())]];
      if (!covered_.has_landmark(mark)) return &mark;
    }
    const std::size_t end = 1 + below(factor.levels.size());
    return &factor.levels[below(end)];
  }

  double work_of(const std::vector<const Level*>& levels) const {
    double work = 1;
    for (std::size_t f = 0; f < factors_.size(); ++f) work *= factors_[f].cost(levels[f]->value);
    return work;
  }
  std::vector<const Level*> climbed() {
    std::vector<const Level*> levels;
    for (const Factor& factor : factors_) levels.push_back(&factor.levels.front());
    const std::size_t first = below(factors_.size());
    for (std::size_t step = 0; step < 2 * factors_.size(); ++step) {
      const std::size_t f = (first + step) % factors_.size();
      const Level* best = levels[f];
      const std::size_t others = covered_.gain(levels) - covered_.gain(levels, f);
      const auto worth_here = [&] {
        const double work = work_of(levels);
        return work > most_work_
                   ? 0
                   : static_cast<double>(others + covered_.gain(levels, f)) / (kWorkOfAny + work);
      };
      double most = worth_here();
      for (std::size_t i = 0; i < kLevels; ++i) {
        levels[f] = any_of(factors_[f]);
        const double worth = worth_here();
        if (worth < most || (worth == most && levels[f]->value >= best->value)) continue;
        most = worth;
        best = levels[f];
      }
      levels[f] = best;
    }
    return levels;
  }

  /// A level that is larger than others allow becomes the largest that they do; where all of them together
  /// take too much, the largest is halved.
  std::optional<Dims> legal_of(std::vector<const Level*>& levels) const {
    for (int i = 0; i < kMostHalved; ++i) {
      Dims dims;
      std::size_t largest = 0;
      for (std::size_t f = 0; f < factors_.size(); ++f) {
        const Dimension& dimension = *factors_[f].dimension;
        if (dimension.at_most) lower(levels[f], factors_[f], dimension.at_most(dims));
        dims[dimension.name] = levels[f]->value;
        if (levels[f]->value > levels[largest]->value) largest = f;
      }
      if (!space_.at(dims)) return std::nullopt;
      if (std::max(work_of(levels), space_.work_of(dims)) <= std::max(kMostOfAll, most_work_)) return dims;
      lower(levels[largest], factors_[largest], levels[largest]->value / 2);
    }
    return std::nullopt;
  }

  static void lower(const Level*& level, const Factor& factor, std::int64_t most) {
    while (level->value > most && level != &factor.levels.front()) --level;
  }

  const CaseSpace& space_;
  const std::vector<Factor>& factors_;
  Covered covered_;
  Draw draw_;
  double most_work_;
  std::uint64_t turn_ = 0;
};

std::size_t pairs_that_small_cases_can_have(const std::vector<Factor>& factors) {
  Covered possible(factors, 0);
  const double least = least_work(factors), most = most_work(factors);
  for (std::size_t a = 0; a < factors.size(); ++a) {
    for (std::size_t b = a + 1; b < factors.size(); ++b) {
      const auto least_of = [&](std::size_t f) { return factors[f].cost(factors[f].levels.front().value); };
      const double others = least / least_of(a) / least_of(b);
      for (const Level& of_a : factors[a].levels) {
        for (const Level& of_b : factors[b].levels) {
          if (others * factors[a].cost(of_a.value) * factors[b].cost(of_b.value) <= most)
            possible.take_pair(a, b, of_a.classes, of_b.classes);
        }
      }
    }
  }
  return possible.pairs();
}

}  // namespace

namespace {

bool is_far(std::uint64_t index) {
  return index >= kFirstFarSize && index < kNominalSize && (index - kFirstFarSize) % kFarSizeStep == 0;
}

}  // namespace

std::size_t designed_among(std::uint64_t cases) {
  std::size_t designed = 0;
  for (std::uint64_t i = kFirstDesigned; i < cases; ++i) designed += is_far(i) ? 0 : 1;
  return designed;
}

const Dims* SizeDesign::at(std::uint64_t index) const {
  if (index < kFirstDesigned || is_far(index)) return nullptr;
  const std::size_t number = designed_among(index);
  return number < cases.size() ? &cases[number] : nullptr;
}

std::string SizeDesign::why_of(std::uint64_t index) const {
  if (index >= end()) return "";
  if (index < kFirstDesigned) return "edges of all sizes";
  return is_far(index) ? "far from the ordinary" : why[designed_among(index)];
}

std::uint64_t SizeDesign::end() const {
  if (cases.empty()) return 0;
  std::uint64_t end = kFirstDesigned;
  for (std::size_t left = cases.size(); left > 0; ++end) left -= is_far(end) ? 0 : 1;
  return end;
}

SizeDesign design_sizes(const CaseSpace& space, const KernelTraits& traits,
                        const std::vector<std::int64_t>& landmarks, std::size_t most) {
  std::vector<Factor> factors;
  SizeDesign design;
  for (const Dimension& one : space.declaration().dimensions) {
    factors.push_back(factor_of(space, traits, one, landmarks, design.of_landmarks));
    if (factors.back().levels.empty()) return {};
  }
  if (factors.empty()) return design;
  Search search(space, factors, design.of_landmarks);
  while (design.cases.size() < most) {
    auto added = search.next();
    if (!added) break;
    design.cases.push_back(std::move(added->dims));
    design.why.push_back(std::move(added->why));
  }
  design.pairs = search.covered().pairs();
  design.of_pairs = pairs_that_small_cases_can_have(factors);
  design.triples = search.covered().triples();
  design.landmarks = search.covered().landmarks();
  return design;
}

}  // namespace assay::properties
