// What is known of a kernel's mutants, kept between runs.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>

#include "harness/mutate/mutant_judge.hpp"
#include "harness/verify/shard.hpp"

namespace assay::mutate {

/// Results of one kernel under one set of options, a line each, as they come: of this program, the manifest,
/// the text and the cases, whatever a verdict depends on.
class MutationJournal {
 public:
  /// Each shard has its own: they may run side by side, and one that forgets must not take from another.
  MutationJournal(const MutatedKernel& kernel, std::uint64_t cases, std::uint64_t seed, const Shard& shard);

  /// Forgets everything.
  void clear();
  /// By index; lines that were cut short are skipped.
  std::map<std::size_t, MutantResult> read() const;
  /// Throws metal::ToolchainError where there is no room.
  void add(const MutantResult& result);

 private:
  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace assay::mutate
