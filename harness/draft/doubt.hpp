// Facts that nobody has told, which a rejection may hang on: then it is no verdict on the kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/verdict.hpp"
#include "harness/draft/draft.hpp"
#include "harness/verify/failure.hpp"

namespace assay::draft {

/// Notes a guess that may be wrong; it is one of Draft::guesses, too.
void doubt(Draft& draft, Doubt::Of of, std::string name, std::string line);

/// Notes a fact that nobody has told, without a line of its own among the guesses.
void untold(Draft& draft, Doubt::Of of, std::string name, std::string line);

/// Of a dimension of the case: "buffers M=1 N=129". 0 where it has none of that name.
std::int64_t size_in(const std::string& test_case, const std::string& name);

/// The fault that a verdict is of; null where there is none.
const device::Fault* fault_of(Verdict verdict, const std::optional<Failure>& failure);
bool is_about(const device::Fault& fault, const DraftBuffer& buffer);

/// What may be behind a rejection: all that nobody has told, but the size of a buffer only where an access
/// goes past its end, its access where it is read before it is written, not written, or written although it
/// is an input, and the bytes of threadgroup memory where they are gone past.
std::vector<const Doubt*> doubts_behind(const Draft& draft, Verdict verdict,
                                        const std::optional<Failure>& failure);

}  // namespace assay::draft
