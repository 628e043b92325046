// Sets of golden files, looked at: are they undamaged, and is what they say right?
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/verify/shard.hpp"

namespace assay::golden {

/// How far a check has come.
struct CheckProgress {
  std::size_t files = 0, of = 0;         ///< looked at; those of this shard
  std::filesystem::path looked_at = {};  ///< the file that was just looked at
  bool solved = false;                   ///< its answers were computed again
  bool right = false;                    ///< nothing is wrong with it
};

struct CheckOptions {
  Shard shard = {};
  unsigned jobs = 1;  ///< processes at a time
  /// Solve every case again, whole. Otherwise of each set eight cases that lie evenly in it, and of each of
  /// these at most four blocks.
  bool all = false;
  /// Called as the work goes on.
  std::function<void(const CheckProgress&)> progress = {};
};

/// What `check` has found: lines `file: field: what is wrong`. None is right.
struct Checked {
  std::vector<std::filesystem::path> files;  ///< those of this shard
  std::size_t of = 0;                        ///< files of all shards together
  std::size_t solved = 0;                    ///< of `files`, those whose answers were worked out again
  std::vector<std::string>
      differing;  ///< files that are not what their metadata says, files missing from a set
  std::vector<std::string> unreadable;  ///< what could not be judged: damaged files, none at all
};

/// Looks at every *.safetensors file of a directory: its hash, its metadata, its inputs, and what is right as
/// far as `options` say. A file that is damaged is unreadable. A shard does so with its share of them; what
/// is wrong with a set as a whole, or with its index, is for the first to say.
Checked check(const std::filesystem::path& directory, const CheckOptions& options = {});

}  // namespace assay::golden
