// What a signal's context says of the code it stopped. The one place that names a processor's registers.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace assay::sandbox {

struct Registers {
  std::uintptr_t instruction = 0, stack = 0;  ///< 0: unknown on this processor
};

Registers registers_of(const ucontext_t& context);

}  // namespace assay::sandbox
