#include "properties/operations/packed4/code_coverage.hpp"

#include <fmt/format.h>

#include <array>

namespace assay::properties {
namespace {

constexpr std::size_t kNibbles = 8;

std::string code_tag(std::size_t code, std::size_t nibble) {
  return fmt::format("code {} at nibble {}", code, nibble);
}

}  // namespace

void cover_codes(std::span<const std::uint8_t> codes, std::size_t K, std::size_t N, Coverage& coverage) {
  std::array<std::array<std::uint64_t, kCodes>, kNibbles> counts{};
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t n = 0; n < N; ++n) ++counts[k % kNibbles][codes[k * N + n] % kCodes];
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
