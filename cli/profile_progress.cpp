#include "cli/profile_progress.hpp"

#include <fmt/format.h>

#include "harness/verify/numbers.hpp"

namespace assay::cli {

std::string ProfileProgress::line(const profile::ProfileStep& step) const {
  const double seconds = clock_.seconds();
  const auto done = static_cast<double>(step.done);
  return fmt::format("{} of {} kernels counted, {}{}: {}", grouped(step.done), grouped(step.of),
                     rate_text(done, seconds), left_text(done / static_cast<double>(step.of), seconds),
                     step.task.entry->name);
}

std::string ProfileProgress::detail(const profile::ProfileStep& step) {
  return fmt::format("{}: {} {:.1f} s\n", step.task.entry->name,
                     step.task.failure.empty() ? "counted in" : "could not be counted; it took",
                     step.seconds);
}

std::string ProfileProgress::words() const {
  return of_ == 0 ? "no kernel was counted"
                  : fmt::format("{} of {} kernels were counted", grouped(done_), grouped(of_));
}

}  // namespace assay::cli
