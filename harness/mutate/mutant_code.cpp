#include "harness/mutate/mutant_code.hpp"

#include <algorithm>
namespace assay::mutate {

TimeForPrograms::TimeForPrograms(rlim_t seconds) {
  getrlimit(RLIMIT_CPU, &before_);
  rlimit now = before_;
  now.rlim_cur = std::min(before_.rlim_max, seconds);
  setrlimit(RLIMIT_CPU, &now);
}

TimeForPrograms::~TimeForPrograms() { setrlimit(RLIMIT_CPU, &before_); }

std::string code_of(const device::KernelSource& source, const std::string& text, metal::Numerics numerics,
                    bool unrolled) {
  return metal::compile_variants(source, {text},
                                 {.numerics = numerics, .compared = true, .unrolled = unrolled})[0]
      .code;
}

std::vector<metal::CompiledVariant> counting_variants(const device::KernelSource& source,
                                                      const std::vector<std::string>& texts, run::Mode mode) {
  return metal::compile_variants(source, texts,
                                 {.flavour = run::flavour_of(mode),
                                  .numerics = numerics_of(mode),
                                  .count_steps = true,
                                  .quick = numerics_of(mode) == metal::Numerics::strict});
}

Module loosely_compiled(const device::KernelSource& source, const std::string& text,
                        const std::string& strict, metal::Numerics numerics) {
  if (code_of(source, text, numerics) == strict) return nullptr;
  return counting_variants(source, {text}, run::unwatched(numerics))[0].module;
}

}  // namespace assay::mutate
