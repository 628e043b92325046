#include "harness/simulator/spins.hpp"

#include <algorithm>

namespace assay::simulator {

void Spins::begin(std::uint32_t lanes) {
  if (lanes_.size() > lanes) lanes_.resize(lanes);
  for (OfLane& lane : lanes_) {
    lane.at = {};
    lane.looks = 0;
    lane.left.clear();
  }
}

void Spins::meets(std::uint32_t lane, CallSite site) {
  if (lane >= lanes_.size()) lanes_.resize(lane + 1);
  OfLane& own = lanes_[lane];
  if (own.at == site) return;
  if (own.at.file != nullptr) {
    const auto known =
        std::find_if(own.left.begin(), own.left.end(), [&](const auto& one) { return one.first == own.at; });
    if (known == own.left.end()) {
      own.left.emplace_back(own.at, 1);
    } else {
      ++known->second;
    }
  }
  own.at = site;
  own.looks = 0;
}

void Spins::met(std::uint32_t lane, std::uint64_t value, bool changed) {
  OfLane& own = lanes_[lane];
  own.looks = changed || (own.looks > 0 && own.seen != value) ? 0 : own.looks + 1;
  own.seen = value;
}

bool Spins::is_past(std::uint32_t other, std::uint32_t lane) const {
  if (other >= lanes_.size() || lanes_[other].at == lanes_[lane].at) return false;
  return times_left(lanes_[other], lanes_[lane].at) > times_left(lanes_[lane], lanes_[lane].at);
}

std::uint64_t Spins::times_left(const OfLane& lane, CallSite site) {
  for (const auto& [place, times] : lane.left) {
    if (place == site) return times;
  }
  return 0;
}

}  // namespace assay::simulator
