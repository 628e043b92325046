// Profiles of several kernels, each counted in a process of its own.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/child.hpp"
#include "cli/profiler.hpp"

namespace assay::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Running {
  ProfileTask* task = nullptr;
  std::unique_ptr<Child> child;
  Clock::time_point started;
  bool answered = false;
};

void listen(Running& running) {
  while (const auto message = running.child->next()) {
    running.answered = true;
    if (message->value("type", "") == "profile") {
      running.task->result = profile_from_json(*message);
    } else {
      running.task->failure = message->value("what", "it said nothing that makes sense");
    }
  }
}

}  // namespace

void profile_all(std::vector<ProfileTask>& tasks, unsigned jobs, double timeout_s) {
  std::vector<Running> running;
  for (std::size_t next = 0; next < tasks.size() || !running.empty();) {
    while (next < tasks.size() && running.size() < std::max(1U, jobs)) {
      ProfileTask& task = tasks[next++];
      running.push_back({&task, std::make_unique<Child>([&](const Reporter& reporter) {
                           reporter.send(to_json(profile_confined(*task.entry, task.wanted, reporter)));
                         }),
                         Clock::now()});
    }
    std::vector<pollfd> polled;
    for (const auto& one : running) polled.push_back({one.child->fd(), POLLIN, 0});
    poll(polled.data(), polled.size(), 100);
    for (std::size_t i = running.size(); i-- > 0;) {
      Running& one = running[i];
      const bool open = one.child->receive();
      listen(one);
      const bool late = std::chrono::duration<double>(Clock::now() - one.started).count() > timeout_s;
      if (open && !late) continue;
      if (late) one.child->kill();
      const auto death = one.child->join();
      if (!one.answered) {
        one.task->failure = late    ? fmt::format("counting did not end within {} s", timeout_s)
                            : death ? "counting stopped the process: " + death->describe()
                                    : std::string("counting ended with nothing said");
      }
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace assay::cli
