// Beside which width the wrong elements of a sample lie, where there is one that tells them from the right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/verify/compare.hpp"
#include "properties/large/right_parts.hpp"

namespace assay::properties {

/// A number that every element of a sample has, such as its column or the farthest element of B that it
/// takes.
struct Offset {
  std::string words;                ///< "column", "offset of B"
  std::vector<std::uint64_t> of;    ///< by element
  std::uint64_t element_bytes = 0;  ///< 0: it is no offset in memory
};

/// "right are all 96 elements with offset of B below 2^16, wrong all 32 from there on; the first is
/// C[0,8192]": the offsets in which a power of two from 2^7 on, of elements or else of bytes, lies between
/// the right and the wrong; "and so with" others, where several do. `wrong` is 1 or 0 by element, `first` the
/// name of the first wrong one. Where there is none: how many are wrong, and the first.
std::string widths_in_words(const std::vector<char>& wrong, const std::vector<Offset>& offsets,
                            const std::string& first);

/// The same of an output that is wrong, by its columns, rows and offsets, and by those of the inputs that its
/// elements took.
std::string widths_of(const Comparison& comparison, const RightParts& right, const Problem& problem);

/// Why a kernel of a stated operation has no large cases, and what to state so that it has some; "" where it
/// has.
std::string what_large_cases_lack(const KernelEntry& entry, const Operation& operation);

}  // namespace assay::properties
