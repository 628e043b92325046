// The hooks that g++ -fsanitize=thread calls for every load and store of a checked kernel.
#include "harness/simulator/checker_inline.hpp"

using assay::simulator::Checker;

namespace {

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

#define ASSAY_HOOK(size)                                                                               \
  void __tsan_read##size(void* address) {                                                              \
    Checker::current->access_fixed<size, false>(number(address), number(__builtin_return_address(0))); \
  }                                                                                                    \
  void __tsan_write##size(void* address) {                                                             \
    Checker::current->access_fixed<size, true>(number(address), number(__builtin_return_address(0)));  \
  }
#define ASSAY_UNALIGNED(size)                                                                          \
  void __tsan_unaligned_read##size(void* address) {                                                    \
    Checker::current->access_fixed<size, false>(number(address), number(__builtin_return_address(0))); \
  }                                                                                                    \
  void __tsan_unaligned_write##size(void* address) {                                                   \
    Checker::current->access_fixed<size, true>(number(address), number(__builtin_return_address(0)));  \
  }

extern "C" {

ASSAY_HOOK(1)
ASSAY_HOOK(2)
ASSAY_HOOK(4)
ASSAY_HOOK(8)
ASSAY_HOOK(16)
ASSAY_UNALIGNED(2)
ASSAY_UNALIGNED(4)
ASSAY_UNALIGNED(8)
ASSAY_UNALIGNED(16)

void __tsan_read_range(void* address, unsigned long size) {
  Checker::current->access(number(address), size, false, number(__builtin_return_address(0)));
}
void __tsan_write_range(void* address, unsigned long size) {
  Checker::current->access(number(address), size, true, number(__builtin_return_address(0)));
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
}
