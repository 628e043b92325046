#include "properties/operations/packed4/code_coverage.hpp"

#include <fmt/format.h>

#include <array>

#include "reference/packing.hpp"

namespace assay::properties {
namespace {

constexpr std::size_t kNibbles = reference::kNibblesPerWord;

std::string code_tag(std::size_t code, std::size_t nibble) {
  return fmt::format("code {} at nibble {}", code, nibble);
}

}  // namespace

void cover_codes(std::span<const std::uint32_t> packed, std::size_t K, std::size_t N, Coverage& coverage) {
  // Whole words byte by byte: two codes are counted by one step, and told apart at the end.
  std::array<std::array<std::uint64_t, 256>, kNibbles / 2> bytes{};
  for (const std::uint32_t word : packed.first(K / kNibbles * N)) {
    for (std::size_t byte = 0; byte < bytes.size(); ++byte) ++bytes[byte][word >> (8 * byte) & 0xFF];
  }
  std::array<std::array<std::uint64_t, kCodes>, kNibbles> counts{};
  for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
    for (std::size_t value = 0; value < bytes[byte].size(); ++value) {
      counts[2 * byte][value % kCodes] += bytes[byte][value];
      counts[2 * byte + 1][value / kCodes] += bytes[byte][value];
    }
  }
  for (std::size_t k = K / kNibbles * kNibbles; k < K; ++k) {
    for (std::size_t n = 0; n < N; ++n) ++counts[k % kNibbles][reference::nibble_at(packed, N, k, n)];
  }
  for (std::size_t nibble = 0; nibble < kNibbles; ++nibble) {
    for (std::size_t code = 0; code < kCodes; ++code)
      coverage.add(code_tag(code, nibble), counts[nibble][code]);
  }
}

std::vector<std::string> all_code_tags() {
  std::vector<std::string> tags;
  for (std::size_t nibble = 0; nibble < kNibbles; ++nibble) {
    for (std::size_t code = 0; code < kCodes; ++code) tags.push_back(code_tag(code, nibble));
  }
  return tags;
}

}  // namespace assay::properties
