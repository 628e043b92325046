// How many threads a threadgroup has, as far as the text of a kernel lets it be seen.
#pragma once

#include <optional>
#include <vector>

#include "harness/draft/kernel_reader.hpp"
#include "harness/metal/text/outline.hpp"

namespace assay::draft {

/// By a name, such as THREADS or TG_SIZE, of a constant, a macro or a `uint3(16, 16, 1)`; by what a thread
/// strides over, `i += 64`; by what a threadgroup begins at, `group * 64 + thread`; by an array of
/// threadgroup memory that has an element for each thread; or because nothing tells one simdgroup from
/// another. In this order, but the last before all.
std::optional<ThreadClue> threads_in(const metal::Outline& text, const std::vector<Parameter>& parameters);

/// `for (i = place; i < N; i += stride)`, where `stride` is a scalar of the kernel: each scalar once.
std::vector<StrideClue> strides_in(const metal::Outline& text);

/// Whether another number of threads could make a difference: not to a kernel that knows its place in the
/// grid alone.
bool threads_matter(const std::vector<Parameter>& parameters);

}  // namespace assay::draft
