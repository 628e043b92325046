// How many processes may work at a time, counted over all processes of a run.
#pragma once

#include <optional>

namespace assay::process {

/// Processors of this machine; 1 where nobody knows.
unsigned cores();

/// A right to keep one core busy; given back when it goes out of scope.
class Slot {
 public:
  explicit Slot(int give_back) : give_back_(give_back) {}
  ~Slot();
  Slot(Slot&& other) noexcept;
  Slot& operator=(Slot&&) = delete;

 private:
  int give_back_;  // descriptor; -1: moved from
};

/// A pipe with a byte for each free slot, shared by forked processes. A process that is killed keeps what it
/// has.
class Slots {
 public:
  /// Throws std::runtime_error where no pipe can be had.
  explicit Slots(unsigned count);
  ~Slots();
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  /// Waits until one is free.
  Slot take() const;
  std::optional<Slot> try_take() const;
  /// For poll(): readable while one is free, though another process may be quicker.
  int fd() const { return out_; }

 private:
  int out_ = -1, in_ = -1;
};

}  // namespace assay::process
