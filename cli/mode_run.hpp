// What a child process does: all cases of one mode of one kernel, or a single one.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/child.hpp"
#include "cli/verifier.hpp"

namespace assay::cli {

/// Compiles, runs options.cases cases, shrinks the first that fails, reports. Messages: {"type": "case",
/// "index"} before each case, {"type": "trace", "text"} around each launch where options.trace asks for it,
/// {"type": "found"} with the report so far, {"type": "result"} at the end.
void run_mode(const verify::KernelEntry& entry, Mode mode, const VerifyOptions& options,
              const Reporter& reporter);

/// One case, without shrinking.
void run_case(const verify::KernelEntry& entry, Mode mode, const properties::Case& problem, bool trace,
              const Reporter& reporter);

nlohmann::json to_json(const ModeReport& report, const char* type);
ModeReport report_from_json(const nlohmann::json& message);

/// Case `index` of a run, without compiling anything.
properties::Case case_number(const verify::KernelEntry& entry, std::uint64_t seed, std::uint64_t index);

/// The failure of a case that took its process down or was stopped.
std::string death_text(const verify::KernelEntry& entry, const ModeReport& report,
                       const properties::Case& problem);

}  // namespace assay::cli
