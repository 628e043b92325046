// What a run reached. A run whose inputs could not have shown a fault is vacuous, not green.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

/// Tags and how often each was reached.
class Coverage {
 public:
  void add(const std::string& tag, std::uint64_t count = 1) {
    if (count > 0) reached_[tag] += count;
  }
  void merge(const Coverage& other);
  bool has(const std::string& tag) const { return reached_.contains(tag); }
  const std::map<std::string, std::uint64_t>& reached() const { return reached_; }
  /// Those of `wanted` that were not reached.
  std::vector<std::string> missing(const std::vector<std::string>& wanted) const;

 private:
  std::map<std::string, std::uint64_t> reached_;
};

/// The tags that a kernel can reach: without those that begin with "NAME = VALUE: " for a value of that
/// dimension which the kernel does not take, and those that begin with "given NAME: " for an argument that it
/// does not have.
std::vector<std::string> reachable(std::vector<std::string> tags, const KernelTraits& traits);

/// What the shape of a case reaches: "regime probe", "M = tile - 1", "K > tile", "K % 8 != 0",
/// "K % group_size != 0", ...
void cover_shape(const OperationDeclaration& declaration, const Tile& tile, const Case& test_case,
                 Coverage& coverage);

/// Which special values the floating-point inputs hold: "A: NaN", "scales: -infinity", "zeros: -0",
/// "scales: subnormal", "A: largest finite" (of either sign), ...
void cover_values(const Problem& problem, Coverage& coverage);

/// Elements at which neither a kernel that writes nothing, nor one that writes zeros, would pass: right
/// values that are a number and not 0. Of a tensor that is given to the kernel, `initial`, the elements that
/// it has to change, be it to 0. A case without any proves nothing.
std::size_t telling_elements(const Expectation& expectation, const Tensor* initial = nullptr);

}  // namespace assay::properties
