#include "harness/process/pool.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "harness/process/interrupt.hpp"

namespace assay::process {

Pool::Pool(unsigned jobs) : jobs_(std::max(1u, jobs)) {}

Pool::Pool(const Slots& slots) : jobs_(std::numeric_limits<unsigned>::max()), slots_(&slots) {}

void Pool::run(const std::function<void()>& step) {
  const Interruptible noting;
  while (!waiting_.empty() || !running_.empty()) {
    end_if_interrupted();
    start();
    wait();
    end_if_interrupted();
    for (auto one = running_.begin(); one != running_.end();) {
      if (!listen(*one)) {
        ++one;
        continue;
      }
      Job job = std::move(one->job);
      const auto end = std::move(one->end);
      const bool enough = one->enough;
      one = running_.erase(one);  // first: its slot is free for what `ended` adds
      if (job.again && end.killed() && !enough) {
        std::exchange(job.again, {})();
        waiting_.push_front(std::move(job));
      } else {
        job.ended(end);
      }
    }
    if (step) step();
  }
}

void Pool::end_if_interrupted() {
  try {
    throw_if_interrupted();
  } catch (const Interrupted&) {
    for (auto& one : running_) one.child.kill();  // all of them, before any is waited for
    running_.clear();
    waiting_.clear();
    throw;
  }
}

void Pool::start() {
  while (!waiting_.empty() && running_.size() < jobs_) {
    auto slot = slots_ != nullptr ? slots_->try_take() : std::nullopt;
    if (slots_ != nullptr && !slot) return;
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    Child child(job.work, job.trust, job.processor_limit_s);
    running_.push_back({std::move(job), std::move(slot), std::move(child)});
  }
}

void Pool::wait() const {
  std::vector<pollfd> polled;
  for (const auto& one : running_) polled.push_back({one.child.fd(), POLLIN, 0});
  if (slots_ != nullptr && !waiting_.empty()) polled.push_back({slots_->fd(), POLLIN, 0});
  poll(polled.data(), polled.size(), kPoll_ms);
}

// A process that compiles has a compiler to wait for, which a busy machine may keep waiting itself.
bool Pool::is_silent(Running& one) {
  const Job& job = one.job;
  const double seconds = one.idle.seconds();
  if (one.heard || job.start_limit_s == 0) return seconds > job.idle_limit_s;
  return seconds > job.start_limit_s &&
         (seconds > job.idle_limit_s || one.child.processor_s() > job.start_limit_s);
}

// True when the process has ended, of itself or not. What it says behind its last word is read all the same:
// a process whose pipe is full would wait for a reader for ever, and who waits for it with it.
bool Pool::listen(Running& one) {
  const bool open = one.child.receive();
  while (const auto message = one.child.next()) {
    one.idle.heard();
    one.heard = true;
    if (message->value("type", "") == "failed") {
      one.end.failure = message->value("what", "");
      one.enough = true;
    } else if (!one.enough) {
      one.enough = !one.job.hear(*message);
    }
  }
  const bool silent = open && is_silent(one);
  if (open && !silent) return false;
  one.end.late = silent && !one.enough;
  if (silent) one.child.kill();
  one.end.death = one.child.join();
  one.end.late |= one.end.death && one.end.death->late() && !one.enough;
  one.end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - one.started).count();
  return true;
}

void run_job(Job job) {
  Pool pool(1);
  pool.add(std::move(job));
  pool.run();
}

}  // namespace assay::process
