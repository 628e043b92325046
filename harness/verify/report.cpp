#include "harness/verify/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string_view>

#include "harness/device/grouped.hpp"
#include "harness/device/source_text.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/output_map.hpp"
#include "harness/verify/wrong_output.hpp"

namespace assay {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kElementsShown = 6;
constexpr std::size_t kFaultsShown = 5;
constexpr std::size_t kRangesShown = 8;

/// `text` from column `indent` on, wrapped between words; a word that is too long is cut across lines.
std::string wrap(std::string_view text, std::size_t indent, std::string first_line = "") {
  std::string out, line = std::move(first_line);
  line.resize(std::max(line.size(), indent), ' ');
  bool empty = true;
  const auto flush = [&] {
    out += line + '\n';
    line.assign(indent, ' ');
    empty = true;
  };
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (!empty && line.size() + 1 + word.size() > kWidth) flush();
    if (!empty) line += ' ';
    while (line.size() + word.size() > kWidth) {
      const std::size_t room = kWidth - line.size();
      line += word.substr(0, room);
      word.erase(0, room);
      flush();
    }
    line += word;
    empty = false;
  }
  flush();
  return out;
}

std::string ascii(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c != '\n' && (byte < 0x20 || byte > 0x7E)) c = c == '\t' ? ' ' : '?';
  }
  return text;
}

std::string access_text(const device::Access& access) {
  return wrap(access.what + " at " + to_text(access.place), 6, "    - ") + quote_source(access.place);
}

std::string fault_text(const device::Fault& fault) {
  std::string text = '\n' + wrap(headline(fault), 2) + wrap(fault.message, 4);
  if (fault.accesses.empty()) return text + quote_source(fault.place);
  for (const device::Access& access : fault.accesses) text += access_text(access);
  return text;
}

std::string old_value_text(const device::OldValue& old) {
  const std::string loads =
      old.count == 1 ? "An atomic load" : fmt::format("{} atomic loads", grouped(old.count));
  return '\n' +
         wrap(fmt::format(
                  "{} of `{}` returned an older value than the last one written. A GPU may do so where no "
                  "fences with device scope order the write before the load.",
                  loads, old.object),
              2) +
         access_text(old.load) + access_text(old.change);
}

std::string element_row(const Comparison& comparison, const WrongElement& element, std::string_view remark) {
  const ElementText text = text_of(comparison.dtype, element);
  return fmt::format("  {:>9} {:>9} {:>15} {:>15} {:>13} {:>11}{}\n", element.row, element.column, text.got,
                     text.expected, text.difference, text.allowed, remark);
}

std::string elements_table(const Comparison& comparison) {
  std::string text = fmt::format("  {:>9} {:>9} {:>15} {:>15} {:>13} {:>11}\n", "row", "column", "got",
                                 "expected", "difference", "allowed");
  // Spread over all that is wrong, so that different kinds of wrong have a chance to show.
  const std::size_t wrong = comparison.wrong.size();
  std::set<std::size_t> shown{comparison.worst};
  for (std::size_t i = 0; i < kElementsShown; ++i) shown.insert(i * (wrong - 1) / (kElementsShown - 1));
  for (const std::size_t i : shown) {
    const bool worst = wrong > 1 && i == comparison.worst && !comparison.wrong[i].never_written;
    text += element_row(comparison, comparison.wrong[i], worst ? "  worst" : "");
  }
  if (shown.size() < wrong)
    text += fmt::format("  {:>9} and {} more\n", "...", grouped(wrong - shown.size()));
  return text;
}

std::string share(std::string_view what, const std::vector<std::size_t>& wrong, std::size_t all) {
  const std::string numbers =
      wrong.size() == all ? fmt::format("all {}", grouped(all))
                          : fmt::format("{} ({} of {})", ranges(wrong), grouped(wrong.size()), grouped(all));
  return wrap(numbers, 12, fmt::format("    {}", what));
}

// "12 of 64 elements are wrong, 4 of them never written".
std::string wrong_of(const Comparison& comparison) {
  const std::size_t wrong = comparison.wrong.size(), never = comparison.never_written;
  if (comparison.elements == 1)
    return never == 0 ? "its only element is wrong" : "its only element was never written";
  const std::string share = fmt::format("{} of {} elements", grouped(wrong), grouped(comparison.elements));
  if (never == wrong) return share + " were never written";
  return share + " are wrong" + (never == 0 ? "" : fmt::format(", {} of them never written", grouped(never)));
}

std::string comparison_text(const Comparison& comparison, const KernelEntry& entry) {
  const Matrix matrix = comparison.matrix();
  std::string shape;
  for (const std::size_t side : comparison.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(side);
  const std::string head = fmt::format("output {} [{}] {}: {}", comparison.tensor, shape,
                                       name_of(comparison.dtype), wrong_of(comparison));
  std::string text = '\n' + wrap(head, 2);
  // Of a sample, rows and columns say which threadgroups it holds, and no map has room for it.
  const bool sample = comparison.elements < matrix.rows * matrix.columns;
  if (!sample) {
    text += share("rows", comparison.wrong_rows(), matrix.rows);
    text += share("columns", comparison.wrong_columns(), matrix.columns);
    if (comparison.shape.size() > 2)
      text += fmt::format("            rows are numbered through the first {} axes\n",
                          comparison.shape.size() - 1);
  }
  if (!comparison.bound.empty()) text += wrap(comparison.bound, 12, "    bound");
  text += '\n' + elements_table(comparison);
  if (comparison.elements > 1 && !sample) text += '\n' + output_map(comparison, entry.tile, 4);
  return text;
}

std::string inputs_text(const std::vector<InputText>& inputs) {
  if (inputs.empty()) return "";
  std::string text = "\n  inputs\n";
  for (const InputText& input : inputs) {
    const auto head = fmt::format("    {} [{}] {}", input.tensor, fmt::join(input.shape, ", "), input.dtype);
    const std::string values = input.values.empty() ? counted(input.elements(), "element")
                                                    : fmt::format("= {}", fmt::join(input.values, ", "));
    text += wrap(values, 6, head + ' ');
  }
  return text;
}

}  // namespace

std::string quote_source(const device::SourcePlace& place) {
  const std::string line = device::source_line(place);
  if (line.empty()) return "";
  const std::string text = fmt::format("{:>10} | {}", place.line, line);
  return ascii((text.size() <= kWidth ? text : text.substr(0, kWidth - 3) + "...") + '\n');
}

std::string ranges(const std::vector<std::size_t>& numbers) {
  if (numbers.size() > 2) {
    const std::size_t step = numbers[1] - numbers[0];
    bool even = step > 1;
    for (std::size_t i = 2; even && i < numbers.size(); ++i) even = numbers[i] - numbers[i - 1] == step;
    if (even) return fmt::format("{}-{} in steps of {}", numbers.front(), numbers.back(), step);
  }
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (++shown > kRangesShown) return text + fmt::format(", ... {}", numbers.back());
    if (i > 0) text += ", ";
    text += end - i == 1 ? std::to_string(numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string to_text(const Dims& dims) {
  std::string text;
  const auto add = [&](std::string_view name, std::int64_t value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  };
  constexpr std::string_view kFirst[] = {"M", "N", "K"};
  for (const std::string_view name : kFirst) {
    if (const auto found = dims.find(name); found != dims.end()) add(name, found->second);
  }
  for (const auto& [name, value] : dims) {
    if (std::find(std::begin(kFirst), std::end(kFirst), name) == std::end(kFirst)) add(name, value);
  }
  return text;
}

std::string faults_text(const device::LaunchReport& report) {
  std::string text;
  const std::vector<device::Fault> faults = by_cause(report);
  for (std::size_t i = 0; i < std::min(faults.size(), kFaultsShown); ++i) text += fault_text(faults[i]);
  if (faults.size() > kFaultsShown)
    text += fmt::format("\n  and {}\n", device::counted(faults.size() - kFaultsShown, "more fault"));
  for (const device::OldValue& old : report.old_values) text += old_value_text(old);
  return ascii(std::move(text));
}

std::string failure_text(const RejectedCase& failure) {
  const KernelEntry& entry = failure.entry;
  std::string verdict(name_of(failure.outcome.verdict));
  std::transform(verdict.begin(), verdict.end(), verdict.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string text = wrap(fmt::format("{}: {}", entry.name, verdict), 0);
  text += wrap(failure.outcome.summary, 2) + '\n';
  text += wrap(fmt::format("{}, function {}", entry.source.string(), entry.function), 12, "    source");
  text += wrap(fmt::format("{} {}", entry.operation, to_text(failure.dims)), 12, "    case");
  text = ascii(std::move(text)) + "    replay  " + failure.replay + '\n';

  std::string seen = faults_text(failure.evidence.report);
  for (const auto& read : inactive_reads_behind(failure.evidence))
    seen += '\n' + wrap(describe(read), 2) + quote_source(read.read.place);
  for (const Comparison& comparison : failure.evidence.comparisons) {
    if (!comparison.right()) seen += comparison_text(comparison, entry);
  }
  seen += inputs_text(failure.evidence.inputs);
  for (const std::string& input : failure.evidence.changed_inputs) {
    seen += '\n' + wrap("the kernel wrote to its input " + input, 2);
  }
  for (const BitDifference& difference : untold_differences(failure.evidence))
    seen += '\n' + wrap(describe(difference), 2);
  return text + ascii(std::move(seen));
}

}  // namespace assay
