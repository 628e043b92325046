// The words of a request, taken apart, and what refuses them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace assay::golden {

/// The parts between the characters `at`; one, maybe empty, where there is none.
inline std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Throws std::invalid_argument `field: why`.
[[noreturn]] inline void refuse(std::string_view field, const std::string& why) {
  throw std::invalid_argument(fmt::format("{}: {}", field, why));
}

}  // namespace assay::golden
