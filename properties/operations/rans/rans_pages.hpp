// Streams whose bytes fill whole pages, so that memory can repeat them without a copy.
#pragma once

#include <cstddef>

#include "assay/problem.hpp"

namespace assay::properties {

/// Gives the last tile of a problem, or some of the last, other symbols, few of them and rare ones, so many
/// that the bytes of all streams end with a page and are no fewer. False, and the problem is as it was, where
/// `times` as many bytes are few, where they repeat after few pages anyway, and where no such tiles are
/// found: small ones have too few bytes.
bool end_with_page(std::size_t times, Problem& problem);

}  // namespace assay::properties
