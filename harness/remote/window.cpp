#include "harness/remote/window.hpp"

#include <cstring>
#include <new>

#include "harness/sandbox/confinement.hpp"

namespace assay::remote {
namespace {

constexpr std::size_t kTextBytes = std::size_t{16} << 20, kTextAt = 64;
constexpr int kLookAround_ms = 60'000;

}  // namespace

Window::Window() : memory_(kTextBytes + 2 * kAreaBytes) { new (memory_.data()) Head; }

Window::~Window() { sandbox::restore(memory_.data()); }

void Window::withhold() const { sandbox::withhold(memory_.data(), memory_.size()); }

std::span<std::byte> Window::area(std::size_t number) const {
  return {memory_.data() + kTextBytes + number * kAreaBytes, kAreaBytes};
}

bool Window::send(std::string_view text) const {
  if (text.size() > kTextBytes - kTextAt) return false;
  std::memcpy(memory_.data() + kTextAt, text.data(), text.size());
  head().bytes = static_cast<std::uint32_t>(text.size());
  head().sent.fetch_add(1);
  process::wake(head().sent);
  return true;
}

std::string Window::receive(std::uint32_t seen) const {
  while (head().sent.load() == seen) process::wait_for_change(head().sent, seen, kLookAround_ms);
  return std::string(reinterpret_cast<const char*>(memory_.data()) + kTextAt, head().bytes);
}

}  // namespace assay::remote
