// The pages of a directory: written beside what programs read, linked to one another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/profile/profiler.hpp"
#include "harness/report/results.hpp"

namespace assay::report {

/// Makes the directory. Throws std::runtime_error `FILE: why` where a page of that command cannot be written
/// there.
void check_page(const std::string& directory, std::string_view command);

/// Writes DIRECTORY/COMMAND.html and COMMAND.json, each as a whole. What other commands have left there is
/// linked; the mutants that `assay mutate` has counted on the same texts are said of their kernels. Throws
/// std::runtime_error, also for results of a command that has no page.
void write_page(const std::string& directory, const Results& results);
void write_page(const std::string& directory, const std::vector<profile::ProfileTask>& tasks, double seconds);

}  // namespace assay::report
