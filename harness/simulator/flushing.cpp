#include "harness/simulator/flushing.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace assay::simulator {
namespace {

#if defined(__x86_64__)
/// Of MXCSR: flush to zero (results) and denormals are zero (operands). Every x86-64 processor has both.
constexpr std::uint32_t kFlush = 0x8000 | 0x0040;

std::uint32_t control() { return _mm_getcsr(); }
void set_control(std::uint32_t word) { _mm_setcsr(word); }
constexpr bool kKnown = true;
#else
constexpr std::uint32_t kFlush = 0;

std::uint32_t control() { return 0; }
void set_control(std::uint32_t) {}
constexpr bool kKnown = false;
#endif

}  // namespace

bool can_flush() { return kKnown; }

Flushing::Flushing(bool wanted) : wanted_(wanted) {
  if (!wanted_) return;
  before_ = control();
  set_control(before_ | kFlush);
}

Flushing::~Flushing() {
  if (wanted_) set_control(before_);
}

}  // namespace assay::simulator
