#include "assay/device/counts.hpp"

namespace assay::device {

std::size_t Counts::threadgroup_bytes() const {
  std::size_t total = 0;
  for (const auto& object : threadgroup_memory) total += object.size_bytes;
  return total;
}

}  // namespace assay::device
