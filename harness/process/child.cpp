#include "harness/process/child.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/metal/module/loop_place.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/process/process_tree.hpp"
#include "harness/sandbox/confinement.hpp"
#include "harness/sandbox/fault_watch.hpp"
#include "harness/sandbox/filter.hpp"
#include "harness/sandbox/processor_clock.hpp"
#include "harness/verify/judge.hpp"

namespace assay::process {
namespace {

/// More than a process that is late is looked at (harness/sandbox/fault_watch.cpp).
constexpr std::size_t kMostLooks = 64;
constexpr std::size_t kLongestGuard = 200;

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// The instruction that was stopped, and behind it what lay on top of the stack.
std::vector<std::uintptr_t> words_of(const nlohmann::json& stopped) {
  std::vector<std::uintptr_t> words = {stopped.at("at").get<std::uintptr_t>() + 1};
  for (const auto& word : stopped.at("stack")) words.push_back(word.get<std::uintptr_t>());
  return words;
}

// The first place in a kernel's text among these.
device::SourcePlace place_of_code(const std::vector<std::uintptr_t>& words) {
  for (const auto word : words) {
    if (auto place = metal::place_of_code(word); place.line != 0) return place;
  }
  return {};
}

// A line that a terminal may be given.
std::string shown(std::string text) {
  text.resize(std::min<std::size_t>(text.size(), kLongestGuard));
  std::erase_if(text, [](char c) { return c < ' ' || c > '~'; });
  return text;
}

Death death_of(const nlohmann::json& fault) {
  Death death;
  death.signal = fault.at("signal").get<int>();
  death.address = fault.at("address").get<std::uintptr_t>();
  death.guard = shown(fault.at("guard").get<std::string>());
  const int call = fault.at("call").get<int>();
  if (call >= 0) death.system_call = sandbox::name_of_system_call(call);
  return death;
}

// How a process ended that ran a kernel, for those who wait for the process that waited for it.
nlohmann::json last_words(const Death& death) {
  return {{"died",
           {{"signal", death.signal},
            {"address", death.address},
            {"call", death.system_call},
            {"guard", death.guard},
            {"early", death.early},
            {"malformed", death.malformed},
            {"file", death.place.file},
            {"line", death.place.line}}}};
}

// Where the kernel loops that was looked at so often before its processor time had passed.
device::SourcePlace place_of_late(const std::vector<std::vector<std::uintptr_t>>& looks) {
  std::vector<metal::Look> seen;
  for (const auto& look : looks) {
    metal::Look places;
    for (const auto word : look) {
      for (auto& place : metal::places_around_code(word)) places.push_back(std::move(place));
    }
    if (!places.empty()) seen.push_back(std::move(places));
  }
  return metal::place_of_loop(metal::loops_of_loaded(), seen);
}

// Ends this process as that one has ended.
[[noreturn]] void end_like(const Death& death) {
  if (death.signal != 0) {
    signal(death.signal, SIG_DFL);
    raise(death.signal);
  }
  _exit(death.exit_code != 0 ? death.exit_code : 3);
}

}  // namespace

std::string Death::describe() const {
  const auto at_line = place.line == 0 ? "" : fmt::format(", at {}", assay::to_text(place));
  if (malformed) return "it sent a message that this program did not write";
  if (!system_call.empty())
    return fmt::format("the kernel calls the operating system ({}), which a kernel must not do{}",
                       system_call, at_line);
  if (early) return "the kernel ended it, which a kernel must not do";
  if (!guard.empty()) return guard + at_line;
  if (signal == 0) return fmt::format("exit status {}", exit_code);
  const auto at = address == 0 ? "" : fmt::format(" at address {:#x}", address);
  return fmt::format("signal {} ({}){}{}", signal, strsignal(signal), at, at_line);
}

bool Death::late() const { return signal == SIGPROF; }

// A kernel cannot: its process may signal nobody but itself, and what says so is `malformed` or a system
// call.
bool Death::killed() const {
  return (signal == SIGKILL || signal == SIGXCPU || signal == SIGTERM) && !malformed;
}

Child::Child(const std::function<void(const Reporter&)>& body, Trust trust, double processor_limit_s)
    : trust_(trust) {
  std::cout.flush();
  (void)sandbox::missing_confinement();  // what that finds out, children need not
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("cannot start a process");
  if (pid_ == 0) {
    setpgid(0, 0);
    forget_interrupts();
    sandbox::die_with(parent);
    const Reporter reporter = channel_.reporter();
    try {
      // Tensors of a few megabytes come and go with each case: their memory is used again, rather than given
      // back and asked for anew, page by page.
      if (trust == Trust::confined) {
        mallopt(M_MMAP_THRESHOLD, 32 << 20);
        mallopt(M_TRIM_THRESHOLD, 256 << 20);
        sandbox::confine_runner(reporter.fd());
      }
      sandbox::watch_faults(reporter.fd());
      sandbox::limit_processor_time(processor_limit_s);
      if (trust == Trust::confined) sandbox::start_processor_clock();
      body(reporter);
    } catch (const KernelProcessEnded& ended) {
      reporter.send(last_words(ended.death));
      end_like(ended.death);
    } catch (const std::exception& error) {
      reporter.send({{"type", "failed"}, {"what", error.what()}});
      _exit(4);
    } catch (...) {  // else the caller's code would go on here, a second time
      reporter.send({{"type", "failed"}, {"what", "something was thrown that is no std::exception"}});
      _exit(4);
    }
    _exit(0);  // no destructors, no flushing of what the parent has buffered too
  }
  setpgid(pid_, pid_);  // by whoever is first
  channel_.listen();
}

Child::Child(Child&& other) noexcept
    : trust_(other.trust_),
      pid_(std::exchange(other.pid_, -1)),
      channel_(std::move(other.channel_)),
      last_words_(std::move(other.last_words_)),
      looks_(std::move(other.looks_)) {}

Child::~Child() {
  kill();
  join();
}

// Is the message about the process itself? What one says that runs a kernel may be anything.
bool Child::note(const nlohmann::json& message) {
  if (message.contains("fault")) {
    last_words_ = death_of(message.at("fault"));
    last_words_.place = place_of_code(words_of(message.at("fault")));
    return true;
  }
  if (message.contains("look")) {
    if (looks_.size() < kMostLooks) looks_.push_back(words_of(message.at("look")));
    return true;
  }
  if (trust_ == Trust::confined || !message.contains("died")) return false;
  const auto& died = message.at("died");
  last_words_.address = died.at("address").get<std::uintptr_t>();
  last_words_.system_call = died.at("call").get<std::string>();
  last_words_.guard = died.at("guard").get<std::string>();
  last_words_.early = died.at("early").get<bool>();
  last_words_.malformed = died.at("malformed").get<bool>();
  last_words_.place = {died.at("file").get<std::string>(), died.at("line").get<std::uint32_t>()};
  return true;
}

std::optional<nlohmann::json> Child::next() {
  while (!last_words_.malformed) {  // what it said behind that is nothing, either
    bool malformed = false;
    try {
      auto message = channel_.next();
      malformed = channel_.malformed();
      if (!message && !malformed) return message;
      if (message && !note(*message)) return message;
    } catch (const nlohmann::json::exception&) {
      malformed = true;
    }
    if (malformed) stop_as_malformed();
  }
  return std::nullopt;
}

void Child::stop_as_malformed() {
  last_words_ = {};
  last_words_.malformed = true;
  kill();
}

double Child::processor_s() const { return pid_ > 0 ? processor_time_of(pid_) : 0; }

double Child::own_processor_s() const {
  clockid_t clock{};
  timespec used{};
  if (pid_ <= 0 || clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

std::optional<Death> Child::join() {
  if (pid_ < 0) return std::nullopt;
  const int status = wait_for(pid_);
  ::kill(-pid_, SIGKILL);  // whatever it has left behind
  pid_ = -1;
  if (status == 0 && !last_words_.malformed) return std::nullopt;
  Death death = last_words_;
  death.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  death.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (death.late() && !looks_.empty()) death.place = place_of_late(looks_);
  return death;
}

void Child::kill() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
}

}  // namespace assay::process
