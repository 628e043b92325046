#include "properties/large/product_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "properties/large/moments.hpp"

namespace assay::properties {
namespace {

/// Products to go past, the largest that takes moments first, and how far past its root a size goes, so that
/// it is no multiple of tiles.
constexpr int kProductBits[] = {18, 17, 16, 15};
constexpr std::int64_t kPastRoot = 9;

constexpr int kProductWidths[] = {15, 16};

/// Elements of the largest tensor, and threads of the launch: there are many such cases, so one is dear only
/// for a width that no cheaper one shows.
struct Price {
  double elements, threads;
  int bits;  ///< of the largest product
};
constexpr Price kCheap = {0x1p21, kMostThreads, 18}, kDear = {0x1p24, 4 * kMostThreads, 16};

class ProductPlanner {
 public:
  ProductPlanner(const KernelEntry& entry, const Operation& operation)
      : declaration_(operation.declaration()), cases_(entry, operation) {}

  WidthPlan run() {
    if (!declaration_.products) return {};
    for (const auto& [one, other] : declaration_.products->pairs) {
      auto found = past(one, other, kCheap);
      if (!found || product_of(*found, one, other) <= std::int64_t{1} << 16) {
        if (auto larger = past(one, other, kDear)) found = std::move(larger);
      }
      if (found) take(std::move(*found));
    }
    plan_.wanted.assign(wanted_.begin(), wanted_.end());
    return std::move(plan_);
  }

 private:
  static std::int64_t product_of(const Case& test_case, const std::string& one, const std::string& other) {
    return dim(test_case.dims, one) * dim(test_case.dims, other);
  }

  std::optional<Case> past(const std::string& one, const std::string& other, const Price& price) const {
    for (const int bits : kProductBits) {
      if (bits > price.bits) continue;
      const std::int64_t product = std::int64_t{1} << bits;
      const auto root = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(product))));
      // The one that is bounded more narrowly goes first.
      for (const bool turned : {false, true}) {
        const std::string& first = turned ? other : one;
        const std::string& second = turned ? one : other;
        Dims dims = {{first, legal(first, root + kPastRoot)}};
        dims[second] = legal(second, std::max(root, product / dims[first]) + kPastRoot);
        if (dims[first] < 2 || dims[second] < 2 || dims[first] * dims[second] <= product) continue;
        auto found = cases_.at(dims, price.elements);
        if (found && cases_.threads_at(found->dims) <= price.threads) return found;
      }
    }
    return std::nullopt;
  }

  std::int64_t legal(const std::string& name, std::int64_t value) const {
    return cases_.legal(*find_named(declaration_.dimensions, name), value);
  }

  void take(Case test_case) {
    if (const auto& values = declaration_.products->values) {
      test_case.regime = values->regime;
      test_case.knobs = {{"value", values->knob}};
    }
    test_case.seed = 1;
    Coverage shown;
    cover_products(declaration_, test_case.dims, shown);
    for (const auto& [tag, count] : shown.reached()) wanted_.insert(tag);
    if (std::find(plan_.cases.begin(), plan_.cases.end(), test_case) == plan_.cases.end())
      plan_.cases.push_back(std::move(test_case));
  }

  const OperationDeclaration& declaration_;
  CasesOfMoments cases_;
  std::set<std::string> wanted_;
  WidthPlan plan_;
};

}  // namespace

WidthPlan plan_products(const KernelEntry& entry, const Operation& operation) {
  return ProductPlanner(entry, operation).run();
}

void cover_products(const OperationDeclaration& declaration, const Dims& dims, Coverage& coverage) {
  if (!declaration.products) return;
  for (const auto& [one, other] : declaration.products->pairs) {
    const std::int64_t first = dim(dims, one), second = dim(dims, other);
    if (first < 2 || second < 2) continue;
    for (const int bits : kProductWidths) {
      if (first > (std::int64_t{1} << bits) / second)
        coverage.add(fmt::format("{} x {} past 2^{}", one, other, bits));
    }
  }
}

}  // namespace assay::properties
