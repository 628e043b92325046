#include "harness/remote/remote_device.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "assay/device/registry.hpp"
#include "harness/device/grouped.hpp"
#include "harness/device/planned_schedule.hpp"
#include "harness/device/source_text.hpp"
#include "harness/remote/claims.hpp"
#include "harness/remote/fault_json.hpp"
#include "harness/remote/messages.hpp"
#include "harness/remote/server.hpp"
#include "harness/sandbox/processor_clock.hpp"

namespace assay::remote {
namespace {

using device::counted;
using device::DeviceError;
using device::grouped;
using nlohmann::json;

/// Of a buffer that comes back with each launch, whole: what is larger is asked for.
constexpr std::size_t kMostCopied = std::size_t{1} << 18;
/// That are asked for at once: their numbers take less than the window's room for text.
constexpr std::size_t kMostRanges = 100'000;
/// Faults that a launch may show before it ends. It shows one for each place and kind.
constexpr std::size_t kMostSeen = 4096;

// All that there are, and what those have used that are gone.
struct Processes {
  std::set<const RemoteDevice*> live;
  double gone_s = 0;
};
Processes& processes() {
  static auto* all = new Processes;  // devices may outlive static destructors
  return *all;
}

std::uint32_t number_of(device::BufferId buffer) { return static_cast<std::uint32_t>(buffer); }

}  // namespace

RemoteDevice::RemoteDevice(device::Device& inner, const device::DeviceOptions& options)
    : inner_(inner), fault_seen_(options.fault_seen), budget_(options.loop_budget) {
  processes().live.insert(this);
}

RemoteDevice::RemoteDevice(std::unique_ptr<device::Device> inner, const device::DeviceOptions& options)
    : RemoteDevice(*inner, options) {
  owned_ = std::move(inner);
}

RemoteDevice::~RemoteDevice() {
  processes().gone_s += processor_s();
  processes().live.erase(this);
}

void RemoteDevice::start() {
  if (process_) return;
  window_ = std::make_unique<Window>();
  process_.emplace(
      [this](const process::Reporter& reporter) { serve(inner_, *window_, budget_.get(), reporter); },
      process::Trust::confined, sandbox::processor_time_limit());
  window_->withhold();  // from other processes that run kernels
}

device::KernelId RemoteDevice::load(const device::KernelSource& source) {
  if (!buffers_.empty()) throw DeviceError("a kernel is to be loaded before there are buffers");
  processes().gone_s += processor_s();
  process_.reset();  // it knows nothing of this kernel; another will
  waiting_.clear();
  const auto kernel = inner_.load(source);
  if (inner_.module(kernel) == nullptr) device::remember_source(source.path);
  return kernel;
}

device::BufferId RemoteDevice::add(const char* command, std::size_t size_bytes, bool sparse) {
  if (size_bytes == 0) throw DeviceError("a buffer must have at least 1 byte");
  if (const auto most = limits().buffer_bytes; size_bytes > most) {
    throw DeviceError(fmt::format("a buffer of {} is too large: the device allows {}",
                                  counted(size_bytes, "byte"), counted(most, "byte")));
  }
  const auto buffer = static_cast<device::BufferId>(next_++);
  buffers_[buffer] = {size_bytes, sparse};
  waiting_.push_back({command, number_of(buffer), size_bytes});
  return buffer;
}

device::BufferId RemoteDevice::allocate(std::size_t size_bytes) { return add("allocate", size_bytes, false); }

device::BufferId RemoteDevice::allocate_sparse(std::size_t size_bytes) {
  return add("allocate_sparse", size_bytes, true);
}

RemoteDevice::Buffer& RemoteDevice::range(device::BufferId buffer, std::size_t offset_bytes,
                                          std::size_t size_bytes) {
  const auto found = buffers_.find(buffer);
  if (found == buffers_.end()) {
    throw DeviceError(fmt::format("there is no buffer {}: it was released, or belongs to another device",
                                  number_of(buffer)));
  }
  const std::size_t size = found->second.size_bytes;
  if (offset_bytes > size || size_bytes > size - offset_bytes) {
    throw DeviceError(fmt::format("bytes {} to {} are outside a buffer of {}", grouped(offset_bytes),
                                  grouped(offset_bytes + size_bytes), counted(size, "byte")));
  }
  return found->second;
}

void RemoteDevice::release(device::BufferId buffer) {
  range(buffer, 0, 0);
  waiting_.push_back({"release", number_of(buffer)});
  buffers_.erase(buffer);
}

std::size_t RemoteDevice::take(std::span<const std::byte> data) {
  start();
  if (data.size() > Window::kAreaBytes - taken_) call({{"do", "nothing"}});
  const std::size_t at = std::exchange(taken_, taken_ + data.size());
  if (!data.empty()) std::memcpy(window_->to_buffers().data() + at, data.data(), data.size());
  return at;
}

void RemoteDevice::upload(device::BufferId buffer, std::size_t offset_bytes,
                          std::span<const std::byte> data) {
  range(buffer, offset_bytes, data.size()).copy_at.reset();
  while (!data.empty()) {
    const auto piece = data.first(std::min(data.size(), Window::kAreaBytes));
    const std::size_t at = take(piece);
    waiting_.push_back({"upload", number_of(buffer), offset_bytes, piece.size(), at});
    offset_bytes += piece.size();
    data = data.subspan(piece.size());
  }
}

void RemoteDevice::upload_repeated(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                                   std::span<const std::byte> pattern) {
  if (pattern.empty()) throw DeviceError("a pattern must have at least 1 byte");
  if (pattern.size() > Window::kAreaBytes)
    return Device::upload_repeated(buffer, offset_bytes, size_bytes, pattern);
  range(buffer, offset_bytes, size_bytes).copy_at.reset();
  const std::size_t at = take(pattern);
  waiting_.push_back({"repeat", number_of(buffer), offset_bytes, size_bytes, pattern.size(), at});
}

void RemoteDevice::forget(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) {
  range(buffer, offset_bytes, size_bytes).copy_at.reset();
  waiting_.push_back({"forget", number_of(buffer), offset_bytes, size_bytes});
}

void RemoteDevice::download(device::BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) {
  const auto copy_at = range(buffer, offset_bytes, data.size()).copy_at;
  while (!data.empty()) {
    const auto piece = data.first(std::min(data.size(), Window::kAreaBytes));
    const std::byte* from = window_ ? window_->from_buffers().data() : nullptr;
    if (copy_at) {
      from += *copy_at + offset_bytes;
    } else {
      for (auto& [id, one] : buffers_) one.copy_at.reset();  // they lie where this goes
      call({{"do", "download"},
            {"buffer", number_of(buffer)},
            {"offset", offset_bytes},
            {"size", piece.size()}});
      from = window_->from_buffers().data();
    }
    std::memcpy(piece.data(), from, piece.size());
    offset_bytes += piece.size();
    data = data.subspan(piece.size());
  }
}

void RemoteDevice::gather(device::BufferId buffer, std::span<const device::ByteRange> ranges,
                          std::span<std::byte> data) {
  while (!ranges.empty()) {
    json asked = json::array();
    std::size_t bytes = 0;
    for (const auto& [begin, end] : ranges) {
      const std::size_t size = end - begin;
      if (range(buffer, begin, size).copy_at || size > Window::kAreaBytes - bytes ||
          asked.size() == kMostRanges)
        break;
      asked.push_back({begin, size});
      bytes += size;
    }
    if (asked.empty()) {  // nothing to ask for, or more than goes in one piece
      const auto [begin, end] = ranges.front();
      bytes = end - begin;
      download(buffer, begin, data.first(bytes));
      ranges = ranges.subspan(1);
    } else {
      ranges = ranges.subspan(asked.size());
      for (auto& [id, one] : buffers_) one.copy_at.reset();  // they lie where this goes
      call({{"do", "gather"}, {"buffer", number_of(buffer)}, {"ranges", std::move(asked)}});
      std::memcpy(data.data(), window_->from_buffers().data(), bytes);
    }
    data = data.subspan(bytes);
  }
}

std::vector<device::ByteRange> RemoteDevice::touched(device::BufferId buffer, std::size_t offset_bytes,
                                                     std::size_t size_bytes) {
  range(buffer, offset_bytes, size_bytes);
  const auto done = call(
      {{"do", "touched"}, {"buffer", number_of(buffer)}, {"offset", offset_bytes}, {"size", size_bytes}});
  try {
    return ranges_from(done.at("touched"), {offset_bytes, offset_bytes + size_bytes});
  } catch (const std::exception&) {
    process_->stop_as_malformed();
    ended();
  }
}

device::LaunchReport RemoteDevice::dispatch(const device::Dispatch& launch) {
  json copies = json::array();
  std::size_t at = 0;
  std::vector<std::pair<Buffer*, std::size_t>> copied;
  for (auto& [id, buffer] : buffers_) {
    buffer.copy_at.reset();
    if (buffer.sparse || buffer.size_bytes > std::min(kMostCopied, Window::kAreaBytes - at)) continue;
    copies.push_back({number_of(id), buffer.size_bytes});
    copied.emplace_back(&buffer, std::exchange(at, at + buffer.size_bytes));
  }
  json request = {{"do", "launch"}, {"launch", to_json(launch)}, {"copies", std::move(copies)}};
  if (budget_) request["rounds"] = budget_->left;
  if (launch.planned != nullptr) request["plan"] = to_json(launch.planned->plan);
  const json done = call(std::move(request), &launch);
  try {
    if (budget_) budget_->left = done.at("rounds").get<std::int64_t>();
    if (launch.planned != nullptr) launch.planned->record = record_from(done.at("record"));
    auto report = checked_claim(report_from(done.at("report"), launch));
    if (capabilities().counts && !report.counts) throw std::invalid_argument("a launch that was not counted");
    for (const auto& [buffer, place] : copied) buffer->copy_at = place;
    return report;
  } catch (const std::exception&) {
    process_->stop_as_malformed();
    ended();
  }
}

void RemoteDevice::send(const json& request) {
  if (!window_->send(request.dump())) throw DeviceError("the launch is too large to be described");
}

json RemoteDevice::hear() {
  for (;;) {
    if (auto message = process_->next()) return std::move(*message);
    pollfd polled{process_->fd(), POLLIN, 0};
    poll(&polled, 1, -1);
    if (process_->receive()) continue;
    if (auto message = process_->next()) return std::move(*message);
    ended();
  }
}

void RemoteDevice::ended() {
  processes().gone_s += processor_s();
  auto death = process_->join().value_or(process::Death{});
  const bool trapped = death.exit_code == 128 + SIGSYS;
  death.early = death.signal == 0 && !trapped && !death.malformed;
  process_.reset();
  buffers_.clear();
  waiting_.clear();
  taken_ = 0;
  throw process::KernelProcessEnded{std::move(death)};
}

json RemoteDevice::call(json request, const device::Dispatch* launch) {
  start();
  request["before"] = std::exchange(waiting_, json::array());
  taken_ = 0;
  send(request);
  for (std::size_t seen = 0;;) {
    const json message = hear();
    try {
      if (message.contains("done")) return message.at("done");
      if (message.contains("failed")) {
        const auto words = shown_text(message.at("failed").get<std::string>());
        if (!message.at("device").get<bool>()) throw std::runtime_error(words);
        throw DeviceError(words);
      }
      if (message.value("type", "") == "seen" && launch != nullptr && ++seen <= kMostSeen) {
        device::LaunchReport one;
        one.faults.push_back(fault_in(message));
        if (fault_seen_) fault_seen_(checked_claim(std::move(one)).faults.front());
        continue;
      }
      if (message.value("type", "") == "failed")  // it could not be confined
        throw std::runtime_error(shown_text(message.at("what").get<std::string>()));
    } catch (const json::exception&) {
    } catch (const std::invalid_argument&) {
    }
    process_->stop_as_malformed();
    ended();
  }
}

std::unique_ptr<device::Device> make_remote(std::string_view name, device::DeviceOptions options) {
  auto inside = options;
  if (options.fault_seen) inside.fault_seen = tell;
  return std::make_unique<RemoteDevice>(device::make_device(name, inside), options);
}

double processor_s_of_kernels() {
  double sum = processes().gone_s;
  for (const auto* one : processes().live) sum += one->processor_s();
  return sum;
}

}  // namespace assay::remote
