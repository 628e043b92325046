// A piece of work in a process of its own: it may crash or hang without taking the program down.
#pragma once

#include <sys/types.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "assay/device/launch_report.hpp"
#include "harness/process/channel.hpp"

namespace assay::process {

/// How long those who wait for children sleep, at most, before they look around.
inline constexpr int kPoll_ms = 100;

/// How a process ended without being asked to.
struct Death {
  int signal = 0;  ///< 0: it exited
  int exit_code = 0;
  std::uintptr_t address = 0;      ///< of a memory fault, 0 if unknown
  std::string system_call;         ///< that it made and may not make; empty: none
  std::string guard;               ///< what the memory fault means, where that is known
  bool early = false;              ///< it exited with nothing said
  device::SourcePlace place = {};  ///< of the kernel's text, where it is known
  bool malformed = false;          ///< it was stopped for something that is no message
  bool late() const;               ///< it used up its processor time; `place` is then where it loops
  bool killed() const;  ///< from outside: by somebody, for lack of memory, or by a limit of the machine
  std::string describe() const;  ///< "signal 11 (Segmentation fault) at address 0x... at gemm.metal:12"
};

/// Who may write to files, start programs and so on in a child.
enum class Trust {
  whole,     ///< it works for us: it compiles, and starts others
  confined,  ///< it runs a kernel, and does nothing else (harness/sandbox/confinement.hpp)
};

/// Thrown where the process is gone that a kernel ran in: what it ran for cannot go on. A child that lets it
/// pass ends as that process did, and says where. No std::exception: nobody on the way can mend it.
struct KernelProcessEnded {
  Death death;
};

/// A forked process that runs `body` and exits, in a process group of its own. Killed when this goes out of
/// scope, with all that is in that group.
class Child {
 public:
  /// What runs a kernel there, in this process or in a confined one that it starts, may take so much
  /// processor time from one message to the next.
  explicit Child(const std::function<void(const Reporter&)>& body, Trust trust = Trust::whole,
                 double processor_limit_s = std::numeric_limits<double>::infinity());
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;

  /// For poll(): readable when a message has come or the child has ended.
  int fd() const { return channel_.fd(); }

  /// Reads what has come; call when fd() is readable. False once the child has closed its end.
  bool receive() { return channel_.receive(); }
  /// The next whole message, if one has come. What is none stops the process.
  std::optional<nlohmann::json> next();

  /// Processor time of this process and all that it has started, compilers and what runs kernels.
  double processor_s() const;
  /// Of this process alone.
  double own_processor_s() const;

  /// Waits for the end; nothing if it exited with status 0.
  std::optional<Death> join();
  void kill();
  /// Ends it for something that it said: its death is then `malformed`.
  void stop_as_malformed();

 private:
  bool note(const nlohmann::json& message);

  Trust trust_;
  pid_t pid_ = -1;
  Channel channel_;
  Death last_words_;
  std::vector<std::vector<std::uintptr_t>> looks_;  ///< addresses of code, among others
};

}  // namespace assay::process
