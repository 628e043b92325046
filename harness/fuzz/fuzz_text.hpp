// What `assay fuzz` says as it goes on and when it ends.
#pragma once

#include <string>
#include <string_view>

#include "harness/fuzz/findings_directory.hpp"
#include "harness/fuzz/fuzz_run.hpp"

namespace assay::fuzz {

/// The seed of the directory and how many findings it has, a line.
std::string start_text(const FindingsDirectory& directory);

/// How far the run has come and what it is at, for a progress line.
std::string progress_text(const FuzzStatus& now, const std::string& current);

/// A finding and its file, a line. `what`: "new", or how it was met otherwise.
std::string finding_text(std::string_view what, const KeptFinding& finding,
                         const FindingsDirectory& directory);

/// What became of the cases of a round, a line; nothing for a mode that was not run, for it compiles to the
/// code of strict arithmetic.
std::string round_text(const KernelEntry& entry, std::uint64_t round, const run::ModeReport& report);

/// A kernel and mode that cannot be run, and why, a line.
std::string left_out_text(const KernelEntry& entry, run::Mode mode, const std::string& why);

/// What the run came to, a line; and one more where findings of earlier texts were not met again.
std::string end_text(const FuzzStatus& end);

}  // namespace assay::fuzz
