// A finding of fuzzing: what a kernel is rejected for in one mode, with the smallest case that shows it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/run/verifier.hpp"
#include "properties/cases/case.hpp"

namespace assay::fuzz {

struct KeptFinding {
  std::string manifest, kernel;
  std::string mode;        ///< "fast", "checked", "contracted" or "reassociated"
  std::string verdict;     ///< "race", as assay::name_of gives it
  std::string cause;       ///< run/cause.hpp
  std::string conclusion;  ///< of the diagnosis, without its numbers; "" where there is none
  std::string replay;      ///< the line of the smallest case
  std::string report;      ///< of that case, for people
  std::string text;        ///< hash of the kernel's text in which it was seen last
  double size = 0;         ///< of the smallest case: size_of()
  std::uint64_t seen = 1;  ///< cases that were rejected for it
  bool shrunk = true;      ///< false: the case ended its process, and nobody has tried smaller ones yet

  /// Has it this cause, in this kernel and mode? A rejection whose diagnosis was cut short has any.
  bool is(const KeptFinding& other) const;

  /// "KERNEL-MODE-HASH.txt": letters, digits, dashes and underscores, whatever the kernel is called.
  std::string file_name() const;

  /// Its file: comments behind # for people, the replay line, the report.
  std::string file_text() const;
};

/// Of a rejection.
KeptFinding finding_of(const KernelEntry& entry, run::Mode mode, const run::ModeReport& report,
                       std::string text);

/// What a smaller case has less of: the product of its dimensions.
double size_of(const properties::Case& failing);

nlohmann::json to_json(const KeptFinding& finding);
/// Throws nlohmann::json::exception where a field is missing or of another type.
KeptFinding kept_finding_from_json(const nlohmann::json& json);

}  // namespace assay::fuzz
