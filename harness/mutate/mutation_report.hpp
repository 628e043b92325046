// What `assay mutate` says: a row a kernel, the survivors as diffs, the comparison with other criteria, and
// the same as JSON.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/mutate/equivalents.hpp"
#include "harness/mutate/mutation_run.hpp"

namespace assay::mutate {

/// Counts of mutants.
struct MutationTotals {
  std::size_t mutants = 0, not_compiled = 0, killed = 0, equivalent = 0, explained = 0, survived = 0;
  std::array<std::size_t, kCriteria.size()> criteria{};  ///< those that each other criterion rejects

  std::size_t compiled() const { return mutants - not_compiled; }
  /// Those that are another program than the kernel, as far as is known.
  std::size_t faulty() const { return killed + survived; }
  void add(const MutationTotals& other);
};

/// One kernel's mutants with their explanations.
class MutationReport {
 public:
  MutationReport(KernelMutants mutants, Equivalents& equivalents);

  const std::string& name() const { return mutants_.kernel.entry->name; }
  const KernelMutants& mutants() const { return mutants_; }
  const MutationTotals& totals() const { return totals_; }
  /// Every survivor that nothing explains, as a diff with the kernel's name.
  std::string survivors() const;
  nlohmann::json json() const;

 private:
  struct Entry {
    mutate::ChangedLines changed;
    std::string reason;  // of an explained survivor
  };

  KernelMutants mutants_;
  std::vector<Entry> entries_;  // of mutants_.results
  MutationTotals totals_;
};

/// The rows of the table; `name_width` of the kernels' names. `error`: why not all could be judged, on a line
/// of its own; empty where they were.
std::string mutation_header(std::size_t name_width);
std::string mutation_row(const std::string& name, const MutationTotals& totals, double seconds,
                         std::size_t name_width, const std::string& error = {});
/// What is known of each mutant, as JSON in the place of that file: the kernels in their order. Throws what
/// replace_file throws.
void write_report(const std::filesystem::path& file, const MutateOptions& options,
                  const std::map<std::size_t, MutationReport>& kernels);
/// How quickly mutants were judged, and how many an earlier run had judged.
std::string rate_text(const std::vector<MutationReport>& reports, double seconds);
/// How many faulty mutants Assay and the others reject.
std::string criteria_table(const MutationTotals& totals);

}  // namespace assay::mutate
