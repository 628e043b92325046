// What cases cover together, in pairs and triples of classes (size_levels.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "properties/cases/size_levels.hpp"
#include "properties/cases/size_products.hpp"

namespace assay::properties {

/// A landmark that no case has yet counts as much as so many pairs.
inline constexpr std::size_t kWorthOfLandmark = 12;
/// So does one that a product of two dimensions meets, and what stands alone (Level::alone).
inline constexpr std::size_t kWorthOfProduct = 4;
inline constexpr std::array<std::size_t, 2> kWorthAlone = {4, 24};
/// A pair of small residues counts as much as so many other pairs more.
inline constexpr std::size_t kWorthOfSmall = 6;

/// Which pairs and triples a set of cases has: bits of words, one word for each class of each pair of
/// factors, and one for each three factors. And what
/// stands alone: residues mod 64, numbers of tiles, landmarks and products.
class Covered {
 public:
  Covered(const std::vector<Factor>& all, std::size_t landmarks, const SizeProducts& products)
      : factors_(all.size()),
        products_(products),
        words_(factors_ * factors_ * kMostClasses + factors_ * factors_ * factors_),
        small_(words_.size()),
        alone_(factors_),
        landmarks_(landmarks),
        has_product_(products.count()) {
    for (std::size_t a = 0; a < factors_; ++a)
      for (std::size_t b = a + 1; b < factors_; ++b)
        each_pair(a, b, all[a].small, all[b].small,
                  [&](std::size_t word, std::uint64_t bits) { small_[word] = bits; });
  }

  /// What a case of these levels adds; or of it, what the level of one factor has a part in.
  std::size_t gain(const Levels& levels, std::optional<std::size_t> of = {}) const {
    std::size_t all = 0;
    each(levels, of, [&](std::size_t word, std::uint64_t bits) {
      const std::uint64_t added = bits & ~words_[word];
      if (added != 0) all += bits_of(added) + kWorthOfSmall * bits_of(added & small_[word]);
    });
    for (std::size_t f = 0; f < factors_; ++f) {
      if (of && *of != f) continue;
      if (!has_landmark(*levels[f])) all += kWorthOfLandmark;
      for (std::size_t i = 0; i < alone_[f].size(); ++i)
        if ((levels[f]->alone[i] & ~alone_[f][i]) != 0) all += kWorthAlone[i];
    }
    products_.each(levels, of, [&](std::size_t product) { all += has_product_[product] ? 0 : kWorthOfProduct; });
    return all;
  }
  void take(const Levels& levels) {
    each(levels, {}, [&](std::size_t word, std::uint64_t bits) { words_[word] |= bits; });
    for (std::size_t f = 0; f < factors_; ++f) {
      for (std::size_t i = 0; i < alone_[f].size(); ++i) alone_[f][i] |= levels[f]->alone[i];
      if (levels[f]->landmark) landmarks_[*levels[f]->landmark] = true;
    }
    products_.each(levels, {}, [&](std::size_t product) { has_product_[product] = true; });
  }
  bool has_pair(std::size_t a, std::size_t b, std::size_t class_of_a, std::size_t class_of_b) const {
    return (words_[(a * factors_ + b) * kMostClasses + class_of_a] >> class_of_b & 1) != 0;
  }
  bool has_landmark(const Level& level) const { return !level.landmark || landmarks_[*level.landmark]; }
  std::size_t landmarks() const { return count_of(landmarks_); }
  std::size_t products() const { return count_of(has_product_); }
  std::size_t pairs() const { return count(0, first_triple()); }
  std::size_t triples() const { return count(first_triple(), words_.size()); }

 private:
  static std::size_t count_of(const std::vector<bool>& all) {
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), true));
  }
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
  void each(const Levels& levels, std::optional<std::size_t> of, const Visit& visit) const {
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
  const SizeProducts& products_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> small_;     ///< of these, those of two small residues
  std::vector<std::array<std::uint64_t, 2>> alone_;  ///< of each factor (Level::alone)
  std::vector<bool> landmarks_;
  std::vector<bool> has_product_;
};

}  // namespace assay::properties
