// What a child process does: all cases of one kernel run in one way, or a single one.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/child.hpp"
#include "cli/loaded.hpp"
#include "cli/verifier.hpp"

namespace assay::cli {

/// Compiles, runs options.cases cases, shrinks the first that fails, reports. Messages: {"type": "case",
/// "index", "of"} before each case, {"type": "trace", "text"} around each launch where options.trace asks for
/// it,
/// {"type": "case", "index", "law"} before a law is tried on it,
/// {"type": "found"} with the report so far, {"type": "result"} at the end. Where the code is that of strict
/// arithmetic, which is verified beside it, {"type": "same"} and nothing else.
void run_mode(const verify::KernelEntry& entry, Way way, const VerifyOptions& options,
              const Reporter& reporter);

/// One case, without shrinking: against the reference, or one law of it where `law` names one. A wrong result
/// is diagnosed as in a run.
void run_case(const verify::KernelEntry& entry, Way way, const properties::Case& problem,
              const std::string& law, bool trace, const Reporter& reporter);

/// Ends the report of a case: where the result is wrong, with what further probes tell of it, and always with
/// `ending`. A probe may stop the process, so {"type": "found"} is sent before with what is known by then.
void finish(ModeReport& report, const Loaded& loaded, const properties::Case& problem, std::uint64_t index,
            const std::string& ending, const Reporter& reporter);

nlohmann::json to_json(const ModeReport& report, const char* type);
ModeReport report_from_json(const nlohmann::json& message);

/// Case `index` of a run, without compiling anything.
properties::Case case_number(const verify::KernelEntry& entry, const VerifyOptions& options,
                             std::uint64_t index);

/// The failure of a case that took its process down or was stopped.
std::string death_text(const verify::KernelEntry& entry, const ModeReport& report,
                       const properties::Case& problem);

}  // namespace assay::cli
