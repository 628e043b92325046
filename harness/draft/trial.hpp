// Numbers of threads that a text says nothing of, tried on one threadgroup: with the right one its threads do
// not run into each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/draft/kernel_reader.hpp"
#include "harness/draft/measure.hpp"

namespace assay::draft {

/// What is tried where `first` has a fault, likeliest first. A kernel that waits for other simdgroups, or
/// asks which it is in, has several: one would hide that it does not wait often enough.
std::vector<device::Size3> other_threads(const device::Size3& first, const KernelText& kernel,
                                         std::uint32_t most_threads);

/// Runs the first threadgroup at the first sizes, confined and with every access checked, once for each
/// request. Of each: the first fault between its threads or in memory that is theirs; "" where there is none.
/// Nothing of those that could not be tried.
std::vector<std::optional<std::string>> faults_inside(const std::vector<MeasureRequest>& requests);

}  // namespace assay::draft
