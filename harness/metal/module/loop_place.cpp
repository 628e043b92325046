#include "harness/metal/module/loop_place.hpp"

#include <algorithm>
#include <cstdint>

namespace assay::metal {
namespace {

/// Of what was seen, what the loop must hold: a look may fall between two rounds.
constexpr double kNearlyAllSeen = 0.9;

bool holds(const TextLoop& loop, const device::SourcePlace& place) {
  return place.file == loop.file && loop.first <= place.line && place.line <= loop.last;
}

/// The shortest loop that this is true of; null where it is of none.
template <class Which>
const TextLoop* innermost(std::span<const TextLoop> loops, const Which& which) {
  const TextLoop* found = nullptr;
  for (const TextLoop& one : loops) {
    const bool shorter = found == nullptr || one.last - one.first < found->last - found->first;
    if (shorter && which(one)) found = &one;
  }
  return found;
}

}  // namespace

device::SourcePlace place_of_loop(std::span<const TextLoop> loops, std::span<const Look> looks) {
  for (const double share : {1.0, kNearlyAllSeen}) {
    const TextLoop* const found = innermost(loops, [&](const TextLoop& loop) {
      const auto held = std::count_if(looks.begin(), looks.end(), [&](const Look& look) {
        return std::any_of(look.begin(), look.end(), [&](const auto& place) { return holds(loop, place); });
      });
      return held != 0 && static_cast<double>(held) >= share * static_cast<double>(looks.size());
    });
    if (found != nullptr) return {found->file, found->first};
  }
  return {};
}

bool only_waits(std::span<const TextLoop> loops, const device::SourcePlace& place) {
  const TextLoop* const found = innermost(loops, [&](const TextLoop& loop) { return holds(loop, place); });
  return found != nullptr && found->calls_at_most_one;
}

}  // namespace assay::metal
