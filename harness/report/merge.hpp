// Shards of one run, joined to what the run would have said alone.
#pragma once

#include <string>
#include <vector>

#include "harness/report/fields.hpp"
#include "harness/report/results.hpp"

namespace assay::report {

/// What a file holds.
struct Part {
  std::string file;
  Results results;
};

/// The results of the run whose shards these are, in any order. But for seconds, which are summed up, and for
/// paths, which are those of the machine that ran the kernel's first shard, they are those of one run of it.
/// Throws ReportError, which names the file: a shard that is missing or there twice, of another run (another
/// version, command, setting, content or choice of kernels), or that lacks what it was to judge.
Results merge(std::vector<Part> parts);

}  // namespace assay::report
