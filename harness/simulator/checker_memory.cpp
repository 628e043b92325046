// What the checker knows of memory from one launch to the next: which bytes there are, and who has written
// them.
#include <algorithm>
#include <cstring>

#include "harness/simulator/address_space.hpp"
#include "harness/simulator/checker.hpp"
#include "harness/simulator/checker_inline.hpp"

namespace assay::simulator {

// Buffers from this size on have no record of a unit that no launch has touched: a launch reads little of
// them, and to write 16 bytes for each of their units costs more than that launch.
constexpr std::size_t kLargeBytes = std::size_t{1} << 18;

void Checker::mark(std::uintptr_t address, std::size_t size_bytes, std::uint32_t state) {
  const std::size_t step = unit_bytes();
  for (std::uintptr_t a = address & ~(step - 1); a < address + size_bytes; a += step)
    *cell(a) = {state, 0, 0, 0};
}

Checker::~Checker() {
  while (!live_.empty()) released(live_.begin()->first);
  forget_threadgroup_memory();
}

void Checker::allocated(std::uintptr_t address, std::size_t size_bytes) {
  AddressSpace::instance().back_shadow(address, size_bytes, unit_bytes());
  live_[address] = size_bytes;
  if (size_bytes >= kLargeBytes) {
    large_[address];
  } else {
    mark(address, size_bytes, kUndefined);
  }
}

void Checker::uploaded(std::uintptr_t address, std::size_t size_bytes) {
  Large* const large = large_at(address);
  if (large == nullptr) return mark(address, size_bytes, kWrittenByHost);
  forgotten(address, size_bytes);
  large->host_wrote[address] = address + size_bytes;
}

void Checker::forgotten(std::uintptr_t address, std::size_t size_bytes) {
  Large* const large = large_at(address);
  if (large == nullptr) return mark(address, size_bytes, kUndefined);
  const std::uintptr_t end = address + size_bytes;
  auto& ranges = large->host_wrote;
  auto one = ranges.upper_bound(address);
  if (one != ranges.begin()) --one;
  while (one != ranges.end() && one->first < end) {
    const auto [from, to] = *one;
    if (to <= address) {
      ++one;
      continue;
    }
    one = ranges.erase(one);
    if (from < address) ranges[from] = address;
    if (to > end) ranges[end] = to;
  }
  if (!large->launched) return;
  const auto begin = reinterpret_cast<const std::byte*>(cell(address));
  const auto bytes = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(cell(end - 1) + 1) - begin);
  for (const auto& range : AddressSpace::instance().touched(begin, bytes))
    std::memset(const_cast<std::byte*>(begin) + range.begin, 0, range.end - range.begin);
}

void Checker::released(std::uintptr_t address) {
  const auto found = live_.find(address);
  AddressSpace::instance().drop_shadow(address, found->second, unit_bytes());
  live_.erase(found);
  hidden_.erase(address);
  large_.erase(address);
}

Checker::Large* Checker::large_at(std::uintptr_t address) {
  const auto after = large_.upper_bound(address);
  if (after == large_.begin()) return nullptr;
  auto& [begin, large] = *std::prev(after);
  return address - begin < live_.at(begin) ? &large : nullptr;
}

// A record that nothing has touched: where it is one of a large buffer, it becomes what it stands for.
void Checker::look_up_large(ShadowCell& cell, std::uintptr_t address) const {
  const Large* const large = const_cast<Checker*>(this)->large_at(address);
  if (large == nullptr || large->hidden) return;
  const auto behind = large->host_wrote.upper_bound(address);
  const bool written = behind != large->host_wrote.begin() && address < std::prev(behind)->second;
  cell.write_clock = written ? kWrittenByHost : kUndefined;
}

bool Checker::is_live(std::uintptr_t address) const {
  const auto after = live_.upper_bound(address);
  return after != live_.begin() && address - std::prev(after)->first < std::prev(after)->second;
}

void Checker::hide_unbound() {
  show_hidden();  // of a launch that ended in an exception
  for (const auto& [address, size] : live_) {
    const bool bound = std::any_of(
        buffers_.begin(), buffers_.end(),
        [&, from = address, bytes = size](const NamedRange& range) { return range.begin - from < bytes; });
    if (bound) continue;
    if (const auto large = large_.find(address); large != large_.end()) {
      forget_launches(address, size);
      large->second.hidden = true;
      continue;
    }
    auto& states = hidden_[address];
    for (std::uintptr_t a = address; a < address + size; a += unit_bytes()) {
      states.push_back(std::min<std::uint32_t>(cell(a)->write_clock, kWrittenByHost));
      *cell(a) = {};
    }
  }
}

void Checker::show_hidden() {
  for (auto& [address, large] : large_) large.hidden = false;
  for (const auto& [address, states] : hidden_)
    for (std::size_t i = 0; i < states.size(); ++i) *cell(address + i * unit_bytes()) = {states[i], 0, 0, 0};
  hidden_.clear();
}

void Checker::forget_threadgroup_memory() {
  for (auto& [unit, running] : running_) {
    for (const auto& object : running.objects) {
      AddressSpace::instance().drop_shadow(object.begin, object.size_bytes, unit_bytes());
    }
  }
  running_.clear();
  now_ = nullptr;
  unit_ = nullptr;
}

// Whatever launches have written to a large buffer becomes the host's doing.
void Checker::forget_launches(std::uintptr_t address, std::size_t size_bytes) {
  if (!large_.at(address).launched) return;
  const auto* const begin = reinterpret_cast<const std::byte*>(cell(address));
  const std::size_t bytes = (size_bytes / unit_bytes() + 1) * sizeof(ShadowCell);
  std::vector<device::ByteRange> written;
  for (const auto& range : AddressSpace::instance().touched(begin, bytes)) {
    auto* const cells = const_cast<ShadowCell*>(reinterpret_cast<const ShadowCell*>(begin));
    for (std::size_t i = range.begin / sizeof(ShadowCell); i < range.end / sizeof(ShadowCell); ++i) {
      if (cells[i].write_clock >= kFirstClock) {
        const std::size_t at = i * unit_bytes();
        if (!written.empty() && written.back().end == at) {
          written.back().end = at + unit_bytes();
        } else {
          written.push_back({at, at + unit_bytes()});
        }
      }
      cells[i] = {};
    }
  }
  large_.at(address).launched = false;
  for (const auto& range : written) uploaded(address + range.begin, range.end - range.begin);
}

// Records of another width: what is known of the buffers between launches (allocated, written) moves along.
void Checker::set_unit(unsigned unit_bytes) {
  const unsigned shift = unit_bytes == 1 ? 0 : 1;
  if (shift == unit_shift_) return;
  forget_threadgroup_memory();
  std::vector<std::vector<std::uint32_t>> states;
  for (const auto& [address, size] : live_) {
    auto& of = states.emplace_back();
    if (large_.contains(address)) {
      forget_launches(address, size);
      AddressSpace::instance().drop_shadow(address, size, this->unit_bytes());
      continue;
    }
    of.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      of[i] = std::min<std::uint32_t>(cell(address + i)->write_clock, kWrittenByHost);
    }
    AddressSpace::instance().drop_shadow(address, size, this->unit_bytes());
  }
  unit_shift_ = shift;
  std::size_t at = 0;
  for (const auto& [address, size] : live_) {
    AddressSpace::instance().back_shadow(address, size, this->unit_bytes());
    for (std::size_t i = 0; i < states[at].size(); ++i) {
      ShadowCell& c = *cell(address + i);
      c = {std::max(c.write_clock, states[at][i]), 0, 0, 0};
    }
    ++at;
  }
}

// Before the clock runs over: whatever has happened is ordered before the launch that begins now.
void Checker::restart_clock() {
  forget_threadgroup_memory();
  for (const auto& [address, size] : live_) {
    if (large_.contains(address)) {
      forget_launches(address, size);
      continue;
    }
    for (std::uintptr_t a = address & ~std::uintptr_t{unit_bytes() - 1}; a < address + size;
         a += unit_bytes()) {
      ShadowCell& c = *cell(a);
      c = {std::min<std::uint32_t>(c.write_clock, kWrittenByHost), 0, 0, 0};
    }
  }
  clock_ = kFirstClock;
}

}  // namespace assay::simulator
