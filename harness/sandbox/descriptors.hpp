// Descriptors that a new process should not have.
#pragma once

#include <initializer_list>

namespace assay::sandbox {

/// Closes every other descriptor of this process. Negative ones name none. Safe between fork and exec.
void close_all_but(std::initializer_list<int> kept);

}  // namespace assay::sandbox
