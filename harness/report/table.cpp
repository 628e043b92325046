#include "harness/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/verify/numbers.hpp"
#include "harness/verify/printable.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kModeWidth = 18;  // "uninitialised read"

// What it came to in that mode; nullptr where it was not run in it.
const run::ModeReport* report_in(const run::KernelReport& report, run::Mode mode) {
  const auto found = std::find_if(report.modes.begin(), report.modes.end(),
                                  [&](const auto& one) { return one.mode == mode; });
  return found == report.modes.end() ? nullptr : &*found;
}

constexpr const char* kNeedsSubnormals = ", needs subnormals";

// The arithmetic that it passed under, or that it is wrong as it is written. And where subnormals are
// `flushed`, whether it is not asked to stand that.
std::string survived_text(const run::KernelReport& report, bool flushed) {
  if (report.rejected_as_written()) return "not strict";
  std::string text;
  for (const auto numerics : report.survived()) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", metal::name_of(numerics));
  }
  if (text.empty()) text = "none";
  return flushed && is_excused(*report.entry, run::Mode::flushed) ? text + kNeedsSubnormals : text;
}

}  // namespace

Table::Table(const std::vector<const KernelEntry*>& entries, const std::vector<run::Mode>& modes) {
  flushed_ = std::find(modes.begin(), modes.end(), run::Mode::flushed) != modes.end();
  std::size_t others = 0;
  bool needs = false;
  for (const auto mode : modes) {
    if (numerics_of(mode) == run::Numerics::strict) {
      modes_.push_back(mode);
    } else {
      others += 1 + metal::name_of(numerics_of(mode)).size();
    }
  }
  if (others > 0) numerics_width_ = std::max<std::size_t>(8, modes_.empty() ? others - 1 : others + 6);
  for (const auto* entry : entries) {
    needs |= flushed_ && is_excused(*entry, run::Mode::flushed);
    name_width_ = column_width(name_width_, entry->name);
    operation_width_ = column_width(operation_width_, entry->operation);
  }
  if (needs) numerics_width_ += std::string_view(kNeedsSubnormals).size();
}

std::string Table::header() const {
  std::string line = fmt::format("{:<{}}  {:<{}}", "kernel", name_width_, "operation", operation_width_);
  for (const run::Mode mode : modes_) line += fmt::format("  {:<{}}", run::name_of(mode), kModeWidth);
  if (numerics_width_ > 0) line += fmt::format("  {:<{}}", "survives", numerics_width_);
  return fmt::format("{}  {:>6}  {:>7}\n", line, "cases", "seconds");
}

StyledText Table::row(const run::KernelReport& report) const {
  StyledText line;
  line.add(fmt::format("{:<{}}  {:<{}}", report.entry->name, name_width_, report.entry->operation,
                       operation_width_));
  for (const auto mode : modes_) {
    const auto* const one = report_in(report, mode);
    const std::string word(one == nullptr ? "-" : assay::name_of(one->verdict));
    line.add("  ").add(word, one == nullptr ? Style::plain : style_of(one->verdict));
    line.add(std::string(kModeWidth - std::min(kModeWidth, word.size()), ' '));
  }
  if (numerics_width_ > 0)
    line.add(fmt::format("  {:<{}}", survived_text(report, flushed_), numerics_width_));
  std::uint64_t cases = 0;
  double seconds = 0;
  for (const auto& mode : report.modes) {
    cases = std::max(cases, mode.cases_run);
    seconds += mode.seconds;
  }
  return line.add(fmt::format("  {:>6}  {:>7.2f}\n", grouped(cases), seconds));
}

}  // namespace assay::report
