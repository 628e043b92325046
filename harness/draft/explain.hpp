// What a report of a drafted kernel has to do with what was guessed of its buffers.
#pragma once

#include <string>
#include <vector>

#include "assay/verdict.hpp"
#include "harness/draft/draft.hpp"

namespace assay::draft {

/// Of a rejection, as its report tells it: which buffer it is about, what that was taken for, which element
/// the kernel touched, and the option that says otherwise. One line each; none where it is about none.
std::vector<std::string> explain(const Draft& draft, Verdict verdict, const std::string& report);

}  // namespace assay::draft
