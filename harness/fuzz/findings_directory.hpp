// The directory that fuzzing keeps its findings in: a file each, and how far it has come.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "harness/fuzz/fuzz_state.hpp"

namespace assay::fuzz {

/// One run at a time has it. Whoever is killed leaves files that are whole: each is written under another
/// name first.
class FindingsDirectory {
 public:
  /// Makes the directory where there is none, and reads what an earlier run has left. A finding whose file
  /// was removed is forgotten. `seed`: of a directory that is new; drawn where there is none. Throws
  /// std::runtime_error, one line: no directory can be had, another run has it, it was begun with another
  /// seed, `state.json` is none.
  FindingsDirectory(std::filesystem::path path, std::optional<std::uint64_t> seed);
  ~FindingsDirectory();
  FindingsDirectory(const FindingsDirectory&) = delete;
  FindingsDirectory& operator=(const FindingsDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const FuzzState& state() const { return state_; }
  FuzzState& state() { return state_; }

  std::filesystem::path file_of(const KeptFinding& finding) const;

  /// Writes a finding's file. Throws std::runtime_error `FILE: why`.
  void write(const KeptFinding& finding) const;
  /// Writes the state. Throws std::runtime_error `FILE: why`.
  void save() const;

 private:
  void lock();
  void read(std::optional<std::uint64_t> seed);

  std::filesystem::path path_;
  FuzzState state_;
  int lock_ = -1;
};

}  // namespace assay::fuzz
