// What a run finds, and how it becomes a report.
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

struct Finding {
  ModeReport report;
  std::optional<properties::Case> wrong = {};  ///< whose result is wrong, and not diagnosed yet
  std::uint64_t index = 0;                     ///< of the case
  std::string ending = {};                     ///< how the report's text ends, behind the diagnosis
  double until_s = 0;  ///< processor_seconds() until which it may be diagnosed; 0: as long as that takes
};

/// The report of a case, to be diagnosed if its result is wrong.
Finding finding_of(ModeReport report, const properties::Case& test_case, std::uint64_t index,
                   std::string ending = "");

/// Diagnoses what is wrong, and gives the report in full. A probe may stop the process that runs the kernel,
/// so
/// {"type": "found"} is sent before with what is known by then. `given`: the problems of cases that are not
/// drawn.
ModeReport report_of(const KernelUnderTest& loaded, const process::Reporter& reporter, Finding finding,
                     const std::function<properties::Given(const properties::Case&)>& given = {});

/// The failure of a case that took its process down or was stopped.
std::string death_text(const KernelEntry& entry, const ModeReport& report, const properties::Case& test_case);

nlohmann::json to_json(const ModeReport& report, const char* type);
ModeReport report_from_json(const nlohmann::json& message);

}  // namespace assay::run
