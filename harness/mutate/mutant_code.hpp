// What the compiler makes of a mutant, in bounded time.
#pragma once

#include <sys/resource.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/metal/compile/variants.hpp"
#include "harness/run/test_devices.hpp"

namespace assay::mutate {

using Module = std::shared_ptr<const metal::KernelModule>;

/// While one lives, programs that this process starts may use that much processor time each; and so may the
/// process itself, which should be one of its own for a few mutants.
class TimeForPrograms {
 public:
  explicit TimeForPrograms(rlim_t seconds);
  ~TimeForPrograms();
  TimeForPrograms(const TimeForPrograms&) = delete;
  TimeForPrograms& operator=(const TimeForPrograms&) = delete;

 private:
  rlimit before_{};
};

/// The object code of a text; nothing where the compiler makes none, or not in time. `unrolled`: with its
/// loops unrolled, by which more texts are known to be one program; it takes ten times as long.
std::string code_of(const device::KernelSource& source, const std::string& text, metal::Numerics numerics,
                    bool unrolled = false);

/// Texts compiled to run this way, with loops that count their steps.
std::vector<metal::CompiledVariant> counting_variants(const device::KernelSource& source,
                                                      const std::vector<std::string>& texts, run::Mode mode);

/// The module of a text in other numerics; nothing where that makes `strict`, the code of strict arithmetic.
Module loosely_compiled(const device::KernelSource& source, const std::string& text,
                        const std::string& strict, metal::Numerics numerics);

}  // namespace assay::mutate
