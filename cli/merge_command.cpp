#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/report/merge.hpp"
#include "harness/report/read_report.hpp"
#include "harness/report/summary.hpp"

namespace assay::cli {

int run_command(const MergeArguments& arguments) {
  std::vector<report::Part> parts;
  for (const auto& file : arguments.files) parts.push_back({file, report::read_report(file)});
  report::check(arguments.outputs, parts.front().results.run.command);
  const auto results = report::merge(std::move(parts));
  report::write(arguments.outputs, results);
  const bool quiet = arguments.talk == Talk::quiet;
  const auto rows = report::rows(results, quiet ? report::Rows::few : report::Rows::all);
  write(rows);
  auto summary = report::summary(results);
  if (quiet && rows.empty()) summary.without_blank_start();
  write(summary.add(report::page_line(arguments.outputs, results.run.command)));
  return report::exit_status(results);
}

}  // namespace assay::cli
