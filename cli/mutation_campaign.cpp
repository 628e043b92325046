#include "cli/mutation_campaign.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <list>
#include <numeric>
#include <stdexcept>
#include <system_error>

#include "cli/child.hpp"

namespace assay::cli {
namespace {

double processor_time() {
  rusage own{}, used{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(own.ru_utime) + seconds(own.ru_stime) + seconds(used.ru_utime) + seconds(used.ru_stime);
}

// In the child.
void judge_kernel(const verify::KernelEntry& entry, const MutateOptions& options,
                  const Equivalents& equivalents, const Slots& slots, const Reporter& reporter) {
  nlohmann::json end = {{"error", ""}};
  const auto step = [&](std::size_t done, std::size_t all) { reporter.send({{"done", done}, {"all", all}}); };
  try {
    judge_mutants(entry, options, equivalents, slots, step);
  } catch (const std::exception& error) {
    end["error"] = error.what();
  }
  end["core_seconds"] = processor_time();
  reporter.send(end);
}

// Numbers of kernels, those with the longest texts first: they take longest, and what is begun last should
// not leave slots empty at the end.
std::vector<std::size_t> longest_first(const std::vector<const verify::KernelEntry*>& entries) {
  std::vector<std::uintmax_t> bytes;
  for (const auto* entry : entries) {
    std::error_code absent;  // which the kernel's own process reports
    const auto size = std::filesystem::file_size(entry->source, absent);
    bytes.push_back(absent ? 0 : size);
  }
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
  return order;
}

struct Running {
  std::size_t which;
  Child child;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::optional<std::size_t> resumed = {};
  nlohmann::json end = {};
};

}  // namespace

void mutate_kernels(const std::vector<const verify::KernelEntry*>& entries, const MutateOptions& options,
                    const Equivalents& equivalents,
                    const std::function<void(std::size_t, std::size_t, std::size_t)>& step,
                    const std::function<void(std::size_t, KernelMutants)>& finished) {
  const Slots slots(options.jobs);
  // Enough that somebody always has work for a free slot; more would only hold their cases in memory.
  const std::size_t beside = options.jobs / 2 + 2;
  const auto order = longest_first(entries);
  std::list<Running> running;
  const auto listen = [&](Running& one) {
    const bool open = one.child.receive();
    while (const auto message = one.child.next()) {
      if (!message->contains("done")) {
        one.end = *message;
        continue;
      }
      const auto done = message->at("done").get<std::size_t>();
      if (!one.resumed) one.resumed = done;
      step(one.which, done, message->at("all").get<std::size_t>());
    }
    if (open) return false;
    const auto death = one.child.join();
    const auto& entry = *entries[one.which];
    if (!one.end.contains("core_seconds")) {
      throw std::runtime_error(
          fmt::format("{}: the process that judges its mutants ended ({}); what is judged is kept, run again",
                      entry.name, death ? death->describe() : "early"));
    }
    KernelMutants mutants;
    if (one.resumed) mutants = read_mutants(entry, options);  // else its text could not be read
    mutants.kernel.entry = &entry;
    mutants.error = one.end.at("error").get<std::string>();
    mutants.resumed = one.resumed.value_or(0);
    mutants.core_seconds = one.end.at("core_seconds").get<double>();
    mutants.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - one.start).count();
    finished(one.which, std::move(mutants));
    return true;
  };
  for (std::size_t next = 0; next < entries.size() || !running.empty();) {
    while (next < entries.size() && running.size() < beside) {
      const std::size_t which = order[next++];
      running.push_back({which, Child([&, which](const Reporter& reporter) {
                           judge_kernel(*entries[which], options, equivalents, slots, reporter);
                         })});
    }
    std::vector<pollfd> polled;
    for (const auto& one : running) polled.push_back({one.child.fd(), POLLIN, 0});
    poll(polled.data(), polled.size(), kPoll_ms);
    running.remove_if(listen);
  }
}

}  // namespace assay::cli
