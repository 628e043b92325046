// How a kernel is run.
#pragma once

#include <array>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "assay/device/options.hpp"
#include "assay/mode.hpp"
#include "harness/verify/manifest.hpp"

namespace assay::run {

using device::Numerics;

Numerics numerics_of(Mode mode);
/// What a compiler in that mode may make of declared arithmetic.
Arithmetic compiled_in(Mode mode, Arithmetic declared);
/// Whether a kernel says that it needs what that mode takes away (`requires = { subnormals = 1 }`), and so is
/// not run in it.
bool is_excused(const KernelEntry& entry, Mode mode);
/// The mode of that arithmetic in which nothing is watched: fast mode, where it is strict.
Mode unwatched(Numerics numerics);

}  // namespace assay::run
