#include "harness/simulator/memory_image.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace assay::simulator {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::array<std::byte, kPageBytes> kZeroes{};

}  // namespace

template <class Visit>
void MemoryImage::each_page(const Visit& visit) const {
  for (const NamedRange& range : memory_) {
    if (range.size_bytes == 0) continue;
    for (const std::span<std::byte> held : buffers_.held(range.begin, range.size_bytes)) {
      const auto first = reinterpret_cast<std::uintptr_t>(held.data()), end = first + held.size();
      for (std::uintptr_t page = first / kPageBytes * kPageBytes; page < end; page += kPageBytes) {
        const std::uintptr_t from = std::max(page, range.begin);
        const std::uintptr_t to = std::min(page + kPageBytes, range.begin + range.size_bytes);
        visit(std::span(reinterpret_cast<std::byte*>(from), to - from));
      }
    }
  }
}

MemoryImage::MemoryImage(const Buffers& buffers, const std::vector<NamedRange>& memory)
    : buffers_(buffers), memory_(memory) {
  each_page([&](std::span<std::byte> page) {
    if (std::memcmp(page.data(), kZeroes.data(), page.size()) == 0) return;
    pages_[{page.data(), page.size()}].assign(page.begin(), page.end());
  });
}

void MemoryImage::restore() const {
  each_page([&](std::span<std::byte> page) {
    if (!pages_.contains({page.data(), page.size()})) std::memset(page.data(), 0, page.size());
  });
  for (const auto& [where, bytes] : pages_) std::memcpy(where.first, bytes.data(), bytes.size());
}

}  // namespace assay::simulator
