// What an operation on an atomic may find: the newest value, or one that is older, as long as nothing orders
// a later change before it. GPUs do so where values pass between threadgroups without fences, and between
// threads of one threadgroup behind a barrier that does not name their memory. (Apple's Metal Shading
// Language Specification 3.2, section 6.15; C++ [intro.races], [atomics.order].)
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "harness/simulator/device_order.hpp"

namespace assay::simulator {

/// The fences of a launch that are sequentially consistent. They come in one order: what happened before one
/// of them is seen by loads behind a later one, though nothing else orders the two threads.
class SequentialFences {
 public:
  /// A thread of `threadgroup` has come to one, before which `released` happened.
  void note(std::uint32_t clock, std::uint32_t threadgroup, const OrderedBefore& released);
  /// Did a change by `agent` of `threadgroup` at `clock` happen before a fence that came before `reader`'s
  /// last one? Any thread of the reader's threadgroup speaks for all: too much is seen rather than too
  /// little.
  bool covers(std::uint32_t threadgroup, std::uint32_t clock, std::uint32_t agent,
              const ThreadgroupOrder& reader) const;

 private:
  struct Passed {
    std::uint32_t clock;
    Reach reach;
  };
  std::map<std::uint32_t, std::vector<Passed>> passed_;  ///< by threadgroup that they order
  std::map<std::uint32_t, std::uint32_t> last_;          ///< clock of the last one of each threadgroup
};

/// One atomic object in one launch: its last few changes, and who has seen which.
class AtomicHistory {
 public:
  /// A change of the value. Changes of one object are numbered from 1; 0 is how it was before.
  struct Change {
    std::uint64_t value = 0;        ///< that it left
    std::uint32_t clock = 0;        ///< when
    std::uint32_t by = 0;           ///< lane and place, packed as the checker does
    std::uint32_t threadgroup = 0;  ///< number in the launch; of threadgroup memory, the lane
    bool store = false;             ///< did not read what it overwrote
    OrderedBefore released;         ///< what happened before its thread's last fence with release
  };

  /// The object holds `before`. Where that is not what its last change left, somebody else wrote to it (the
  /// checker knows whether that is a race), and older values are forgotten.
  void expect(std::uint64_t before);
  void add(Change change);

  std::uint64_t newest() const { return forgotten_ + changes_.size(); }
  /// The first state that a load by `lane` of `reader` may give.
  std::uint64_t oldest_for(const ThreadgroupOrder& reader, std::uint32_t lane,
                           const SequentialFences& fences) const;
  /// The same of an atomic in threadgroup memory. `before_me`: is what a lane did at that clock ordered
  /// before the one that asks?
  using BeforeMe = std::function<bool(std::uint32_t lane, std::uint32_t clock)>;
  std::uint64_t oldest_for(const BeforeMe& before_me) const;
  /// The first store behind change `oldest`; 0 where there is none.
  std::uint64_t store_after(std::uint64_t oldest) const;
  /// Adds a change that came before store `number`, which is late and overwrites it.
  void add_before(std::uint64_t number, Change change);
  /// The value after change `number`, which must not be older than oldest_for().
  std::uint64_t value(std::uint64_t number) const;
  /// The change itself: `number` above what oldest_for() gives.
  const Change& change(std::uint64_t number) const { return changes_[number - forgotten_ - 1]; }
  /// What a thread that reads state `number` picks up.
  OrderedBefore published(std::uint64_t number) const;
  /// A thread of `threadgroup` has read state `number`: none that is ordered behind it sees an older one.
  void seen(std::uint32_t threadgroup, std::uint32_t clock, std::uint64_t number);

 private:
  struct Sighting {
    std::uint32_t threadgroup, clock;
    std::uint64_t number;
  };
  void forget_first();

  std::uint64_t value_ = 0;      ///< before the first change that is listed
  OrderedBefore published_;      ///< by then
  std::uint64_t forgotten_ = 0;  ///< changes that are not listed any more
  std::vector<Change> changes_;  ///< few, of many objects: a deque would take half a kilobyte for each
  std::vector<Sighting> sightings_;
};

}  // namespace assay::simulator
