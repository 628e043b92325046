#include "harness/verify/pace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "harness/verify/numbers.hpp"

namespace assay {
namespace {

/// Before so much of the work is done, and so much time has passed, a guess would jump about.
constexpr double kLeastShare = 0.01, kLeastSeconds = 1;
/// From here on a rate is rounded to a whole number.
constexpr double kWholeRate = 9.95;

}  // namespace

std::string time_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  const std::uint64_t minutes = (whole + 30) / 60;
  if (minutes < 60) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", grouped(minutes / 60), minutes % 60);
}

std::string rate_text(double count, double seconds) {
  const double rate = seconds > 0 ? count / seconds : 0;
  if (rate >= kWholeRate) return grouped(static_cast<std::uint64_t>(std::llround(rate))) + " a second";
  return fmt::format("{:.1f} a second", rate);
}

std::string left_text(double share, double seconds) {
  if (share < kLeastShare || seconds < kLeastSeconds || share >= 1) return {};
  return fmt::format(", about {} left", time_text(seconds / share * (1 - share)));
}

}  // namespace assay
