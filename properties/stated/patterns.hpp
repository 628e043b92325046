// Values that are planned for inputs of stated operations: what drawn values seldom are, an input at a time
// or all at once.
#pragma once

#include <string_view>
#include <vector>

#include "harness/verify/stated_operation.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

/// The regime of planned patterns; its knob `value` counts those of patterns_of().
inline constexpr const char* kPatterns = "patterns";

enum class Pattern {
  equal,       ///< one value everywhere
  least,       ///< the least value that the tensor may hold, everywhere
  largest,     ///< the largest
  extremes,    ///< either of these
  few,         ///< two values
  in_turn,     ///< two values, one after the other
  runs,        ///< long runs of one value each
  ones,        ///< the first elements are 1, or as near as may be
  zeros,       ///< the first elements are 0, or as near as may be
  signs,       ///< mostly zeros, of both signs
  outliers,    ///< ordinary, and a few far larger
  strided,     ///< ordinary, and the largest 32 to 256 apart: one thread has all of them
  steps,       ///< a low or a high beginning of each row, and one value behind it
  magnitudes,  ///< those of the type's whole range, as far as products of two are finite and not 0
  squares,     ///< ordinary ones, and those whose squares overflow, or are 0
  subnormal,   ///< subnormal numbers and ordinary ones
  opposed_1,   ///< all far below 0 where is_below() says so, and else all far above
  opposed_2,   ///< the same of other inputs
  opposed_4,   ///< and of others again
  terms,       ///< a 0 ahead of each row, and behind it what exp() makes next to nothing
  infinite,    ///< -infinity, or infinity, everywhere in a row, or but for one
  last,        ///< of indices the last that there is, everywhere, beside ordinary values of other inputs
  behind,      ///< infinity a little before the last of each row; others of one sign
  ends,    ///< whole numbers of which sums rise and fall again, and large ones at the end of each long axis
  beside,  ///< of whole numbers with any bits the ends, what lies beside them, and about the sign bit
};

/// Those that an input of the operation takes, as its values and its `never` say, in the order of the knob.
std::vector<Pattern> patterns_of(const StatedOperation& stated);

/// Whether the manifest has that word among what the tensor never holds.
bool says_never(const StatedTensor& tensor, std::string_view word);

/// All sizes of that length, and of each choice the value that is named first.
Dims small_dims(const std::vector<Dimension>& dimensions, std::int64_t size);

/// Whether that tensor takes the pattern. Where it does not, its values are ordinary ones.
bool takes(const StatedTensor& tensor, Pattern pattern);

/// Whether a tensor's values are those below 0 where inputs are far from it on different sides. Of all that
/// take such patterns each lies below in one of them, and each two on different sides in one, so a product of
/// any two lies far below 0 in every element. Of `ends`, whether its second half is below 0: of the first
/// input alone that may hold both signs, so that sums of products rise and fall again.
bool is_below(const StatedOperation& stated, const StatedTensor& tensor, Pattern pattern);

/// Declares the patterns, infinities and NaN at the ends of each axis, and cases of one long size.
void declare_plans(const StatedOperation& stated, OperationDeclaration& declared);

}  // namespace assay::properties
