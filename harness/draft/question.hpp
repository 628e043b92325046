// What is asked where a rejection hangs on facts that nobody has told: one question, with the option that
// answers it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/draft/doubt.hpp"
#include "harness/draft/otherwise.hpp"

namespace assay::draft {

/// What a rejection is known by: `text` is the report in words, as explain() reads it.
struct Rejection {
  Verdict verdict = Verdict::error;
  const std::optional<Failure>& failure;
  const std::string& text;
};

/// The likeliest of the facts behind it (doubts_behind(), not empty), in a line with the option that tells it
/// and a value to try.
std::string question(const Draft& draft, const Rejection& rejection, const std::vector<const Doubt*>& behind,
                     const Otherwise& otherwise);

}  // namespace assay::draft
