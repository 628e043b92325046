// Which shard a program is to run when nobody has told it: what schedulers set for each of the processes that
// they start of a job.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/verify/shard.hpp"

namespace assay::report {

struct ShardChoice {
  Shard shard;
  std::string from;  ///< the variable that says so; "" where it was asked for, or nobody speaks of shards

  /// A line for who did not ask for it; nothing else.
  std::string note() const;
};

/// The value of an environment variable; nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// This process's.
std::optional<std::string> environment(const char* name);

/// `asked`, e.g. "2/3", where there is one, else what GTEST_SHARD_INDEX with GTEST_TOTAL_SHARDS,
/// SLURM_ARRAY_TASK_ID with SLURM_ARRAY_TASK_COUNT and _MIN, or JOB_COMPLETION_INDEX with ASSAY_SHARDS say.
/// Throws std::invalid_argument, one line that names the variable, where one is missing, is no number or
/// contradicts another.
ShardChoice choose_shard(const std::optional<std::string>& asked, const Environment& of = environment);

}  // namespace assay::report
