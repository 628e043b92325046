// The hooks that g++ -fsanitize=thread calls for every load and store of a checked kernel. The linker gives
// them these names (metal/stdlib/assay/link_options): ThreadSanitizer's library has the others.
#include "harness/simulator/checker_inline.hpp"
#include "harness/simulator/counters.hpp"

using assay::simulator::Checker;
using assay::simulator::Counters;

namespace {

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// Between launches (a module that is being loaded) there is neither a checker nor are there counters.
template <std::size_t Bytes, bool Write>
[[gnu::always_inline]] inline void access(const void* address, const void* return_address) {
  if (Checker* checker = Checker::current) [[likely]] {
    checker->access_fixed<Bytes, Write>(number(address), number(return_address));
  } else {
    Counters::access(number(address), Bytes, Write, number(return_address));
  }
}

[[gnu::always_inline]] inline void access_range(const void* address, unsigned long size, bool write,
                                                const void* return_address) {
  if (Checker* checker = Checker::current) {
    checker->access(number(address), size, write, number(return_address), ASSAY_CALLERS_STACK);
  } else {
    Counters::access(number(address), size, write, number(return_address));
  }
}

}  // namespace

#define ASSAY_HOOK(size)                                       \
  void __wrap___tsan_read##size(void* address) {               \
    access<size, false>(address, __builtin_return_address(0)); \
  }                                                            \
  void __wrap___tsan_write##size(void* address) { access<size, true>(address, __builtin_return_address(0)); }
#define ASSAY_UNALIGNED(size)                                  \
  void __wrap___tsan_unaligned_read##size(void* address) {     \
    access<size, false>(address, __builtin_return_address(0)); \
  }                                                            \
  void __wrap___tsan_unaligned_write##size(void* address) {    \
    access<size, true>(address, __builtin_return_address(0));  \
  }

// Of code that clang has compiled, with the place of the access (harness/metal/ir/watch.hpp).
#define ASSAY_SITE_HOOK(size)                                                                    \
  void assay_read##size(void* address, const void* site) { access<size, false>(address, site); } \
  void assay_write##size(void* address, const void* site) { access<size, true>(address, site); }

extern "C" {

ASSAY_SITE_HOOK(1)
ASSAY_SITE_HOOK(2)
ASSAY_SITE_HOOK(4)
ASSAY_SITE_HOOK(8)
ASSAY_SITE_HOOK(16)
void assay_read_range(void* address, unsigned long size, const void* site) {
  access_range(address, size, false, site);
}
void assay_write_range(void* address, unsigned long size, const void* site) {
  access_range(address, size, true, site);
}

ASSAY_HOOK(1)
ASSAY_HOOK(2)
ASSAY_HOOK(4)
ASSAY_HOOK(8)
ASSAY_HOOK(16)
ASSAY_UNALIGNED(2)
ASSAY_UNALIGNED(4)
ASSAY_UNALIGNED(8)
ASSAY_UNALIGNED(16)

// What the linker's --wrap calls them. NOLINTBEGIN(bugprone-reserved-identifier)
void __wrap___tsan_read_range(void* address, unsigned long size) {
  access_range(address, size, false, __builtin_return_address(0));
}
void __wrap___tsan_write_range(void* address, unsigned long size) {
  access_range(address, size, true, __builtin_return_address(0));
}
void __wrap___tsan_init() {}
// NOLINTEND(bugprone-reserved-identifier)
}
