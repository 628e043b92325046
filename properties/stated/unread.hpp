// Elements of inputs that the reference never reads: masked, past a length, of experts that nobody asks. A
// kernel that multiplies them by 0 is wrong where they hold NaN.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "harness/verify/stated_operation.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

/// Its knob `tensor` counts the inputs that may hold NaN.
inline constexpr const char* kUnread = "unread";

/// Declares the regime for each input that may hold NaN; nothing where there is none.
void declare_unread(const StatedOperation& stated, OperationDeclaration& declared);

/// Puts NaN in what is not read of the input that the knob counts: what changes no answer whether NaN, an
/// infinity of either sign or a large number stands there. All of it is tried, then each part along the first
/// axis, along the next, and so on, in a number of tries that is limited, so that some of it may be missed in
/// large inputs. `expect` may throw, which counts as a change.
void spoil_unread(const StatedOperation& stated, std::int64_t knob, Problem& filled,
                  const std::function<std::vector<Expectation>(const Problem&)>& expect);

}  // namespace assay::properties
