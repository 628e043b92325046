#include "cli/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kModeWidth = 18;  // "uninitialised read"

}  // namespace

Table::Table(const std::vector<const KernelEntry*>& entries, const std::vector<run::Mode>& modes)
    : numerics_width_(0) {
  std::size_t others = 0;
  for (const auto mode : modes) {
    if (numerics_of(mode) == run::Numerics::strict) {
      modes_.push_back(mode);
    } else {
      others += 1 + metal::name_of(numerics_of(mode)).size();
    }
  }
  if (others > 0) numerics_width_ = std::max<std::size_t>(8, modes_.empty() ? others - 1 : others + 6);
  for (const auto* entry : entries) {
    name_width_ = column_width(name_width_, entry->name);
    operation_width_ = column_width(operation_width_, entry->operation);
  }
}

void Table::header() const {
  std::string line = fmt::format("{:<{}}  {:<{}}", "kernel", name_width_, "operation", operation_width_);
  for (const run::Mode mode : modes_) line += fmt::format("  {:<{}}", run::name_of(mode), kModeWidth);
  if (numerics_width_ > 0) line += fmt::format("  {:<{}}", "survives", numerics_width_);
  cli::print("{}  {:>6}  {:>7}\n", line, "cases", "seconds");
  flush();
}

void Table::row(const run::KernelReport& report) {
  line_.clear();
  std::string line = fmt::format("{:<{}}  {:<{}}", report.entry->name, name_width_, report.entry->operation,
                                 operation_width_);
  std::uint64_t cases = 0;
  double seconds = 0;
  for (const auto mode : modes_) {
    const auto found = std::find_if(report.modes.begin(), report.modes.end(),
                                    [&](const auto& one) { return one.mode == mode; });
    line += fmt::format("  {:<{}}", found == report.modes.end() ? "-" : assay::name_of(found->verdict),
                        kModeWidth);
  }
  for (const auto& mode : report.modes) {
    cases = std::max(cases, mode.cases_run);
    seconds += mode.seconds;
  }
  if (numerics_width_ > 0) {
    std::string survived;
    for (const auto numerics : report.survived()) {
      survived += fmt::format("{}{}", survived.empty() ? "" : " ", metal::name_of(numerics));
    }
    line += fmt::format("  {:<{}}", survived.empty() ? "none" : survived, numerics_width_);
  }
  cli::print("{}  {:>6}  {:>7.2f}\n", line, cases, seconds);
  flush();
}

void Table::progress(const std::string& text) { line_.show(text); }

void Table::print(const std::string& text) {
  line_.clear();
  write(text);
  flush();
}

}  // namespace assay::cli
