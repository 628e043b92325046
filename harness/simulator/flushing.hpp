// Subnormal floats while kernel code runs: kept, or flushed to zero by the processor.
#pragma once

#include <cstdint>

namespace assay::simulator {

/// Whether the processor has bits for it that are known here; else devices refuse Numerics::flushed.
bool can_flush();

/// As long as it lives, and if it is `wanted`, float instructions of this thread take subnormal operands for
/// zero of their sign, and give zero for subnormal results. Fibers that are begun meanwhile do so wherever
/// they go on, and what lived before goes on as it was: a switch keeps each one's bits. Conversions between
/// halves and floats are exact all the same.
class Flushing {
 public:
  explicit Flushing(bool wanted);
  ~Flushing();
  Flushing(const Flushing&) = delete;
  Flushing& operator=(const Flushing&) = delete;

 private:
  std::uint32_t before_ = 0;
  bool wanted_;
};

}  // namespace assay::simulator
