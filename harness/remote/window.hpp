// What a judge and the process that runs its kernels share: requests, and the bytes of buffers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/process/shared_memory.hpp"

namespace assay::remote {

/// Requests and answers go one way, to the process that runs kernels. Both areas of bytes may be written to
/// by that process at any time, so the judge copies what it reads there and looks at nothing twice.
class Window {
 public:
  static constexpr std::size_t kAreaBytes = std::size_t{64} << 20;

  Window();
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// From processes that run kernels and are forked from here on.
  void withhold() const;

  /// Bytes on their way to buffers, and from them.
  std::span<std::byte> to_buffers() const { return area(0); }
  std::span<std::byte> from_buffers() const { return area(1); }

  /// Of the judge. False where the text is too long.
  bool send(std::string_view text) const;

  /// Of the other process: waits for a text behind the first `seen` of them.
  std::string receive(std::uint32_t seen) const;

 private:
  struct Head {
    std::atomic<std::uint32_t> sent{0};
    std::uint32_t bytes = 0;
  };

  Head& head() const { return *reinterpret_cast<Head*>(memory_.data()); }
  std::span<std::byte> area(std::size_t number) const;

  process::SharedMemory memory_;
};

}  // namespace assay::remote
