// Where sparse buffers lie: an index that is too large or negative must not lead from one into another.
#include "harness/simulator/address_space.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <vector>

namespace assay::simulator {
namespace {

// Of any sizes, in any order of allocation and release.
RC_GTEST_PROP(SparseAddresses, AreFarFromThoseOfOtherBuffers, ()) {
  auto& memory = AddressSpace::instance();
  // Released at the end of each try, also of one that fails: it shrinks on addresses that are free.
  struct Live : std::map<std::uintptr_t, std::size_t> {
    void release(iterator buffer) {
      AddressSpace::instance().release_sparse(reinterpret_cast<std::byte*>(buffer->first), buffer->second);
      erase(buffer);
    }
    ~Live() {
      while (!empty()) release(begin());
    }
  } live;
  for (const auto& step : *rc::gen::arbitrary<std::vector<std::pair<bool, std::uint16_t>>>()) {
    // Three have room wherever they lie, under ThreadSanitizer too.
    if (live.size() == 3 || (step.first && !live.empty())) {
      live.release(std::next(live.begin(), step.second % live.size()));
      continue;
    }
    const std::size_t size_bytes = 1 + kLargestSparseBuffer / 65536 * step.second;
    const auto address = reinterpret_cast<std::uintptr_t>(memory.allocate_sparse(size_bytes));
    RC_ASSERT(AddressSpace::is_sparse(address - kSparseGap));
    RC_ASSERT(AddressSpace::is_sparse(address + size_bytes + kSparseGap - 1));
    const auto next = live.emplace(address, size_bytes).first;
    if (next != live.begin())
      RC_ASSERT(address - std::prev(next)->first >= std::prev(next)->second + kSparseGap);
    if (std::next(next) != live.end()) RC_ASSERT(std::next(next)->first - address >= size_bytes + kSparseGap);
  }
}

// An index of halves that loses its upper half misses by 4 GiB, and its buffer is the nearest there too.
TEST(SparseAddresses, AreAsFarApartAsThereIsRoom) {
  auto& memory = AddressSpace::instance();
  std::vector<std::byte*> buffers;
  for (int i = 0; i < 5; ++i) buffers.push_back(memory.allocate_sparse(4096));
  std::vector<std::byte*> sorted = buffers;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const auto apart = static_cast<std::size_t>(sorted[i] - sorted[i - 1]);
    EXPECT_GE(apart, kSparseBytes / 8);
    EXPECT_GT(apart, 2 * kFarthestMiss);
  }
  for (std::byte* const buffer : buffers) memory.release_sparse(buffer, 4096);
}

// Each tensor of a mixture of experts may be one.
TEST(SparseAddresses, HaveRoomForSeventeenSmallBuffers) {
  constexpr std::size_t kSmall = kGiB / 16;
  auto& memory = AddressSpace::instance();
  std::vector<std::byte*> buffers;
  for (int i = 0; i < 17; ++i) ASSERT_NO_THROW(buffers.push_back(memory.allocate_sparse(kSmall)));
  for (std::byte* const buffer : buffers) memory.release_sparse(buffer, kSmall);
}

TEST(SparseAddresses, AreUsedAgainWhereNoneAreLeft) {
  auto& memory = AddressSpace::instance();
  std::vector<std::byte*> buffers;
  try {
    for (;;) buffers.push_back(memory.allocate_sparse(kLargestSparseBuffer));
  } catch (const device::DeviceError& error) {
    EXPECT_STREQ(error.what(), "there are too many sparse buffers, or too large ones; release some");
  }
  EXPECT_GT(buffers.size(), kSparseBytes / (2 * (kLargestSparseBuffer + 2 * kSparseGap)));
  std::byte*& middle = buffers[buffers.size() / 2];
  memory.release_sparse(middle, kLargestSparseBuffer);
  EXPECT_THROW(memory.allocate_sparse(kLargestSparseBuffer + 1), device::DeviceError);
  // Where there was no room before: about where the released one was.
  std::byte* const again = memory.allocate_sparse(kLargestSparseBuffer);
  EXPECT_LT(std::abs(again - middle), static_cast<std::ptrdiff_t>(kLargestSparseBuffer + kSparseGap));
  middle = again;
  EXPECT_THROW(memory.allocate_sparse(kLargestSparseBuffer), device::DeviceError);
  for (std::byte* const buffer : buffers) memory.release_sparse(buffer, kLargestSparseBuffer);
}

// Of whatever lay there before: else who reads past a buffer would read what was there of another.
TEST(Shadow, ReadsAsZeroWhereItIsBackedAgain) {
  auto& memory = AddressSpace::instance();
  for (const std::size_t unit : {1, 2}) {
    for (std::size_t size = 16; size < 40'000; size += size < 15'000 ? 5'001 : 97) {
      auto* const buffer = memory.allocate(size);
      const auto address = reinterpret_cast<std::uintptr_t>(buffer);
      auto* const records =
          reinterpret_cast<unsigned char*>(kShadowBase + (address - kBase) / unit * kRecordBytes);
      const std::size_t bytes = size / unit * kRecordBytes;
      const auto is_zero = [](unsigned char byte) { return byte == 0; };
      memory.back_shadow(address, size, unit);
      std::fill_n(records, bytes, static_cast<unsigned char>(7));
      memory.drop_shadow(address, size, unit);
      EXPECT_TRUE(std::all_of(records, records + bytes, is_zero)) << size << ", " << unit;
      memory.back_shadow(address, size, unit);
      EXPECT_TRUE(std::all_of(records, records + bytes, is_zero)) << size << ", " << unit;
      memory.drop_shadow(address, size, unit);
      memory.release(buffer, size);
    }
  }
}

}  // namespace
}  // namespace assay::simulator
