#include "harness/device/metal_version.hpp"

#include <charconv>

namespace assay::device {

std::optional<unsigned> metal_version_from(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() != 3 || !digit(text[0]) || text[0] == '0' || text[1] != '.' || !digit(text[2]))
    return std::nullopt;
  return static_cast<unsigned>(100 * (text[0] - '0') + 10 * (text[2] - '0'));
}

unsigned metal_version_of(const KernelSource& source) {
  const auto named = source.defines.find(kMetalVersionMacro);
  unsigned version = kMetalVersion;
  if (named != source.defines.end())
    std::from_chars(named->second.data(), named->second.data() + named->second.size(), version);
  return version;
}

}  // namespace assay::device
