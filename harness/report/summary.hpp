// What a person reads at the end of a run, of one shard or of merged ones.
#pragma once

#include <string>

#include "harness/report/results.hpp"
#include "harness/report/styled.hpp"

namespace assay::report {

/// Of verify: the failures in full, what the cases reached where that was asked for, and how many kernels
/// pass. Of mutate: the totals, where there are several kernels, the survivors as diffs and the other
/// criteria. Of golden: how many files there are, and what is wrong with them.
StyledText summary(const Results& results);

/// Of kernels that were verified, the failures in full.
StyledText failures(const Verified& verified);

/// What was run, by the settings of verify: "200 drawn cases a mode, and planned ones; seed 1", or the words
/// of an exhaustive run.
std::string settings_text(const nlohmann::json& settings);

enum class Rows {
  all,
  few,  ///< those that a quiet command prints: of kernels that could not be judged, and of the only one
};

/// The header and the rows that a run of mutate prints as it goes on, for one that is over; nothing for other
/// commands.
std::string rows(const Results& results, Rows which);

}  // namespace assay::report
