#include "properties/cases/size_products.hpp"

#include <set>

namespace assay::properties {
namespace {

/// Those below 2 * 2 are met in any case; those beyond are beyond small cases.
constexpr std::int64_t kLeastProduct = 4, kLargestProduct = 4096;

bool may_be_multiplied(const Factor& one) { return !one.dimension->is_choice() || !one.dimension->closed; }

}  // namespace

SizeProducts::SizeProducts(const std::vector<Factor>& factors, const std::vector<std::int64_t>& landmarks,
                           std::int64_t threads)
    : factors_(factors), pairs_of_(factors.size()) {
  std::set<std::int64_t> values;
  const auto add = [&](std::int64_t landmark) {
    for (const std::int64_t value : {landmark - 1, landmark, landmark + 1})
      if (value >= kLeastProduct && value <= kLargestProduct) values.insert(value);
  };
  for (const std::int64_t landmark : landmarks) add(landmark);
  add(threads);
  values_.assign(values.begin(), values.end());
  if (!values_.empty()) numbers_.assign(static_cast<std::size_t>(values_.back()) + 1, -1);
  for (std::size_t i = 0; i < values_.size(); ++i)
    numbers_[static_cast<std::size_t>(values_[i])] = static_cast<std::int32_t>(i);

  const auto add_pair = [&](Pair pair) {
    for (const std::size_t f : {pair.a, pair.b}) pairs_of_[f].push_back(pairs_.size());
    pairs_.push_back(pair);
  };
  for (std::size_t a = 0; a < factors.size(); ++a) {
    for (std::size_t b = a + 1; b < factors.size(); ++b) {
      if (!may_be_multiplied(factors[a]) || !may_be_multiplied(factors[b])) continue;
      const bool tiles_of_a = factors[a].tile > 1, tiles_of_b = factors[b].tile > 1;
      if (tiles_of_a && tiles_of_b) continue;
      add_pair({a, b, false});
      if (tiles_of_a) add_pair({b, a, true});
      if (tiles_of_b) add_pair({a, b, true});
    }
  }
}

const Level* SizeProducts::drawn(std::size_t factor, const Levels& levels, std::uint32_t word) const {
  const auto& pairs = pairs_of_[factor];
  if (pairs.empty() || values_.empty()) return nullptr;
  const auto count = static_cast<std::uint32_t>(pairs.size() * values_.size());
  const std::uint32_t which = below(count, word);
  const Pair& pair = pairs_[pairs[which / values_.size()]];
  const std::int64_t value = values_[which % values_.size()];
  const bool is_first = factor == pair.a;
  const std::int64_t other = is_first ? measure(pair, levels[pair.b]->value) : levels[pair.a]->value;
  if (other < 2 || value % other != 0) return nullptr;
  const std::int64_t wanted = value / other;
  return factors_[factor].level_of(!is_first && pair.tiles ? wanted * factors_[factor].tile : wanted);
}

}  // namespace assay::properties
