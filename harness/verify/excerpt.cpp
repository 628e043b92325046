#include "harness/verify/excerpt.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include "harness/device/source_text.hpp"
#include "harness/verify/shown.hpp"

namespace assay {
namespace {

constexpr std::uint32_t kAround = 4;
constexpr std::size_t kLongestLine = 240;

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  std::istringstream text(device::source_text(file));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// As it may be shown: tabs as blanks, no other control characters.
std::string shown_line(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::string out;
  for (const char c : line) out += c == '\t' ? std::string(2, ' ') : std::string(1, c);
  return shown(out, kLongestLine);
}

}  // namespace

std::vector<Excerpt> excerpts_around(const std::vector<device::SourcePlace>& places) {
  std::vector<std::string> files;
  std::map<std::string, std::vector<std::uint32_t>> wanted;
  for (const auto& place : places) {
    if (place.file.empty() || place.line == 0) continue;
    if (std::find(files.begin(), files.end(), place.file) == files.end()) files.push_back(place.file);
    wanted[place.file].push_back(place.line);
  }
  std::vector<Excerpt> excerpts;
  for (const std::string& file : files) {
    const auto lines = lines_of(file);
    auto& numbers = wanted[file];
    std::sort(numbers.begin(), numbers.end());
    std::uint32_t behind = 0;  // the line after the last that is there
    for (const std::uint32_t number : numbers) {
      if (number > lines.size()) continue;
      const std::uint32_t end = std::min(number + kAround, static_cast<std::uint32_t>(lines.size()));
      std::uint32_t begin = number > kAround ? number - kAround : 1;
      if (behind == 0 || begin > behind + 1) {
        excerpts.push_back({file, begin, {}});
      } else {
        begin = behind;
      }
      for (std::uint32_t line = begin; line <= end; ++line)
        excerpts.back().lines.push_back(shown_line(lines[line - 1]));
      behind = std::max(behind, end + 1);
    }
  }
  return excerpts;
}

}  // namespace assay
