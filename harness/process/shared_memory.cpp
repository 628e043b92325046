#include "harness/process/shared_memory.hpp"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>
#include <stdexcept>

namespace assay::process {

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(bytes) {
  void* const made =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) throw std::runtime_error("cannot share memory with another process");
  data_ = static_cast<std::byte*>(made);
}

SharedMemory::~SharedMemory() { munmap(data_, bytes_); }

void SharedMemory::forget_from(std::size_t begin) const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  begin = (begin + page - 1) / page * page;
  if (begin < bytes_) madvise(data_ + begin, bytes_ - begin, MADV_REMOVE);
}

// The word is in memory of several processes, so this is no private futex.
void wait_for_change(std::atomic<std::uint32_t>& word, std::uint32_t seen, int milliseconds) {
  const timespec most{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &most, nullptr, 0);
}

void wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace assay::process
