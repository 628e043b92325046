// A rejection as data: what a report says in words, for whoever draws or reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/verify/excerpt.hpp"
#include "harness/verify/judge.hpp"
#include "harness/verify/wrong_output.hpp"

namespace assay {

/// How the smallest case was come by.
struct ShrinkSteps {
  std::uint64_t index = 0;  ///< of the case that failed first
  std::string found;        ///< that case, in a line
  std::uint64_t steps = 0, tried = 0;
  bool unfinished = false;  ///< a limit, a crash or a case without end stopped it: something smaller may fail
};

struct Failure {
  std::string test_case;  ///< in a line, as properties::to_line has it; "" where there is none
  /// Likeliest cause first; those behind the first five are counted.
  std::vector<device::Fault> faults = {};
  std::uint64_t more_faults = 0;
  std::vector<device::OldValue> old_values = {};
  std::vector<WrongOutput> outputs = {};
  std::vector<InputText> inputs = {};       ///< of the case, where a result is wrong and some can be read
  std::vector<std::string> remarks = {};    ///< inputs written to, outputs that differ on a second run
  std::vector<std::string> diagnosis = {};  ///< findings, most telling first
  std::optional<ShrinkSteps> shrunk = {};
  std::vector<WrongOutput> outputs_found = {};  ///< of the case before it was shrunk, where it is another
  std::vector<Excerpt> sources = {};            ///< around all places of these
};

/// What was seen of a case that is rejected. The texts that are quoted must be remembered.
Failure failure_of(const Evidence& evidence, const std::optional<Tile>& tile);

/// One that knows of a place alone, if it is known.
Failure failure_at(const std::optional<device::SourcePlace>& place, std::string test_case = "");

}  // namespace assay
