#include "harness/run/mode.hpp"

#include <algorithm>
#include <ostream>

#include "harness/metal/compile/toolchain.hpp"
#include "harness/verify/value_requirements.hpp"

namespace assay::run {

std::string_view name_of(Mode mode) {
  return mode == Mode::checked ? "checked" : mode == Mode::fast ? "fast" : metal::name_of(numerics_of(mode));
}

std::optional<Mode> mode_named(std::string_view name) {
  const auto found =
      std::find_if(kAllModes.begin(), kAllModes.end(), [&](Mode mode) { return name_of(mode) == name; });
  return found == kAllModes.end() ? std::nullopt : std::optional(*found);
}

std::ostream& operator<<(std::ostream& out, Mode mode) { return out << name_of(mode); }

Numerics numerics_of(Mode mode) {
  switch (mode) {
    case Mode::contracted:
      return Numerics::contracted;
    case Mode::reassociated:
      return Numerics::reassociated;
    case Mode::approximate:
      return Numerics::approximate;
    case Mode::relaxed:
      return Numerics::relaxed;
    case Mode::flushed:
      return Numerics::flushed;
    default:
      return Numerics::strict;
  }
}

Arithmetic compiled_in(Mode mode, Arithmetic declared) {
  declared.regrouped = mode == Mode::reassociated || mode == Mode::relaxed;
  declared.flushed = mode == Mode::flushed;
  return declared;
}

bool is_excused(const KernelEntry& entry, Mode mode) {
  return mode == Mode::flushed && entry.requirements.contains(std::string(kSubnormals));
}

Mode unwatched(Numerics numerics) {
  return *std::find_if(kAllModes.begin(), kAllModes.end(),
                       [&](Mode mode) { return numerics_of(mode) == numerics; });
}

}  // namespace assay::run
