#include "harness/verify/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "harness/verify/numbers.hpp"

namespace assay {
namespace {

using device::FaultKind;

// Causes before consequences. No fault follows from one that came later, so a launch's faults are sorted by
// their moment first: what comes out first has no other for its cause. Within one moment, or where moments
// are not known:
// - a launch over the device's budget never ran as written, so nothing else it shows counts;
// - an address that is not aligned reaches into what is another's: races follow;
// - a race lets a lane read before the write: uninitialised reads follow;
// - garbage shifts by any number, and is converted to any type;
// - garbage as an index or flag: accesses out of bounds, crashes and endless waits follow;
// - a lane that went out of bounds or crashed is stopped, and does not come to its next barrier;
// - a barrier that some lanes skip lets nobody go on;
// - what waits for ever waits for others too.
constexpr FaultKind kByCause[] = {
    FaultKind::over_budget, FaultKind::misaligned,      FaultKind::race,  FaultKind::uninitialised_read,
    FaultKind::undefined,   FaultKind::out_of_bounds,   FaultKind::crash, FaultKind::divergent_barrier,
    FaultKind::deadlock,    FaultKind::needs_residency,
};

// What never ran has no moment. Writes of the same value change nothing that another race does.
auto order_of(const device::Fault& fault) {
  const auto rank = std::find(std::begin(kByCause), std::end(kByCause), fault.kind) - std::begin(kByCause);
  return std::tuple(fault.kind == FaultKind::over_budget ? 0 : fault.moment, rank, fault.same_value);
}

/// "x[2,0,7]": an index for each axis, of which a row counts all but the last together.
std::string element_name(const std::string& tensor, const std::vector<std::size_t>& shape, std::size_t row,
                         std::size_t column) {
  std::vector<std::size_t> indices = {column};
  for (std::size_t axis = shape.size(); axis-- > 2;) {
    const std::size_t side = std::max<std::size_t>(shape[axis - 1], 1);
    indices.insert(indices.begin(), row % side);
    row /= side;
  }
  if (shape.size() > 1) indices.insert(indices.begin(), row);
  return fmt::format("{}[{}]", tensor, fmt::join(indices, ","));
}

}  // namespace

namespace {

// With as many digits as it takes: "2355814401 instead of 2355814400".
std::pair<std::string, std::string> told_apart(const WrongElement& wrong, DType dtype) {
  if (is_integer(dtype)) return {fmt::format("{:.0f}", wrong.got), fmt::format("{:.0f}", wrong.expected)};
  std::pair<std::string, std::string> texts;
  for (const int digits : {6, 9, 17}) {
    texts = {value_text(wrong.got, digits), value_text(wrong.expected, digits)};
    if (texts.first != texts.second) break;
  }
  return texts;
}

}  // namespace

std::string describe(const Comparison& comparison) {
  const WrongElement& first = comparison.wrong.front();
  const std::size_t wrong = comparison.wrong.size();
  const std::string where = element_name(comparison.tensor, comparison.shape, first.row, first.column);
  if (comparison.undefined() == wrong) {
    return fmt::format("{} of {} elements of {} hold the value of a lane that took no part; the first is {}",
                       grouped(wrong), grouped(comparison.elements), comparison.tensor, where);
  }
  if (comparison.never_written == wrong) {
    return fmt::format("{} of {} elements of {} were never written; the first is {}", grouped(wrong),
                       grouped(comparison.elements), comparison.tensor, where);
  }
  std::string text = fmt::format("{} of {} elements of {} are wrong", grouped(wrong),
                                 grouped(comparison.elements), comparison.tensor);
  if (comparison.never_written > 0)
    text += fmt::format(" ({} of them {} never written)", grouped(comparison.never_written),
                        comparison.never_written == 1 ? "was" : "were");
  if (first.never_written) return text + fmt::format("; the first, {}, was never written", where);
  if (first.undefined)
    return text + fmt::format("; the first, {}, is the value of a lane that took no part", where);
  const auto [got, expected] = told_apart(first, comparison.dtype);
  return text + fmt::format("; the first, {}, is {} instead of {}", where, got, expected);
}

std::string describe(const device::InactiveRead& read) {
  return fmt::format(
      "{}: {} was given the value of lane {}, which took no part there. Such a value is undefined.",
      to_text(read.read.place), read.read.what, read.lane);
}

std::vector<device::InactiveRead> inactive_reads_behind(const Evidence& evidence) {
  constexpr std::size_t kShown = 5;
  const bool wrong = std::any_of(evidence.comparisons.begin(), evidence.comparisons.end(),
                                 [](const Comparison& one) { return !one.right(); });
  const auto& all = evidence.report.inactive_reads;
  if (!wrong) return {};
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kShown))};
}

std::vector<BitDifference> untold_differences(const Evidence& evidence) {
  const auto told = [&](const BitDifference& difference) {
    if (difference.never_written != difference.different) return false;
    return std::any_of(evidence.comparisons.begin(), evidence.comparisons.end(), [&](const Comparison& one) {
      return one.tensor == difference.tensor && one.never_written == difference.different;
    });
  };
  std::vector<BitDifference> untold;
  std::remove_copy_if(evidence.second_run.begin(), evidence.second_run.end(), std::back_inserter(untold),
                      told);
  return untold;
}

std::string describe(const BitDifference& difference) {
  if (difference.never_written == difference.different) {
    return fmt::format("{} of {} elements of {} were never written; the first is {}",
                       grouped(difference.different), grouped(difference.elements), difference.tensor,
                       element_name(difference.tensor, difference.shape, difference.row, difference.column));
  }
  return fmt::format(
      "a second run gives other results: {} of {} elements of {} differ; the first, {}, is 0x{:x} in one run "
      "and 0x{:x} in the other",
      grouped(difference.different), grouped(difference.elements), difference.tensor,
      element_name(difference.tensor, difference.shape, difference.row, difference.column),
      difference.first_bits, difference.second_bits);
}

std::string value_text(double value, int digits) {
  return std::isnan(value) ? "NaN" : fmt::format("{:.{}g}", value, digits);
}

std::string to_text(const device::SourcePlace& place) {
  if (place.file.empty()) return "unknown place";
  return place.line == 0 ? place.file : fmt::format("{}:{}", place.file, place.line);
}

std::string headline(const device::Fault& fault) {
  std::string text(name_of(verdict_of(fault.kind)));
  if (!fault.place.file.empty()) text += " at " + to_text(fault.place);
  if (fault.count > 1) text += fmt::format(" ({} times in this case)", grouped(fault.count));
  return text;
}

std::vector<device::Fault> by_cause(const device::LaunchReport& report) {
  std::vector<device::Fault> faults = report.faults;
  // Of many reads that come too early a race is dated by the last: the first is the one that found nothing.
  for (device::Fault& race : faults) {
    if (race.kind != FaultKind::race) continue;
    for (const device::Fault& read : faults) {
      if (read.kind != FaultKind::uninitialised_read || read.place.line == 0) continue;
      for (const device::Access& access : race.accesses)
        if (access.place == read.place) race.moment = std::min(race.moment, read.moment);
    }
  }
  std::stable_sort(faults.begin(), faults.end(),
                   [](const device::Fault& a, const device::Fault& b) { return order_of(a) < order_of(b); });
  return faults;
}

void blame_undefined(Evidence& evidence) {
  auto& report = evidence.report;
  const bool right = std::all_of(evidence.comparisons.begin(), evidence.comparisons.end(),
                                 [](const Comparison& one) { return one.right(); });
  if (!right || !report.faults.empty() || !evidence.changed_inputs.empty() || !evidence.second_run.empty())
    report.faults.insert(report.faults.end(), report.undefined.begin(), report.undefined.end());
  report.undefined.clear();
}

Outcome judge(const Evidence& evidence) {
  Outcome outcome;
  const auto add = [&](Verdict verdict, const std::string& summary, const std::string& detail) {
    if (outcome.details.empty()) {
      outcome.verdict = verdict;
      outcome.summary = summary;
    }
    outcome.details.push_back(detail);
  };
  for (const device::Fault& fault : by_cause(evidence.report)) {
    const std::string at = fault.place.file.empty() ? "" : to_text(fault.place) + ": ";
    add(verdict_of(fault.kind), at + fault.message, headline(fault) + ": " + fault.message);
  }
  for (const Comparison& comparison : evidence.comparisons) {
    if (comparison.right()) continue;
    const std::string text = describe(comparison);
    add(Verdict::wrong_result, text, text);
  }
  for (const std::string& input : evidence.changed_inputs) {
    const std::string text = "the kernel wrote to its input " + input;
    add(Verdict::wrong_result, text, text);
  }
  for (const BitDifference& difference : untold_differences(evidence)) {
    const std::string text = describe(difference);
    add(Verdict::wrong_result, text, text);
  }
  if (!outcome.details.empty()) return outcome;
  std::size_t elements = 0;
  for (const Comparison& comparison : evidence.comparisons) elements += comparison.elements;
  if (elements == 0) return {Verdict::vacuous, "no element was compared", {}};
  return {Verdict::pass, fmt::format("all {} elements are right", grouped(elements)), {}};
}

}  // namespace assay
