// Takes everything from a process that the run of a kernel does not need.
#pragma once

#include <cstddef>
#include <string>

namespace assay::sandbox {

/// Memory, whole pages of it, that what runs a kernel must not have although it is forked from a process that
/// has: confine_runner() takes it away. Until restore() of the same address.
void withhold(void* data, std::size_t size_bytes);
void restore(void* data);

/// Confines this process, which has one thread, for good: it may use memory and its own threads, read clocks,
/// signal itself, write to that descriptor and end. All its other descriptors are closed, and what is
/// withheld is gone; it opens no file, starts no program, leaves no core. What this machine does not offer is
/// left out. Throws std::runtime_error where it offers something and refuses it then.
void confine_runner(int report_fd);

/// Has this process been confined, or the one that it was forked from?
bool is_confined();

/// Whether confined processes have a filter of system calls and a limit of memory. Not in a build
/// with sanitizers, which could not work under them.
bool filters_system_calls();

/// What this machine does not offer to confine with, in one line for people; empty if nothing is missing.
std::string missing_confinement();

/// Kills this process as soon as `parent`, which has started it, is gone.
void die_with(int parent);

}  // namespace assay::sandbox
