// What a child process does: all cases of one kernel run in one way, or a single one.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/process/child.hpp"
#include "harness/run/kernel_under_test.hpp"
#include "harness/run/verifier.hpp"

namespace assay::run {

/// Compiles, runs options.cases cases, shrinks the first that fails, reports. Messages: {"type": "case",
/// "index", "of"} before each case, {"type": "trace", "text"} around each launch where options.trace asks for
/// it,
/// {"type": "case", "index", "law"} before a law is tried on it,
/// {"type": "found"} with the report so far, {"type": "result"} at the end. Where the code is that of strict
/// arithmetic, which is verified beside it, {"type": "same"} and nothing else.
void run_mode(const verify::KernelEntry& entry, Way way, const VerifyOptions& options,
              const process::Reporter& reporter);

/// One case, without shrinking: against the reference, or one law of it where `law` names one. A wrong result
/// is diagnosed as in a run.
void run_case(const verify::KernelEntry& entry, Way way, const properties::Case& problem,
              const std::string& law, bool trace, const process::Reporter& reporter);

/// What the confined process of a run found.
struct Finding {
  ModeReport report;
  std::optional<properties::Case> wrong = {};  ///< whose result is wrong, and not diagnosed yet
  std::uint64_t index = 0;                     ///< of the case
  std::string ending = {};                     ///< how the report's text ends, behind the diagnosis
};

/// In the process that compiles: runs `find`, which launches the kernel, in a confined one, diagnoses what is
/// wrong in another, and gives the report in full. A probe may stop the process, so {"type": "found"} is sent
/// before with what is known by then.
ModeReport find_confined(const KernelUnderTest& loaded, const process::Reporter& reporter,
                         const std::function<Finding()>& find);

/// The report of a case, to be diagnosed if its result is wrong.
Finding finding_of(ModeReport report, const properties::Case& problem, std::uint64_t index,
                   std::string ending = "");

nlohmann::json to_json(const ModeReport& report, const char* type);
ModeReport report_from_json(const nlohmann::json& message);

/// Case `index` of a run, without compiling anything.
properties::Case case_number(const verify::KernelEntry& entry, const VerifyOptions& options,
                             std::uint64_t index);

/// The failure of a case that took its process down or was stopped.
std::string death_text(const verify::KernelEntry& entry, const ModeReport& report,
                       const properties::Case& problem);

}  // namespace assay::run
