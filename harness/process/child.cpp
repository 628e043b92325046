#include "harness/process/child.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/metal/loop_place.hpp"
#include "harness/metal/module.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/process/process_tree.hpp"
#include "harness/sandbox/confinement.hpp"
#include "harness/sandbox/fault_watch.hpp"
#include "harness/sandbox/filter.hpp"
#include "harness/sandbox/processor_clock.hpp"
#include "harness/verify/judge.hpp"

namespace assay::process {
namespace {

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// The first place in a kernel's text among the instruction that was stopped and the calls that led to it.
device::SourcePlace place_of_fault(const nlohmann::json& fault) {
  const auto at = fault.at("at").get<std::uintptr_t>();
  if (auto place = metal::place_of_code(at + 1); place.line != 0) return place;
  for (const auto& word : fault.at("stack")) {
    auto place = metal::place_of_code(word.get<std::uintptr_t>());
    if (place.line != 0) return place;
  }
  return {};
}

Death death_of(const nlohmann::json& fault) {
  Death death;
  death.signal = fault.at("signal").get<int>();
  death.address = fault.at("address").get<std::uintptr_t>();
  death.guard = fault.at("guard").get<std::string>();
  const int call = fault.at("call").get<int>();
  if (call >= 0) death.system_call = sandbox::name_of_system_call(call);
  return death;
}

// The line of a fault names addresses; whoever has the same modules at the same addresses says which lines
// those are, and passes that on.
nlohmann::json last_words(const nlohmann::json& fault) {
  const Death death = death_of(fault);
  const auto place = place_of_fault(fault);
  return {{"died",
           {{"signal", death.signal},
            {"address", death.address},
            {"call", death.system_call},
            {"guard", death.guard},
            {"file", place.file},
            {"line", place.line}}}};
}

// Where the kernel loops that was looked at so often before its processor time had passed.
device::SourcePlace place_of_late(const std::vector<nlohmann::json>& looks) {
  metal::find_lines_of_code();
  std::vector<metal::Look> seen;
  for (const auto& look : looks) {
    auto places = metal::places_around_code(look.at("at").get<std::uintptr_t>() + 1);
    for (const auto& word : look.at("stack")) {
      for (auto& place : metal::places_around_code(word.get<std::uintptr_t>()))
        places.push_back(std::move(place));
    }
    if (!places.empty()) seen.push_back(std::move(places));
  }
  return metal::place_of_loop(seen);
}

nlohmann::json last_words_of_late(const std::vector<nlohmann::json>& looks) {
  const auto place = place_of_late(looks);
  return {{"died",
           {{"signal", SIGPROF},
            {"address", 0},
            {"call", ""},
            {"guard", ""},
            {"file", place.file},
            {"line", place.line}}}};
}

// Ends this process as that one has ended.
[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    signal(number, SIG_DFL);
    raise(number);
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
}

}  // namespace

std::string Death::describe() const {
  const auto at_line = place.line == 0 ? "" : fmt::format(", at {}", assay::to_text(place));
  if (forged) return "it sent a message that this program did not write";
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

Child::Child(const std::function<void(const Reporter&)>& body, Trust trust, double processor_limit_s) {
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
      sandbox::watch_faults(reporter.fd(), reporter.word());
      sandbox::limit_processor_time(processor_limit_s);
      if (trust == Trust::confined) sandbox::start_processor_clock();
      body(reporter);
    } catch (const std::exception& error) {
      reporter.send({{"type", "failed"}, {"what", error.what()}});
      _exit(4);
    }
    _exit(0);  // no destructors, no flushing of what the parent has buffered too
  }
  setpgid(pid_, pid_);  // by whoever is first
  channel_.listen();
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      channel_(std::move(other.channel_)),
      last_words_(std::move(other.last_words_)),
      looks_(std::move(other.looks_)) {}

Child::~Child() {
  kill();
  join();
}

std::optional<nlohmann::json> Child::next() {
  auto message = channel_.next();
  if (channel_.forged() && !last_words_.forged) {
    last_words_.forged = true;
    kill();
  }
  if (!message) return message;
  if (message->contains("fault")) {
    last_words_ = death_of(message->at("fault"));
    last_words_.place = place_of_fault(message->at("fault"));  // of what this process has loaded too
    return next();
  }
  if (message->contains("look")) {
    looks_.push_back(message->at("look"));
    return next();
  }
  if (message->contains("ended")) {
    last_words_.early = true;
    return next();
  }
  if (message->contains("died")) {
    const auto& died = message->at("died");
    last_words_.address = died.at("address").get<std::uintptr_t>();
    last_words_.system_call = died.at("call").get<std::string>();
    last_words_.guard = died.at("guard").get<std::string>();
    last_words_.place = {died.at("file").get<std::string>(), died.at("line").get<std::uint32_t>()};
    return next();
  }
  return message;
}

double Child::processor_s() const { return pid_ > 0 ? processor_time_of(pid_) : 0; }

std::optional<Death> Child::join() {
  if (pid_ < 0) return std::nullopt;
  const int status = wait_for(pid_);
  ::kill(-pid_, SIGKILL);  // whatever it has left behind
  pid_ = -1;
  if (status == 0 && !last_words_.forged) return std::nullopt;
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

nlohmann::json run_confined(const Reporter& reporter, const std::function<nlohmann::json()>& body) {
  Channel channel;
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot start a process");
  if (pid == 0) {
    sandbox::die_with(parent);
    const Reporter result = channel.reporter();
    try {
      sandbox::confine_runner(reporter.fd(), result.fd());
      sandbox::watch_faults(result.fd(), result.word());
      sandbox::start_processor_clock();
      result.send({{"result", body()}});
    } catch (const std::exception& error) {
      result.send({{"failed", error.what()}});
    }
    _exit(0);
  }
  channel.listen();
  nlohmann::json outcome;
  std::vector<nlohmann::json> looks;
  for (bool open = true; open;) {
    open = channel.receive(true);
    while (auto message = channel.next()) {
      if (message->contains("fault")) {
        reporter.send(last_words(message->at("fault")));
      } else if (message->contains("look")) {
        looks.push_back(message->at("look"));
      } else {
        outcome = std::move(*message);
      }
    }
  }
  const int status = wait_for(pid);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) reporter.send(last_words_of_late(looks));
  if (outcome.contains("failed")) throw std::runtime_error(outcome["failed"].get<std::string>());
  if (status == 0 && outcome.contains("result")) return std::move(outcome["result"]);
  const bool trapped = WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGSYS;
  if (WIFEXITED(status) && !trapped) reporter.send({{"ended", true}});
  end_like(status == 0 ? 3 << 8 : status);
}

}  // namespace assay::process
