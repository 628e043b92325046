#include "properties/large/whole.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "properties/cases/space.hpp"

namespace assay::properties {
namespace {

/// Of all tensors of a case. What is right for an output of halves takes twenty times its bytes, in each of
/// the processes that run side by side.
constexpr std::size_t kMostWholeBytes = std::size_t{256} << 20;

bool fit_in_memory(const OperationDeclaration& declaration, Dims dims) {
  for (const Count& one : declaration.counts) dims[one.name] = 1;  // of what cases themselves make
  std::size_t all = 0;
  for (const TensorSpec& spec : declaration.tensors) {
    std::size_t bytes = assay::size_of(spec.dtype);
    for (const std::size_t side : spec.shape(dims)) {
      if (__builtin_mul_overflow(bytes, side, &bytes)) return false;
    }
    if (bytes > kMostWholeBytes) return false;
    all += bytes;
  }
  return all <= kMostWholeBytes;
}

}  // namespace

std::int64_t work_of_threadgroup(const Operation& operation, const Dims& dims, const Share& share) {
  std::int64_t work = 1;
  for (const Dimension& one : operation.declaration().dimensions) {
    if (one.is_choice() || share.cuts(one.name)) continue;
    if (__builtin_mul_overflow(work, dim(dims, one.name), &work))
      return std::numeric_limits<std::int64_t>::max();
  }
  return work;
}

double products_of_threadgroup(const Operation& operation, const Dims& dims, const Share& share) {
  double products = static_cast<double>(work_of_threadgroup(operation, dims, share));
  for (const auto& [dimension, range] : share.of_threadgroup({0, 0, 0}))
    products *= static_cast<double>(range.end - range.begin);
  return products;
}

std::size_t sample_size(const Operation& operation, const Case& test_case, const Share& share) {
  // Sums as long as models have them are many in a run, and one or two threadgroups of each are enough: the
  // longest lie on both sides of each width by themselves.
  constexpr std::int64_t kWork = 1 << 14, kLong = 1 << 11, kLongest = 1 << 13, kMost = 64;
  const std::int64_t each = work_of_threadgroup(operation, test_case.dims, share);
  const std::int64_t work = each < kLong ? kWork : kWork / 2, fewest = each < kLongest ? 2 : 1;
  return static_cast<std::size_t>(std::clamp(work / each, fewest, kMost)) * test_case.budget;
}

bool runs_whole(const OperationDeclaration& declaration, const Case& test_case) {
  if (test_case.budget == 1) return false;
  double product = 1;
  for (const Dimension& one : declaration.dimensions) {
    if (!one.is_choice()) product *= static_cast<double>(dim(test_case.dims, one.name));
  }
  return product <= static_cast<double>(Budget{}.longest) * static_cast<double>(test_case.budget) &&
         fit_in_memory(declaration, test_case.dims);
}

}  // namespace assay::properties
