// The hooks that a checked kernel calls for every load and store, with the place of the access
// (harness/metal/ir/watch.hpp).
#include "harness/simulator/checker_inline.hpp"
#include "harness/simulator/counters.hpp"

using assay::simulator::Checker;
using assay::simulator::Counters;

namespace {

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// Between launches (a module that is being loaded) there is neither a checker nor are there counters.
template <std::size_t Bytes, bool Write>
[[gnu::always_inline]] inline void access(const void* address, const void* site) {
  if (Checker* checker = Checker::current) [[likely]] {
    checker->access_fixed<Bytes, Write>(number(address), number(site));
  } else {
    Counters::access(number(address), Bytes, Write, number(site));
  }
}

[[gnu::always_inline]] inline void access_range(const void* address, unsigned long size, bool write,
                                                const void* site) {
  if (Checker* checker = Checker::current) {
    checker->access(number(address), size, write, number(site), ASSAY_CALLERS_STACK);
  } else {
    Counters::access(number(address), size, write, number(site));
  }
}

}  // namespace

#define ASSAY_HOOK(size)                                                                         \
  void assay_read##size(void* address, const void* site) { access<size, false>(address, site); } \
  void assay_write##size(void* address, const void* site) { access<size, true>(address, site); }

extern "C" {

ASSAY_HOOK(1)
ASSAY_HOOK(2)
ASSAY_HOOK(4)
ASSAY_HOOK(8)
ASSAY_HOOK(16)
void assay_read_range(void* address, unsigned long size, const void* site) {
  access_range(address, size, false, site);
}
void assay_write_range(void* address, unsigned long size, const void* site) {
  access_range(address, size, true, site);
}
}
