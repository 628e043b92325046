// What cases cover together, in pairs and triples of classes (size_levels.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "properties/cases/size_levels.hpp"

namespace assay::properties {

/// A landmark that no case has yet counts as much as so many pairs.
inline constexpr std::size_t kWorthOfLandmark = 12;
/// A pair of small residues counts as much as so many other pairs more.
inline constexpr std::size_t kWorthOfSmall = 6;

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

}  // namespace assay::properties
