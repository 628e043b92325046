#include "harness/sandbox/registers.hpp"

namespace assay::sandbox {

Registers registers_of(const ucontext_t& context) {
#if defined(__x86_64__)
  const auto& registers = context.uc_mcontext.gregs;
  return {static_cast<std::uintptr_t>(registers[REG_RIP]), static_cast<std::uintptr_t>(registers[REG_RSP])};
#elif defined(__aarch64__)
  return {context.uc_mcontext.pc, context.uc_mcontext.sp};
#else
  return {};
#endif
}

}  // namespace assay::sandbox
