// Faults that a wrong guess can be behind: they are no verdict on the kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/draft/draft.hpp"
#include "harness/verify/failure.hpp"
#include "harness/verify/verdict.hpp"

namespace assay::draft {

/// Notes a guess that may be wrong; it is one of Draft::guesses, too.
void doubt(Draft& draft, Doubt::Of of, std::string name, std::string line);

/// The lines of those guesses of the draft that may be behind a rejection. `failure`: what is known of it.
///
/// What happens inside one threadgroup (a race, a divergent barrier, memory that is not a buffer) hangs on
/// the number of threads, and on the bytes of the [[threadgroup(i)]] memory that it names; where it names a
/// buffer, on indices and on the size of that buffer, too. That a dimension is a multiple matters where it is
/// none in the smallest case that fails, and a side of the grid where some of an output was never written.
/// All else hangs on every guess.
std::vector<std::string> doubts_behind(const Draft& draft, Verdict verdict,
                                       const std::optional<Failure>& failure);

}  // namespace assay::draft
