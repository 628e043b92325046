#include "properties/cases/size_design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "properties/cases/draw.hpp"
#include "properties/cases/size_cover.hpp"

namespace assay::properties {
namespace {

/// What every case costs beside its product of sizes.
constexpr double kWorkOfAny = 0x1p18;
/// Of the few cases at a limit of the manifest.
constexpr double kMostBesideLimit = 0x1p25;
/// Rare choices from here on, and landmarks from twice as much, stand beside sizes that they cut.
constexpr std::int64_t kLongChoice = 256;
constexpr std::int64_t kBesideLong = 8;
constexpr std::size_t kColumnsBeside = 2;
constexpr std::int64_t kMostSlices = 9;

/// Of the cases of a run, the first whose sizes are designed: the walk along the edges is over.
constexpr std::uint64_t kFirstDesigned = 20;

/// Cases that are compared for each that is taken, and levels of a factor on the way to each.
constexpr std::size_t kTries = 4, kLevels = 12;
/// So many where none of them adds anything, or is legal.
constexpr std::size_t kMostTries = 24;
/// One in so many levels that are tried is a landmark.
constexpr std::size_t kLevelsPerLandmark = 3;
/// Levels of a class that are tried for a legal case.
constexpr std::size_t kTriesOfClass = 4;
/// One in so many makes a product of two dimensions a landmark.
constexpr std::size_t kLevelsPerProduct = 6;

/// Searches for cases that add most to what is covered: from levels at random, one factor after the other
/// takes the best of some.
class Search {
 public:
  Search(const CaseSpace& space, const std::vector<Factor>& factors, std::size_t landmarks,
         const SizeProducts& products)
      : space_(space),
        factors_(factors),
        products_(products),
        covered_(factors, landmarks, products),
        draw_(1, "sizes"),
        most_work_(most_work(factors)) {}

  struct Added {
    Dims dims;
    std::string why;
  };
  /// Takes in the best of those that are tried, by what it adds for what it costs; nothing where none of them
  /// adds anything.
  std::optional<Added> next() {
    Levels best;
    double most = 0;
    Dims dims;
    for (std::size_t i = 0; i < kTries || (most == 0 && i < kMostTries); ++i) {
      auto tried = climbed();
      const auto legal = legal_of(space_, factors_, tried);
      if (!legal) continue;
      const double work = std::max(work_of(factors_, tried), space_.work_of(*legal));
      const double worth = static_cast<double>(covered_.gain(tried)) / (kWorkOfAny + work);
      if (worth <= most) continue;
      most = worth;
      best = std::move(tried);
      dims = *legal;
    }
    if (most == 0) return std::nullopt;
    return taken(best, std::move(dims));
  }

  /// Takes these levels in.
  Added taken(const Levels& best, Dims dims) {
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
  const Level* any_of(std::size_t f, const Levels& levels) {
    const Factor& factor = factors_[f];
    if (below(kLevelsPerProduct) == 0) {
      if (const Level* const one = products_.drawn(f, levels, draw_.words(turn_++)[0])) return one;
    }
    if (!factor.landmarks.empty() && below(kLevelsPerLandmark) == 0) {
      const Level& mark = factor.levels[factor.landmarks[below(factor.landmarks.size())]];
      if (!covered_.has_landmark(mark)) return &mark;
    }
    const std::size_t end = 1 + below(factor.levels.size());
    return &factor.levels[below(end)];
  }

  Levels climbed() {
    Levels levels;
    for (const Factor& factor : factors_) levels.push_back(&factor.levels.front());
    const std::size_t first = below(factors_.size());
    for (std::size_t step = 0; step < 2 * factors_.size(); ++step) {
      const std::size_t f = (first + step) % factors_.size();
      const Level* best = levels[f];
      const std::size_t others = covered_.gain(levels) - covered_.gain(levels, f);
      const auto worth_here = [&] {
        const double work = work_of(factors_, levels);
        return work > most_work_
                   ? 0
                   : static_cast<double>(others + covered_.gain(levels, f)) / (kWorkOfAny + work);
      };
      double most = worth_here();
      for (std::size_t i = 0; i < kLevels; ++i) {
        levels[f] = any_of(f, levels);
        const double worth = worth_here();
        if (worth < most || (worth == most && levels[f]->value >= best->value)) continue;
        most = worth;
        best = levels[f];
      }
      levels[f] = best;
    }
    return levels;
  }

  const CaseSpace& space_;
  const std::vector<Factor>& factors_;
  const SizeProducts& products_;
  Covered covered_;
  Draw draw_;
  double most_work_;
  std::uint64_t turn_ = 0;
};

bool is_far(std::uint64_t index) {
  return index >= kFirstFarSize && index < kNominalSize && (index - kFirstFarSize) % kFarSizeStep == 0;
}

}  // namespace

std::size_t designed_among(std::uint64_t cases, bool far) {
  std::size_t designed = 0;
  for (std::uint64_t i = kFirstDesigned; i < cases; ++i) designed += far && is_far(i) ? 0 : 1;
  return designed;
}

const Dims* SizeDesign::at(std::uint64_t index, const DesignPart& part) const {
  if (index < kFirstDesigned || (part.far && is_far(index))) return nullptr;
  std::size_t number = designed_among(index, part.far);
  if (part.beside && number < beside) return &cases[number];
  if (part.beside) number -= beside;
  return number < cases.size() ? &cases[(part.first + number) % cases.size()] : nullptr;
}

bool SizeDesign::is_beside(std::uint64_t index, const DesignPart& part) const {
  const Dims* const designed = at(index, part);
  return designed != nullptr && designed < cases.data() + beside;
}

std::string SizeDesign::why_of(std::uint64_t index, const DesignPart& part) const {
  if (index >= end()) return "";
  if (index < kFirstDesigned) return "edges of all sizes";
  const Dims* const designed = at(index, part);
  return designed != nullptr ? why[static_cast<std::size_t>(designed - cases.data())]
         : is_far(index)     ? "far from the ordinary"
                             : "";
}

std::uint64_t SizeDesign::end() const {
  if (cases.empty()) return 0;
  std::uint64_t end = kFirstDesigned;
  for (std::size_t left = cases.size(); left > 0; ++end) left -= is_far(end) ? 0 : 1;
  return end;
}

namespace {

/// A limit of the manifest meets a whole tile of another size: products of the two are as large as they may
/// be in a small case.
std::vector<std::pair<Dims, std::string>> limits_beside_tiles(const CaseSpace& space,
                                                              const KernelTraits& traits) {
  std::vector<std::pair<Dims, std::string>> found;
  for (const Dimension& one : space.declaration().dimensions) {
    const auto asked = traits.requirements.find(one.name);
    if (one.is_choice() || asked == traits.requirements.end() || !asked->second.max) continue;
    for (const Dimension& other : space.declaration().dimensions) {
      const std::int64_t tile = other.tile == nullptr ? 1 : traits.tile.*other.tile;
      if (&other == &one || other.is_choice() || tile < 2) continue;
      Dims dims = space.nearest({}).dims;
      dims[one.name] = *asked->second.max;
      dims[other.name] = tile;
      const double work = space.at(dims) ? space.work_of(dims) : 0;
      if (work == 0 || work > kMostBesideLimit) continue;
      found.emplace_back(std::move(dims), fmt::format("{} = {} beside a tile of {}", one.name,
                                                      *asked->second.max, other.name));
    }
  }
  return found;
}

/// Levels of a legal small case that has these two: others are least, or near to one of the two, for they may
/// allow more then.
std::optional<Levels> legal_with(const CaseSpace& space, const std::vector<Factor>& factors, std::size_t a,
                                 const Level& of_a, std::size_t b, const Level& of_b) {
  for (const std::int64_t wanted : {std::int64_t{1}, of_a.value, of_b.value}) {
    Levels levels;
    for (const Factor& factor : factors) {
      const auto above = std::find_if(factor.levels.begin(), factor.levels.end(),
                                      [&](const Level& one) { return one.value >= wanted; });
      const bool is_free = factor.dimension->is_choice() && above != factor.levels.end();
      levels.push_back(is_free ? &*above : &factor.levels.front());
    }
    levels[a] = &of_a;
    levels[b] = &of_b;
    if (work_of(factors, levels) > most_work(factors)) continue;
    if (legal_of(space, factors, levels) && levels[a] == &of_a && levels[b] == &of_b) return levels;
  }
  return std::nullopt;
}

/// Calls with levels of a legal small case for each pair of classes that `covered` lacks, which takes them in
/// before the next; until it says no.
template <class Visit>
void each_missing_pair(const CaseSpace& space, const std::vector<Factor>& factors, const Covered& covered,
                       const Visit& visit) {
  std::vector<std::vector<std::vector<const Level*>>> of_classes;  // of each factor and class, the first ones
  for (const Factor& factor : factors) {
    auto& classes = of_classes.emplace_back(kMostClasses);
    for (const Level& level : factor.levels) {
      for (std::size_t c = 0; c < kMostClasses; ++c)
        if ((level.classes >> c & 1) != 0 && classes[c].size() < kTriesOfClass) classes[c].push_back(&level);
    }
  }
  const auto take_pair = [&](std::size_t a, std::size_t b, std::size_t class_of_a, std::size_t class_of_b) {
    for (const Level* of_a : of_classes[a][class_of_a]) {
      for (const Level* of_b : of_classes[b][class_of_b]) {
        if (covered.has_pair(a, b, class_of_a, class_of_b)) return true;
        auto levels = legal_with(space, factors, a, *of_a, b, *of_b);
        if (levels && !visit(*levels)) return false;
      }
    }
    return true;
  };
  for (std::size_t a = 0; a < factors.size(); ++a) {
    for (std::size_t b = a + 1; b < factors.size(); ++b) {
      for (std::size_t of_a = 0; of_a < kMostClasses; ++of_a)
        for (std::size_t of_b = 0; of_b < kMostClasses; ++of_b)
          if (!take_pair(a, b, of_a, of_b)) return;
    }
  }
}

/// A long choice beside a size that is a little longer: a group of 1,536 has to be met by more rows.
std::vector<std::pair<Dims, std::string>> long_choices_beside_sizes(const CaseSpace& space,
                                                                    const std::vector<Factor>& factors) {
  std::vector<std::pair<Dims, std::string>> found;
  for (const Factor& size : factors) {
    for (const Factor& choice : factors) {
      const auto& related = size.dimension->related;
      const bool cuts = choice.dimension->is_choice() &&
                        std::find(related.begin(), related.end(), choice.dimension->name) != related.end();
      for (const Level& level : choice.levels) {
        const std::int64_t value = level.value;
        const auto& rare = choice.dimension->rare;
        const bool is_rare = std::find(rare.begin(), rare.end(), value) != rare.end();
        if (!cuts || value < kLongChoice || (!is_rare && (!level.landmark || value < 2 * kLongChoice)))
          continue;
        Dims dims = space.nearest({}).dims;
        for (const Factor& other : factors) {  // a place is wrong in each column, of which one may hide it
          if (!other.dimension->is_choice() && other.levels.size() > kColumnsBeside)
            dims[other.dimension->name] = other.levels[kColumnsBeside].value;
        }
        dims[choice.dimension->name] = value;
        dims[size.dimension->name] = value + kBesideLong * size.dimension->multiple;
        if (!space.at(dims) || space.work_of(dims) > kMostOfAll) continue;
        found.emplace_back(std::move(dims), fmt::format("{} = {} beside more {}", choice.dimension->name,
                                                        value, size.dimension->name));
      }
    }
  }
  return found;
}

/// So many slices of a sum, each of a tile, and in one case in two of a tile more: few sums are cut
/// otherwise.
std::vector<std::pair<Dims, std::string>> slices_of_tiles(const CaseSpace& space,
                                                          const std::vector<Factor>& factors) {
  std::vector<std::pair<Dims, std::string>> found;
  for (const Factor& slices : factors) {
    for (const Factor& size : factors) {
      if (!slices.dimension->cuts_sums || !size.dimension->reduced) continue;
      for (std::int64_t count = 2; count <= kMostSlices; ++count) {
        Dims dims = space.nearest({}).dims;
        dims[slices.dimension->name] = count;
        dims[size.dimension->name] = (count + count % 2) * size.tile;
        if (!space.at(dims) || space.work_of(dims) > kMostOfAll) continue;
        found.emplace_back(std::move(dims), fmt::format("{} = {} beside as many tiles of {}",
                                                        slices.dimension->name, count, size.dimension->name));
      }
    }
  }
  return found;
}

}  // namespace

SizeDesign design_sizes(const CaseSpace& space, const KernelTraits& traits,
                        const std::vector<std::int64_t>& landmarks, std::size_t most) {
  SizeDesign design;
  const auto factors = factors_of(space, traits, landmarks, design.of_landmarks);
  const bool none =
      std::any_of(factors.begin(), factors.end(), [](const Factor& one) { return one.levels.empty(); });
  if (none || factors.empty()) return {};
  const SizeProducts products(factors, landmarks, traits.threads);
  Search search(space, factors, design.of_landmarks, products);
  for (auto all : {limits_beside_tiles(space, traits), slices_of_tiles(space, factors),
                   long_choices_beside_sizes(space, factors)}) {
    for (auto& [dims, why] : all) {
      if (design.cases.size() == most) break;
      design.cases.push_back(std::move(dims));
      design.why.push_back(std::move(why));
    }
  }
  design.beside = design.cases.size();
  const auto take = [&](Search::Added added) {
    design.cases.push_back(std::move(added.dims));
    design.why.push_back(std::move(added.why));
    return design.cases.size() < most;
  };
  while (design.cases.size() < most) {
    auto added = search.next();
    if (!added) break;
    take(std::move(*added));
  }
  // What no search has come upon, pair by pair.
  if (design.cases.size() < most) {
    each_missing_pair(space, factors, search.covered(), [&](Levels levels) {
      auto dims = legal_of(space, factors, levels);
      return !dims || take(search.taken(levels, std::move(*dims)));
    });
  }
  design.pairs = search.covered().pairs();
  design.triples = search.covered().triples();
  design.landmarks = search.covered().landmarks();
  design.products = search.covered().products();
  return design;
}

std::size_t pairs_of_small_cases(const CaseSpace& space, const KernelTraits& traits,
                                 const std::vector<std::int64_t>& landmarks, const SizeDesign& design) {
  std::size_t marked = 0;
  const auto factors = factors_of(space, traits, landmarks, marked);
  const SizeProducts none(factors, {}, 0);
  Covered possible(factors, marked, none);
  for (const Dims& dims : design.cases) {
    Levels levels;
    for (const Factor& factor : factors) levels.push_back(factor.level_of(dim(dims, factor.dimension->name)));
    if (std::find(levels.begin(), levels.end(), nullptr) == levels.end()) possible.take(levels);
  }
  each_missing_pair(space, factors, possible, [&](const Levels& levels) {
    possible.take(levels);
    return true;
  });
  return possible.pairs();
}

}  // namespace assay::properties
