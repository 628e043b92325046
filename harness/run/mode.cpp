#include "harness/run/mode.hpp"

#include <ostream>

#include "harness/metal/toolchain.hpp"

namespace assay::run {

std::string_view name_of(Mode mode) {
  return mode == Mode::checked ? "checked" : mode == Mode::fast ? "fast" : metal::name_of(numerics_of(mode));
}

std::ostream& operator<<(std::ostream& out, Mode mode) { return out << name_of(mode); }

Numerics numerics_of(Mode mode) {
  if (mode == Mode::contracted) return Numerics::contracted;
  return mode == Mode::reassociated ? Numerics::reassociated : Numerics::strict;
}

Arithmetic compiled_in(Mode mode, Arithmetic declared) {
  declared.regrouped = numerics_of(mode) == Numerics::reassociated;
  return declared;
}

Mode unwatched(Numerics numerics) {
  if (numerics == Numerics::contracted) return Mode::contracted;
  return numerics == Numerics::reassociated ? Mode::reassociated : Mode::fast;
}

}  // namespace assay::run
