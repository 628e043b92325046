// The tables of docs/dispatch.md: rules beside what the host chooses, and counts where they differ.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/profile/profiler.hpp"
#include "kernels/host/choose_kernel.hpp"
#include "tests/dispatch/rules.hpp"

namespace assay::tests {

/// The kernel that the host launches for a rule's problem, on 40 cores of the rule's memory.
const host::KernelDescription& taken(const DispatchRule& rule);

/// Is that what the document wants?
bool follows(const DispatchRule& rule);

/// A kernel's figures at a problem: what the table of counts has a column for.
struct DispatchCount {
  std::string_view name;  ///< of the column
  double value = 0;
  int better = 0;  ///< -1 where less is better, 1 where more is, 0 where neither
};

/// Profiles kernels of the manifest, each shape once.
class DispatchCounter {
 public:
  DispatchCounter();
  /// Of a kernel of FP4 weights that the rule's problem is launched with.
  std::vector<DispatchCount> count(const host::KernelDescription& kernel, const DispatchRule& rule);

 private:
  std::vector<KernelEntry> manifest_;
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, Figures> counted_;
};

/// Of all kernels that host code can launch; null where there is none of the name.
const host::KernelDescription* launchable(std::string_view name);

/// Markdown, each ends with a line break.
std::string rules_table(std::span<const DispatchRule> rules);
std::string counts_table(std::span<const DispatchRule> rules, DispatchCounter& counter);
std::string reasons_table(std::span<const DispatchRule> rules, DispatchCounter& counter);

}  // namespace assay::tests
