// What a program waits for that will never come.
#pragma once

#include <sys/types.h>

#include <string>

namespace assay::sandbox {

/// The pipe in the file system that one of the processes below `root` opens or reads right now, as it names
/// it; "" where there is none. A compiler that includes such a pipe waits until somebody writes to it.
std::string awaited_pipe(pid_t root);

}  // namespace assay::sandbox
