// Which threadgroups of a large launch are run, and what of its tensors they show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/problem.hpp"
#include "properties/cases/coverage.hpp"
#include "properties/cases/operation.hpp"
#include "properties/large/share.hpp"

namespace assay::properties {

/// Where counters and indices of so many bits end.
inline constexpr std::size_t kWidthBits[] = {8, 15, 16, 24, 31, 32};

/// Threadgroups of a sample that are taken from anywhere.
inline constexpr std::size_t kAnywhere = 4;

/// Threadgroups, each once: those at the corners of the grid; those that need what lies on both sides of each
/// width, in elements and in bytes, of each tensor, and those whose own numbers do; and `anywhere` more, less
/// those that are there already. At most `most`, from the widest down; all where there are no more.
std::vector<device::Size3> sample_of(const Operation& operation, const Problem& problem, const Share& share,
                                     std::size_t most, std::size_t anywhere = kAnywhere);

/// "offset of B past 2^24", "byte of C past 2^31": a width that a tensor of so many elements, each of so many
/// bytes, goes past. From 31 bits on, offsets of single bytes are called those of bytes.
std::vector<std::string> width_tags(const std::string& tensor, std::size_t elements,
                                    std::size_t element_bytes);

/// The widths that the tensors of a problem go past, inputs and outputs, where it is run and judged whole.
void cover_widths(const Problem& problem, Coverage& coverage);
/// Those on both sides of which right answers made use of elements.
void cover_widths(const std::string& tensor, std::size_t first, std::size_t last, std::size_t element_bytes,
                  Coverage& coverage);

}  // namespace assay::properties
