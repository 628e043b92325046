// What bound memory held at one time, to run a launch again from there.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "harness/simulator/buffers.hpp"
#include "harness/simulator/checker.hpp"

namespace assay::simulator {

class MemoryImage {
 public:
  /// Of memory that `buffers` hold, as it is now. Both must outlive this.
  MemoryImage(const Buffers& buffers, const std::vector<NamedRange>& memory);

  /// Memory becomes what it was.
  void restore() const;

  bool operator==(const MemoryImage& other) const { return pages_ == other.pages_; }

 private:
  /// The pages of a range, or what of them lies in it, that may hold anything but zeroes.
  template <class Visit>
  void each_page(const Visit& visit) const;

  const Buffers& buffers_;
  const std::vector<NamedRange>& memory_;
  /// By where they lie and how long they are. What is not here is zero, or cannot be written to.
  std::map<std::pair<std::byte*, std::size_t>, std::vector<std::byte>> pages_;
};

}  // namespace assay::simulator
