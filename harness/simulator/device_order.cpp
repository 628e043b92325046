#include "harness/simulator/device_order.hpp"

#include <algorithm>

#include "harness/simulator/agent.hpp"

namespace assay::simulator {

void Reach::join(const Reach& other) {
  all = std::max(all, other.all);
  for (const auto& [agent, clock] : other.agents) {
    auto& mine = agents[agent];
    mine = std::max(mine, clock);
  }
}

bool Reach::covers(std::uint32_t clock, std::uint32_t agent) const {
  if (clock < all) return true;
  const auto before = [&](std::uint32_t key) {
    const auto found = agents.find(key);
    return found != agents.end() && clock < found->second;
  };
  return before(agent) ||
         (simdgroup_of(agent) != kNoSimdgroup && before(kSeveralOfSimdgroup + simdgroup_of(agent)));
}

void OrderedBefore::join(const OrderedBefore& other) {
  for (const auto& [threadgroup, reach] : other.reach_) reach_[threadgroup].join(reach);
}

bool OrderedBefore::covers(std::uint32_t threadgroup, std::uint32_t clock, std::uint32_t agent) const {
  const auto found = reach_.find(threadgroup);
  return found != reach_.end() && found->second.covers(clock, agent);
}

std::uint32_t OrderedBefore::latest(std::uint32_t threadgroup) const {
  const auto found = reach_.find(threadgroup);
  if (found == reach_.end()) return 0;
  std::uint32_t clock = found->second.all;
  for (const auto& [agent, reached] : found->second.agents) clock = std::max(clock, reached);
  return clock;
}

bool ThreadgroupOrder::covers(std::uint32_t threadgroup, std::uint32_t clock, std::uint32_t agent,
                              std::uint32_t lane) const {
  if (acquired.covers(threadgroup, clock, agent)) return true;
  if (const auto found = groups.find(lane / kWidth); found != groups.end()) {
    if (found->second.covers(threadgroup, clock, agent)) return true;
  }
  const auto found = lanes.find(lane);
  return found != lanes.end() && found->second.acquired.covers(threadgroup, clock, agent);
}

std::uint32_t ThreadgroupOrder::latest(std::uint32_t threadgroup) const {
  std::uint32_t clock = acquired.latest(threadgroup);
  for (const auto& [group, order] : groups) clock = std::max(clock, order.latest(threadgroup));
  for (const auto& [lane, order] : lanes) clock = std::max(clock, order.acquired.latest(threadgroup));
  return clock;
}

void ThreadgroupOrder::threadgroup_barrier() {
  for (const auto& [lane, order] : lanes) acquired.join(order.acquired);
  for (const auto& [group, order] : groups) acquired.join(order);
}

void ThreadgroupOrder::simdgroup_barrier(std::uint32_t simdgroup) {
  for (const auto& [lane, order] : lanes) {
    if (lane / kWidth == simdgroup && !order.acquired.empty()) groups[simdgroup].join(order.acquired);
  }
}

}  // namespace assay::simulator
