#include "harness/device/bytes.hpp"

#include <algorithm>
#include <cstring>

namespace assay::device {

void fill_poison(std::span<std::byte> data, std::uint16_t poison, std::size_t offset_bytes) {
  for (std::size_t i = 0; i < std::min<std::size_t>(2, data.size()); ++i)
    data[i] = static_cast<std::byte>(poison >> (8 * ((offset_bytes + i) % 2)));
  for (std::size_t done = 2; done < data.size(); done *= 2)
    std::memcpy(data.data() + done, data.data(), std::min(done, data.size() - done));
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace assay::device
