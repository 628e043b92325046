// Memory that processes forked from this one share with it, and waiting for a word in it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace assay::process {

class SharedMemory {
 public:
  /// Takes room in memory only where it is touched. Throws std::runtime_error.
  explicit SharedMemory(std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  /// Gives room from `begin` on back to the system; it reads as zeros then.
  void forget_from(std::size_t begin) const;

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Waits until the word is no longer `seen`, or for so long.
void wait_for_change(std::atomic<std::uint32_t>& word, std::uint32_t seen, int milliseconds);
/// Wakes all processes that wait for it.
void wake(std::atomic<std::uint32_t>& word);

}  // namespace assay::process
