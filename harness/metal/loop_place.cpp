#include "harness/metal/loop_place.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "harness/device/source_text.hpp"
#include "harness/metal/loops.hpp"

namespace assay::metal {
namespace {

/// Of what was seen, what the loop must hold: a look may fall between two rounds.
constexpr double kNearlyAllSeen = 0.9;

/// The head of the innermost loop of these files that such a share of the looks were in.
device::SourcePlace innermost(const std::set<std::string>& files, std::span<const Look> looks, double share) {
  device::SourcePlace loop;
  std::uint32_t shortest = ~std::uint32_t{0};
  for (const std::string& file : files) {
    for (const LoopLines& one : loops_of(tokenize(device::source_text(file), file))) {
      const auto within = [&](const device::SourcePlace& place) {
        return place.file == file && one.first <= place.line && place.line <= one.last;
      };
      const auto held = std::count_if(looks.begin(), looks.end(), [&](const Look& look) {
        return std::any_of(look.begin(), look.end(), within);
      });
      if (held == 0 || static_cast<double>(held) < share * static_cast<double>(looks.size())) continue;
      if (one.last - one.first >= shortest) continue;
      shortest = one.last - one.first;
      loop = {file, one.first};
    }
  }
  return loop;
}

}  // namespace

device::SourcePlace place_of_loop(std::span<const Look> looks) {
  std::set<std::string> files;
  for (const Look& look : looks) {
    for (const auto& place : look) files.insert(place.file);
  }
  for (const double share : {1.0, kNearlyAllSeen}) {
    if (auto loop = innermost(files, looks, share); loop.line != 0) return loop;
  }
  return {};
}

bool only_waits(const device::SourcePlace& place) {
  bool waits = false;
  std::uint32_t shortest = ~std::uint32_t{0};
  for (const LoopLines& one : loops_of(tokenize(device::source_text(place.file), place.file))) {
    if (place.line < one.first || place.line > one.last || one.last - one.first >= shortest) continue;
    shortest = one.last - one.first;
    waits = one.calls_one;
  }
  return waits;
}

}  // namespace assay::metal
