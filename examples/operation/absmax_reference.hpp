// The largest magnitude of each group of rows and each column: what quantizers take their scales from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// max |W[k, n]| over the rows k of each group, as [ceil(K / group_size), N]. W [K, N] holds bits of halves,
/// none of them NaN; so does the result, which is exact.
std::vector<std::uint16_t> absmax(std::span<const std::uint16_t> W, std::size_t K, std::size_t N,
                                  std::size_t group_size);
