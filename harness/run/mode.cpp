#include "harness/run/mode.hpp"

#include <ostream>

#include "harness/metal/toolchain.hpp"
#include "harness/verify/value_requirements.hpp"

namespace assay::run {

std::string_view name_of(Mode mode) {
  return mode == Mode::checked ? "checked" : mode == Mode::fast ? "fast" : metal::name_of(numerics_of(mode));
}

std::ostream& operator<<(std::ostream& out, Mode mode) { return out << name_of(mode); }

Numerics numerics_of(Mode mode) {
  if (mode == Mode::contracted) return Numerics::contracted;
  if (mode == Mode::flushed) return Numerics::flushed;
  return mode == Mode::reassociated ? Numerics::reassociated : Numerics::strict;
}

Arithmetic compiled_in(Mode mode, Arithmetic declared) {
  declared.regrouped = numerics_of(mode) == Numerics::reassociated;
  declared.flushed = numerics_of(mode) == Numerics::flushed;
  return declared;
}

bool is_excused(const KernelEntry& entry, Mode mode) {
  return mode == Mode::flushed && entry.requirements.contains(std::string(kSubnormals));
}

Mode unwatched(Numerics numerics) {
  if (numerics == Numerics::contracted) return Mode::contracted;
  if (numerics == Numerics::flushed) return Mode::flushed;
  return numerics == Numerics::reassociated ? Mode::reassociated : Mode::fast;
}

}  // namespace assay::run
