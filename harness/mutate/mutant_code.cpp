#include "harness/mutate/mutant_code.hpp"

#include <algorithm>

#include "harness/metal/errors.hpp"

namespace assay::mutate {

TimeForPrograms::TimeForPrograms(rlim_t seconds) {
  getrlimit(RLIMIT_CPU, &before_);
  rlimit now = before_;
  now.rlim_cur = std::min(before_.rlim_max, seconds);
  setrlimit(RLIMIT_CPU, &now);
}

TimeForPrograms::~TimeForPrograms() { setrlimit(RLIMIT_CPU, &before_); }

std::string code_of(const device::KernelSource& source, const std::string& text, metal::Numerics numerics) {
  try {
    return metal::object_code(source, text, numerics);
  } catch (const metal::SourceError&) {
    return {};
  }
}

std::vector<metal::CompiledVariant> counting_variants(const device::KernelSource& source,
                                                      const std::vector<std::string>& texts, run::Mode mode) {
  return metal::compile_variants(source, texts, {run::flavour_of(mode), numerics_of(mode), true});
}

Module loosely_compiled(const device::KernelSource& source, const std::string& text,
                        const std::string& strict, metal::Numerics numerics) {
  if (code_of(source, text, numerics) == strict) return nullptr;
  return counting_variants(source, {text}, run::unwatched(numerics))[0].module;
}

}  // namespace assay::mutate
