// Being asked to end: Ctrl-C, and what a shell or a scheduler sends.
#pragma once

#include <array>
#include <csignal>

namespace assay::process {

/// Thrown out of Pool::run() when somebody asks this program to end. Whoever catches it says what was done so
/// far. No std::exception: code that goes on after a fault must not go on after this.
class Interrupted {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// While it is there, SIGINT, SIGTERM and SIGHUP do not end this process where a Pool runs: the pool kills
/// its processes and throws Interrupted. Anywhere else they end this process at once: it says that it was
/// interrupted, and cannot say what was done. After the first, further ones are ignored, so that the last
/// words are whole. One at a time.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  std::array<struct sigaction, 3> before_{};
};

/// While it is there, such signals are noted, and throw_if_interrupted() throws.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

/// Throws Interrupted if a signal was noted.
void throw_if_interrupted();

/// In a process that was just forked: these signals end it, whatever the parent does with its own.
void forget_interrupts();

}  // namespace assay::process
