// What orders accesses of different threadgroups: atomics with device-scope fences, and nothing else.
//
// A fence with release notes what is ordered before its thread: the thread's own accesses, its threadgroup's
// before their last barrier over device memory, and what it has acquired. An atomic that follows publishes
// the note at its address; an atomic of another threadgroup that reads there picks it up; a fence with
// acquire behind that one makes it count. A barrier over device memory passes it on to the barrier's other
// threads. Relaxed atomics alone, barriers alone and fences of a smaller scope order nothing between
// threadgroups. (Apple's Metal Shading Language Specification 3.2, section 6.15; C++ [atomics.fences].)
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

namespace assay::simulator {

/// Accesses of one threadgroup that are ordered before something: those of all its threads before `all`, and
/// of some agents (agent.hpp: a lane, or kSeveralOfSimdgroup + simdgroup for its lanes) before a later clock.
struct Reach {
  std::uint32_t all = 0;
  std::map<std::uint32_t, std::uint32_t> agents;
  void join(const Reach& other);
  bool covers(std::uint32_t clock, std::uint32_t agent) const;
};

/// By number of the threadgroup in the launch.
class OrderedBefore {
 public:
  void join(const OrderedBefore& other);
  bool covers(std::uint32_t threadgroup, std::uint32_t clock, std::uint32_t agent) const;
  Reach& of(std::uint32_t threadgroup) { return reach_[threadgroup]; }
  const std::map<std::uint32_t, Reach>& all() const { return reach_; }
  /// The clock before which something of the threadgroup is covered; 0 if nothing is.
  std::uint32_t latest(std::uint32_t threadgroup) const;
  bool empty() const { return reach_.empty(); }

 private:
  std::map<std::uint32_t, Reach> reach_;
};

/// What a thread has gathered by fences and atomics.
struct LaneOrder {
  OrderedBefore released;  ///< noted by its last fence with release
  OrderedBefore picked;    ///< by its atomics, not yet acquired
  OrderedBefore acquired;
};

/// What a running threadgroup has gathered.
struct ThreadgroupOrder {
  std::uint32_t number = 0;
  OrderedBefore acquired;                                   ///< by all threads
  std::unordered_map<std::uint32_t, OrderedBefore> groups;  ///< by the lanes of a simdgroup
  std::unordered_map<std::uint32_t, LaneOrder> lanes;

  bool covers(std::uint32_t threadgroup, std::uint32_t clock, std::uint32_t agent, std::uint32_t lane) const;
  /// OrderedBefore::latest() of what any of its threads has acquired.
  std::uint32_t latest(std::uint32_t threadgroup) const;
  /// A barrier over device memory: of the threadgroup, or of one simdgroup.
  void threadgroup_barrier();
  void simdgroup_barrier(std::uint32_t simdgroup);
};

}  // namespace assay::simulator
