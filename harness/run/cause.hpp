// What a case is rejected for, in words that are the same for other cases with the same fault.
#pragma once

#include <string>
#include <string_view>

#include "harness/process/child.hpp"
#include "harness/run/verifier.hpp"
#include "harness/verify/judge.hpp"

namespace assay::run {

/// The verdict and the place of its decisive fault, "race at include/fused.h:25", or what is wrong with which
/// tensor, "wrong result: elements of C are wrong". Without sizes, counts and values: those are the case's.
std::string cause_of(Verdict verdict, const Evidence& evidence);

/// "law broken: scaling".
std::string cause_of_law(std::string_view law);

/// "timeout", or "crash: " and the signal or the guard, with the line where it is known.
std::string cause_of_end(Verdict verdict, const process::Death& death);

/// Each run of numbers becomes one #: "codes 1, 9; all of the 7417" is "codes #; all of the #".
std::string without_numbers(std::string_view text);

/// Asks options.counted, if it is there. Where it says yes, {"type": "counted", "cause"} is sent.
bool counted(const VerifyOptions& options, const process::Reporter& reporter, Verdict verdict,
             const std::string& cause, const properties::Case& rejected);

}  // namespace assay::run
