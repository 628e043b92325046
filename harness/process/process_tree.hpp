// What a process and all that it has started have used of the processor.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace assay::process {

/// Seconds of processor time of a process, its descendants that live, and those that they have waited for. 0
/// where nobody can say. `proc`: where the system tells of processes (proc(5)).
double processor_time_of(pid_t process, const std::filesystem::path& proc = "/proc");

}  // namespace assay::process
