// The files that a command was asked to write its results to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/profile/profiler.hpp"
#include "harness/report/results.hpp"

namespace assay::report {

struct Outputs {
  std::optional<std::string> json, junit;
  std::optional<std::string>
      page;  ///< a directory: COMMAND.html there, and COMMAND.json with the same figures
  bool any() const { return json || junit || page; }
};

/// Throws std::runtime_error `FILE: why` where one cannot be written, or both are the same file: to be found
/// before the work is done. The directory of a page is made.
void check(const Outputs& outputs, std::string_view command);

/// Writes what was asked for, each file as a whole. Throws std::runtime_error.
void write(const Outputs& outputs, const Results& results);

/// Of `assay profile`, which has no verdicts that could be merged: the same for its own results.
void write(const Outputs& outputs, const std::vector<profile::ProfileTask>& tasks, double seconds);

/// "page    DIR/verify.html", a line for people; "" where no page was asked for.
std::string page_line(const Outputs& outputs, std::string_view command);

/// In a job of GitHub Actions, what annotates its source; else nothing.
std::string annotations_here(const Results& results);

}  // namespace assay::report
