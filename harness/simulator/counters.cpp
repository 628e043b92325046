#include "harness/simulator/counters.hpp"

#include <algorithm>

#include "harness/simulator/address_space.hpp"
#include "harness/simulator/compute_unit.hpp"
#include "harness/simulator/tile_runs.hpp"

namespace assay::simulator {
namespace {

constexpr std::size_t kNoBuffer = ~std::size_t{0};

std::uint32_t count_of(std::size_t n) { return static_cast<std::uint32_t>(n); }

}  // namespace

thread_local Counters* Counters::current_ = nullptr;

void Counters::begin_launch(const Launch& launch, const std::vector<NamedRange>& buffers) {
  launch_ = &launch;
  buffers_ = buffers;
  running_.clear();
  counts_ = {};
  counts_.threads = launch.threads.x * launch.threads.y * launch.threads.z;
  counts_.simdgroups.resize((counts_.threads + kWidth - 1) / kWidth);
  for (const auto& buffer : buffers) {
    auto& traffic = counts_.buffers.emplace_back();
    traffic.name = buffer.name;
    traffic.size_bytes = buffer.size_bytes;
  }
  for (const auto& variable : launch.module->threadgroup_variables()) {
    auto& traffic = counts_.threadgroup_memory.emplace_back();
    traffic.name = variable.name;
    traffic.size_bytes = variable.size_bytes;
  }
  const std::size_t variables = counts_.threadgroup_memory.size();
  for (const std::size_t size : launch.threadgroup_sizes) {
    counts_.threadgroup_memory.emplace_back().size_bytes = size;
  }
  for (const auto& parameter : launch.module->parameters()) {
    if (!parameter.threadgroup) continue;
    counts_.threadgroup_memory[variables + static_cast<std::size_t>(parameter.index)].name = parameter.name;
  }
  current_ = this;
}

void Counters::end_launch() {
  current_ = nullptr;
  launch_ = nullptr;
  running_.clear();
}

void Counters::begin_threadgroup(ComputeUnit& unit) {
  if (only_reach_) return;
  Running& now = running_[&unit] = {};
  now.loads.resize(buffers_.size());
  now.buffer_users.resize(buffers_.size());
  now.threadgroup_users.resize(counts_.threadgroup_memory.size());
  now.sites.resize(counts_.simdgroups.size());
}

void Counters::end_threadgroup(ComputeUnit& unit, std::span<const Lane> lanes) {
  ++counts_.threadgroups;
  if (only_reach_) return;
  Running& now = running_[&unit];
  for (auto& sites : now.sites) fetch_all(sites);
  for (std::size_t i = 0; i < lanes.size(); i += kWidth) {
    const auto& work = lanes[i].view.matrix_work;
    SimdgroupWork& total = counts_.simdgroups[i / kWidth];
    total.matrix_loads += work[ASSAY_MATRIX_LOAD];
    total.matrix_stores += work[ASSAY_MATRIX_STORE];
    total.matrix_multiplications += work[ASSAY_MATRIX_MULTIPLY];
  }
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    Traffic& traffic = counts_.buffers[i];
    for (const std::uint32_t loads : now.loads[i]) {
      if (loads == 0) continue;
      ++traffic.distinct_bytes;
      traffic.most_loads = std::max(traffic.most_loads, loads);
      traffic.fewest_loads = traffic.fewest_loads == 0 ? loads : std::min(traffic.fewest_loads, loads);
    }
  }
  const auto add_users = [](std::vector<Traffic>& objects, const std::vector<Users>& users) {
    for (std::size_t i = 0; i < objects.size(); ++i) {
      objects[i].loaders = std::max(objects[i].loaders, count_of(users[i].loaders.count()));
      objects[i].writers = std::max(objects[i].writers, count_of(users[i].writers.count()));
    }
  };
  add_users(counts_.buffers, now.buffer_users);
  add_users(counts_.threadgroup_memory, now.threadgroup_users);
}

void Counters::threadgroup_barrier(ComputeUnit& unit) {
  ++counts_.threadgroup_barriers;
  if (only_reach_) return;
  for (auto& sites : running_[&unit].sites) fetch_all(sites);
}

void Counters::simdgroup_barrier(ComputeUnit& unit, const Simdgroup& group) {
  ++counts_.simdgroups[group.index].barriers;
  if (only_reach_) return;
  fetch_all(running_[&unit].sites[group.index]);
}

Counters::Running& Counters::running() { return running_[reinterpret_cast<Lane*>(assay_lane)->unit]; }

std::size_t Counters::buffer_at(std::uintptr_t address) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (address - buffers_[i].begin < buffers_[i].size_bytes) return i;
  }
  return kNoBuffer;
}

// One access, by `threads` threads from `first_thread` on. Its fragments, if it is one of device memory, go
// to `fragments`; what lies outside all objects is the checker's business.
void Counters::move(std::uintptr_t address, std::size_t size_bytes, bool write, std::uint32_t first_thread,
                    std::uint32_t threads, std::vector<Fragment>* fragments) {
  if (address - kBase >= kSpan) return;
  Running& now = running();
  const bool in_threadgroup_memory = address - kBase >= kThreadgroupOffset;
  std::size_t index = 0;
  if (in_threadgroup_memory) {
    const auto window = reinterpret_cast<std::uintptr_t>(reinterpret_cast<Lane*>(assay_lane)->unit->window());
    index = (address - window) / ASSAY_SLOT_STRIDE;
    if (index >= counts_.threadgroup_memory.size()) return;
  } else {
    index = buffer_at(address);
    if (index == kNoBuffer) return;
    size_bytes = std::min(size_bytes, buffers_[index].begin + buffers_[index].size_bytes - address);
  }
  Traffic& traffic = in_threadgroup_memory ? counts_.threadgroup_memory[index] : counts_.buffers[index];
  Users& users = in_threadgroup_memory ? now.threadgroup_users[index] : now.buffer_users[index];
  (write ? traffic.stored_bytes : traffic.loaded_bytes) += size_bytes;
  for (std::uint32_t t = first_thread; t < first_thread + threads; ++t) {
    (write ? users.writers : users.loaders).set(t);
  }
  if (in_threadgroup_memory) return;
  const std::size_t first = address - buffers_[index].begin, last = first + size_bytes;
  traffic.end_bytes = std::max(traffic.end_bytes, last);
  if (!write) {
    auto& loads = now.loads[index];
    if (loads.size() < last)
      loads.resize(std::min(buffers_[index].size_bytes, std::max(last, 2 * loads.size())));
    for (std::size_t i = first; i < last; ++i) ++loads[i];
  }
  for (const std::uintptr_t end = address + size_bytes; address < end;) {
    const std::uintptr_t line_end = std::min(end, (address / kLineBytes + 1) * kLineBytes);
    fragments->push_back({address, line_end, index});
    address = line_end;
  }
}

void Counters::reach(std::uintptr_t address, std::size_t size_bytes, bool write) {
  if (address - kBase >= kThreadgroupOffset) return;
  const std::size_t index = buffer_at(address);
  if (index == kNoBuffer) return;
  const NamedRange& buffer = buffers_[index];
  Traffic& traffic = counts_.buffers[index];
  const std::size_t first = address - buffer.begin, last = std::min(first + size_bytes, buffer.size_bytes);
  (write ? traffic.stored_bytes : traffic.loaded_bytes) += last - first;
  traffic.end_bytes = std::max(traffic.end_bytes, last);
}

void Counters::access(std::uintptr_t address, std::size_t size_bytes, bool write,
                      std::uintptr_t return_address) {
  if (current_ == nullptr) return;
  if (current_->only_reach_) return current_->reach(address, size_bytes, write);
  const auto& view = *assay_lane;
  if (address - kBase >= kThreadgroupOffset) {
    return current_->move(address, size_bytes, write, view.index_in_threadgroup, 1, nullptr);
  }
  Site& site = current_->running().sites[view.simdgroup_index][return_address];
  const std::uint32_t number = site.executions[view.index_in_simdgroup]++;
  if (number >= site.together.size()) site.together.resize(number + 1);
  current_->move(address, size_bytes, write, view.index_in_threadgroup, 1, &site.together[number]);
}

void Counters::atomic(std::uintptr_t address, std::size_t size_bytes) {
  if (current_ == nullptr) return;
  const std::size_t index = current_->buffer_at(address);
  if (index == kNoBuffer) return;
  auto& end = current_->counts_.buffers[index].end_bytes;
  end = std::max(end, address - current_->buffers_[index].begin + size_bytes);
}

void Counters::matrix_access(std::uintptr_t first, std::ptrdiff_t row_stride_bytes, std::size_t element_bytes,
                             bool write) {
  if (current_ == nullptr) return;
  for (int row = 0; row < 8 && current_->only_reach_; ++row) {
    const std::uintptr_t address = first + static_cast<std::uintptr_t>(row * row_stride_bytes);
    current_->reach(address, 8 * element_bytes, write);
  }
  if (current_->only_reach_) return;
  const std::uint32_t threads = reinterpret_cast<Lane*>(assay_lane)->simdgroup->size;
  std::vector<Fragment> fragments;
  for (int row = 0; row < 8; ++row) {
    const std::uintptr_t address = first + static_cast<std::uintptr_t>(row * row_stride_bytes);
    current_->move(address, 8 * element_bytes, write, assay_lane->simdgroup_index * kWidth, threads,
                   &fragments);
  }
  current_->fetch(fragments);
}

void Counters::tile_read(std::uintptr_t first, std::ptrdiff_t row_stride_bytes,
                         std::ptrdiff_t column_stride_bytes, std::uint32_t rows, std::uint32_t columns,
                         std::size_t element_bytes, std::uint32_t simdgroups) {
  if (current_ == nullptr || (simdgroups > 1 && assay_lane->simdgroup_index != 0)) return;
  const std::uint32_t threads = reinterpret_cast<Lane*>(assay_lane)->simdgroup->size;
  std::vector<Fragment> fragments;
  for_each_run(first, row_stride_bytes, column_stride_bytes, rows, columns, element_bytes,
               [&](std::uintptr_t address, std::size_t bytes) {
                 current_->move(address, bytes, false, assay_lane->simdgroup_index * kWidth, threads,
                                &fragments);
               });
  current_->fetch(fragments);
}

// What the lanes of a simdgroup ask for together: each line once.
void Counters::fetch(std::vector<Fragment>& fragments) {
  std::sort(fragments.begin(), fragments.end(),
            [](const Fragment& a, const Fragment& b) { return a.begin < b.begin; });
  std::uintptr_t line = 0, reached = 0;
  for (const Fragment& fragment : fragments) {
    Traffic& traffic = counts_.buffers[fragment.buffer];
    if (fragment.begin / kLineBytes != line) {
      line = fragment.begin / kLineBytes;
      reached = fragment.begin;
      ++traffic.transactions;
    }
    const std::uintptr_t from = std::max(fragment.begin, reached);
    if (fragment.end <= from) continue;
    traffic.transaction_bytes += fragment.end - from;
    reached = fragment.end;
  }
}

void Counters::fetch_all(std::unordered_map<std::uintptr_t, Site>& sites) {
  for (auto& [unused, site] : sites) {
    for (auto& fragments : site.together) fetch(fragments);
    site = {};
  }
}

}  // namespace assay::simulator
