// Blocks of rows by several threads: each row once, and what is thrown is what the lowest block has thrown.
#include "golden/model/row_blocks.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/error_of.hpp"

namespace assay::golden {
namespace {

RC_GTEST_PROP(RowBlocks, EveryRowComesOnceAndBlocksBeginAtMultiples, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(0, 60), block = *rc::gen::inRange<std::size_t>(1, 20);
  const auto threads = *rc::gen::inRange<unsigned>(0, 6);
  std::vector<int> seen(rows, 0);
  std::atomic<bool> right = true;
  for_row_blocks(rows, block, threads, [&](std::size_t begin, std::size_t end) {
    if (begin % block != 0 || end != std::min(rows, begin + block)) right = false;
    for (std::size_t row = begin; row < end; ++row) ++seen[row];
  });
  RC_ASSERT(right);
  RC_ASSERT(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(rows));
}

// Block 4 is taken before block 3 throws, and throws after it, or before it.
TEST(RowBlocks, ThrowsWhatTheLowestBlockThrows) {
  for (const bool lower_first : {true, false}) {
    std::atomic<bool> both = false, first_thrown = false;
    const auto wait_for = [](const std::atomic<bool>& flag) {
      while (!flag) std::this_thread::yield();
    };
    const auto run = [&] {
      for_row_blocks(100, 10, 2, [&](std::size_t begin, std::size_t) {
        if (begin != 30 && begin != 40) return;
        if (begin == 40) both = true;
        wait_for(both);
        const bool first = (begin == 30) == lower_first;
        if (!first) {
          wait_for(first_thrown);
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        first_thrown = true;
        throw std::runtime_error(std::to_string(begin));
      });
    };
    EXPECT_EQ(error_of<std::runtime_error>(run), "30");
  }
}

}  // namespace
}  // namespace assay::golden
