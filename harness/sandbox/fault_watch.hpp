// Signals that end a process, told to whoever watches it before they do.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::sandbox {

/// From now on, a memory fault, an arithmetic fault, an illegal instruction or a forbidden system call writes
/// one line to `fd` before it ends this process:
///   {"fault":{"signal":S,"address":A,"guard":"...","call":C,"at":I,"stack":[...]}}
/// `address` is that of a memory fault, `guard` what it means if it lies in a page that name_guards() names,
/// `call` the number of the system call (-1: none), `at` the instruction, and `stack` what lies on top of the
/// stack: return addresses are among it.
/// A process that has used up its processor time (processor_clock.hpp) writes a few lines
///   {"look":{"number":N,"at":I,"stack":[...]}}
/// of where it is, counted from 0, and ends by SIGPROF.
void watch_faults(int fd);

/// Stretches of memory that nothing may touch: `count` of them, `bytes` long, `pitch` bytes apart.
struct Guards {
  std::uintptr_t begin = 0;
  std::size_t pitch = 0, bytes = 0, count = 0;
};

/// What a fault in one of them means; `meaning` is a literal without quotes in it. Thread-safe.
void name_guards(const Guards& guards, const char* meaning);
void forget_guards(std::uintptr_t begin);

}  // namespace assay::sandbox
