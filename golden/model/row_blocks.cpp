#include "golden/model/row_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace assay::golden {

void for_row_blocks(std::size_t rows, std::size_t block, unsigned threads,
                    const std::function<void(std::size_t begin, std::size_t end)>& work) {
  const std::size_t blocks = rows / block + (rows % block != 0 ? 1 : 0);
  std::atomic<std::size_t> next = 0;
  std::mutex guard;
  std::size_t failed = blocks;  // blocks are taken in order, so all below a failed one are taken too
  std::exception_ptr failure;
  const auto run = [&] {
    for (std::size_t index = next++; index < blocks; index = next++) {
      try {
        work(index * block, std::min(rows, (index + 1) * block));
      } catch (...) {
        next = blocks;
        const std::lock_guard lock(guard);
        if (index < failed) {
          failed = index;
          failure = std::current_exception();
        }
      }
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, blocks); ++i) others.emplace_back(run);
  run();
  others.clear();  // joins them
  if (failure) std::rethrow_exception(failure);
}

}  // namespace assay::golden
