// Descriptors that a process should not have, and those that it should.
#pragma once

#include <initializer_list>

namespace assay::sandbox {

/// Closes every other descriptor of this process. Negative ones name none. Safe between fork and exec.
void close_all_but(std::initializer_list<int> kept);

/// Standard descriptors that were closed when the program was started are opened on /dev/null, so that no
/// file of ours becomes standard output. Writing to them fails.
void hold_standard_descriptors();

}  // namespace assay::sandbox
