// What a launch was given and what it left, in words: the debugging aid of document 002, section 5.1
// (docs/documents.md).
#pragma once

#include <string>

#include "assay/device/launch_recorder.hpp"
#include "assay/problem.hpp"
#include "assay/tensor.hpp"
#include "harness/verify/manifest.hpp"

namespace assay {

/// One line: name, type, shape, smallest and largest element, how many NaN and infinities there are, the
/// distinct values (each where they are few: the levels of a grid, a sign vector that is none), the first
/// bytes.
/// Of a tensor of more than 2^20 elements it looks at that many, and says so. Memory that nobody has written
/// holds the pattern it was filled with.
std::string describe_tensor(const Tensor& tensor);

/// A heading, then a line a tensor in the order of the buffer indices, then the scalars, of a launch of
/// `entry` on `problem`. Throws ManifestError as resolve_arguments does.
std::string trace_text(const KernelEntry& entry, const Problem& problem,
                       const device::LaunchSnapshot& snapshot);

}  // namespace assay
