#include "harness/report/results.hpp"

#include <algorithm>

namespace assay::report {
namespace {

int status_of(const Verified& verified, const Shard&) {
  std::vector<run::KernelReport> reports;
  for (const auto& kernel : verified.kernels) reports.push_back(kernel.report);
  return run::exit_status(reports);
}

int status_of(const Mutated& mutated, const Shard& shard) {
  mutate::MutationTotals totals;
  bool broken = false;
  for (const auto& kernel : mutated.kernels) {
    totals.add(kernel.totals());
    broken |= !kernel.error.empty();
  }
  if (totals.survived > 0 || (shard.whole() && !mutated.stale.empty())) return 1;
  // A shard may get none, or none that compiles.
  return broken || (shard.whole() && totals.compiled() == 0) ? 2 : 0;
}

int status_of(const Golden& golden, const Shard&) {
  if (!golden.differing.empty()) return 1;
  return golden.unreadable.empty() ? 0 : 2;
}

}  // namespace

std::string_view version() { return ASSAY_VERSION; }

mutate::MutationTotals MutantsResult::totals() const {
  mutate::MutationTotals totals;
  for (const auto& mutant : mutants) {
    const auto& status = mutant.at("status").get_ref<const std::string&>();
    ++totals.mutants;
    totals.killed += status == "killed";
    totals.survived += status == "survived";
    totals.equivalent += status == "equivalent";
    totals.not_compiled += status == "not compiled";
    totals.explained += status == "explained";
    if (status != "killed" && status != "survived") continue;
    for (std::size_t c = 0; c < totals.criteria.size(); ++c) {
      totals.criteria[c] += mutant.at("criteria").at(c).get<bool>() ? 1 : 0;
    }
  }
  return totals;
}

int exit_status(const Results& results) {
  return std::visit([&](const auto& found) { return status_of(found, results.shard); }, results.found);
}

Passed passed(const Verified& verified) {
  const auto passes = [](const KernelResult& kernel) {
    return kernel.report.decisive().verdict == Verdict::pass;
  };
  return {static_cast<std::size_t>(std::count_if(verified.kernels.begin(), verified.kernels.end(), passes)),
          verified.kernels.size()};
}

}  // namespace assay::report
