#include "cli/batches.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <stdexcept>

namespace assay::cli {
std::vector<Batch> in_batches(const std::vector<std::size_t>& pieces, std::size_t size) {
  std::vector<Batch> batches;
  for (const auto piece : pieces) {
    if (batches.empty() || batches.back().size() == size) batches.emplace_back();
    batches.back().push_back(piece);
  }
  return batches;
}

Batches::Batches(const Slots& slots, Work work, Take take)
    : slots_(slots), work_(std::move(work)), take_(std::move(take)) {}

void Batches::run(std::vector<Batch> batches) {
  waiting_ = std::move(batches);
  std::reverse(waiting_.begin(), waiting_.end());
  while (!waiting_.empty() || !running_.empty()) {
    while (!waiting_.empty()) {
      auto slot = slots_.try_take();
      if (!slot) break;
      start(std::move(*slot));
    }
    std::vector<pollfd> polled;
    for (const auto& worker : running_) polled.push_back({worker.child->fd(), POLLIN, 0});
    if (!waiting_.empty()) polled.push_back({slots_.fd(), POLLIN, 0});
    poll(polled.data(), polled.size(), kPoll_ms);
    running_.remove_if([&](Worker& worker) { return listen(worker); });
  }
}

void Batches::start(Slot slot) {
  Worker worker{std::move(slot), std::move(waiting_.back()), nullptr, {}};
  waiting_.pop_back();
  worker.child = std::make_unique<Child>([&](const Reporter& reporter) { work_(worker.open, reporter); });
  running_.push_back(std::move(worker));
}

// True when the worker has ended.
bool Batches::listen(Worker& worker) {
  const bool open = worker.child->receive();
  while (const auto message = worker.child->next()) {
    if (message->value("type", "") == "failed") worker.why = message->value("what", "");
    if (!message->contains("index")) continue;
    std::erase(worker.open, (*message)["index"].get<std::size_t>());
    take_(*message);
  }
  if (open) return false;
  const auto death = worker.child->join();
  if (worker.open.empty()) return true;
  if (worker.open.size() == 1) {
    throw std::runtime_error(fmt::format("change {} could not be judged: {}", worker.open[0],
                                         !worker.why.empty() ? worker.why
                                         : death             ? death->describe()
                                                             : "no reason"));
  }
  for (const auto index : worker.open) waiting_.push_back({index});
  return true;
}

}  // namespace assay::cli
