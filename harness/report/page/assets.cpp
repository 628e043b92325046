#include "harness/report/page/assets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace assay::report::page {
namespace {

unsigned digit_of(char hexadecimal) {
  return static_cast<unsigned>(hexadecimal <= '9' ? hexadecimal - '0' : hexadecimal - 'a' + 10);
}

}  // namespace

std::string policy_hash(std::string_view sha256) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "'sha256-";
  // Three bytes, six hexadecimal digits, are four digits of base 64; what is missing at the end is '='.
  for (std::size_t at = 0; at < sha256.size(); at += 6) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 6; ++i)
      group = group << 4 | (at + i < sha256.size() ? digit_of(sha256[at + i]) : 0);
    const std::size_t bytes = (std::min<std::size_t>(sha256.size() - at, 6)) / 2;
    for (std::size_t i = 0; i < 4; ++i) out += i <= bytes ? kDigits[group >> (18 - 6 * i) & 63] : '=';
  }
  return out + "'";
}

}  // namespace assay::report::page
