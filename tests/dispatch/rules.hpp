// The rules by which the design documents choose a kernel (docs/documents.md), each with a problem that
// stands for it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace assay::tests {

enum class Weights { fp4, u4, trellis };

struct DispatchRule {
  std::string_view document, section;  ///< a row of docs/documents.md
  std::string_view says;               ///< in our words
  Weights weights{};
  std::size_t M = 0, N = 0, K = 0;
  std::string_view wants;  ///< a kernel; or "K tiles of N", where the document leaves the kernel open
  std::string_view why;    ///< we take another; empty where we do not
  std::size_t core_bytes = 32'768;  ///< threadgroup memory of a core
};

/// In the order of the documents.
std::span<const DispatchRule> dispatch_rules();

}  // namespace assay::tests
