// Cases by which every index of a kernel goes past the widths that counters and offsets are kept in.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "harness/verify/manifest.hpp"
#include "properties/cases/operation.hpp"

namespace assay::properties {

/// A width that could be gone past, by this size at least, at a price that no run pays.
struct DearSize {
  std::string dimension;
  std::int64_t size = 0;
};

struct WidthPlan {
  std::vector<Case> cases;
  /// The tags (sample.hpp) of all widths that tensors of this kernel can go past, as far as its requirements
  /// say: a run that has not reached one of them is vacuous for it.
  std::vector<std::string> wanted;
  /// The tags that none of the cases reaches: of these, or of a stated operation beside them.
  std::map<std::string, DearSize> dear = {};
};

/// For each tensor that the kernel is given, in elements and in bytes, cases in which it goes past each width
/// of 8, 15, 16, 24 and 31 bits, and where that takes moments of 31 bits of elements and 32 of bytes. As few
/// as do: one long size takes several tensors along, and the sample of a case has both sides of all narrower
/// widths. `largest_buffer` in bytes is the device's. Cases of which each threadgroup works through more
/// products than `most_work` are left out, with what they alone would show.
WidthPlan plan_widths(const KernelEntry& entry, const Operation& operation, std::size_t largest_buffer,
                      std::int64_t most_work = std::numeric_limits<std::int64_t>::max());

/// The same of what is run whole (OperationDeclaration::long_sizes).
WidthPlan plan_long_sizes(const KernelEntry& entry, const Operation& operation);

}  // namespace assay::properties
