// Modes: in which ways a kernel is run.
#pragma once

#include <array>
#include <iosfwd>
#include <optional>
#include <string_view>

namespace assay::run {

/// What the device watches, and what the compiler may do to arithmetic.
enum class Mode {
  fast,          ///< strict arithmetic, nothing watched but results and the bytes around buffers
  contracted,    ///< as fast; a * b + c rounds once
  reassociated,  ///< as fast; sums and products are regrouped
  approximate,   ///< as fast; functions and quotients are as far off as fast math grants
  relaxed,       ///< as fast; what both of these do, and reciprocals in place of quotients
  flushed,       ///< as fast; subnormal operands and results of arithmetic become zero
  checked,       ///< strict arithmetic, every access watched
};

inline constexpr std::array kAllModes = {Mode::fast,        Mode::contracted, Mode::reassociated,
                                         Mode::approximate, Mode::relaxed,    Mode::flushed,
                                         Mode::checked};
/// Those of a run that asks for none.
inline constexpr std::array kDefaultModes = {Mode::fast, Mode::contracted, Mode::reassociated,
                                             Mode::approximate, Mode::checked};

/// "fast", "contracted", "reassociated", "approximate", "relaxed", "flushed", "checked".
std::string_view name_of(Mode mode);
/// The mode of that name, if there is one.
std::optional<Mode> mode_named(std::string_view name);
/// Its name.
std::ostream& operator<<(std::ostream& out, Mode mode);

}  // namespace assay::run

namespace assay {

using run::Mode;

}  // namespace assay
