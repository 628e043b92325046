#include "harness/run/cause.hpp"

#include <fmt/format.h>

#include <cctype>

namespace assay::run {
namespace {

bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// "race at include/fused.h:25"; a fault that has no place is told by its words.
std::string cause_of_fault(const device::Fault& fault) {
  const auto name = assay::name_of(verdict_of(fault.kind));
  if (fault.place.file.empty()) return fmt::format("{}: {}", name, without_numbers(fault.message));
  return fmt::format("{} at {}", name, assay::to_text(fault.place));
}

// Of elements that are wrong some may be never written: how many is the case's.
std::string cause_of_comparison(const Comparison& comparison) {
  const bool none_written = comparison.never_written == comparison.wrong.size();
  const bool undefined = comparison.undefined() == comparison.wrong.size();
  return fmt::format("elements of {} are {}", comparison.tensor,
                     none_written ? "never written"
                     : undefined  ? "undefined"
                                  : "wrong");
}

std::string cause_of_results(const Evidence& evidence) {
  for (const auto& comparison : evidence.comparisons) {
    if (!comparison.right()) return cause_of_comparison(comparison);
  }
  if (!evidence.changed_inputs.empty())
    return "the kernel wrote to its input " + evidence.changed_inputs.front();
  if (!evidence.second_run.empty())
    return fmt::format("elements of {} differ on a second run", evidence.second_run.front().tensor);
  return "";
}

}  // namespace

std::string cause_of(Verdict verdict, const Evidence& evidence) {
  const auto faults = by_cause(evidence.report);
  if (!faults.empty()) return cause_of_fault(faults.front());
  const auto results = cause_of_results(evidence);
  return results.empty() ? std::string(name_of(verdict)) : fmt::format("{}: {}", name_of(verdict), results);
}

std::string cause_of_law(std::string_view law) {
  return fmt::format("{}: {}", name_of(Verdict::law_broken), law);
}

std::string cause_of_end(Verdict verdict, const process::Death& death) {
  if (verdict == Verdict::timeout) return std::string(name_of(verdict));
  auto anywhere = death;
  anywhere.address = 0;  // differs from run to run
  return fmt::format("{}: {}", name_of(verdict), anywhere.describe());
}

std::string without_numbers(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (!digit(text[i])) {
      out += text[i++];
      continue;
    }
    // Lists, ranges, fractions and exponents are one: what joins two numbers is part of the run.
    std::size_t end = i;
    while (end < text.size()) {
      if (digit(text[end])) {
        ++end;
        continue;
      }
      const auto next = text.find_first_not_of(",.-+e ", end);
      if (next == std::string_view::npos || !digit(text[next]) || text.substr(end, next - end) == " ") break;
      end = next;
    }
    out += '#';
    i = end;
  }
  return out;
}

bool counted(const VerifyOptions& options, const process::Reporter& reporter, Verdict verdict,
             const std::string& cause, const properties::Case& rejected) {
  if (!options.counted || assay::exit_status(verdict) != 1) return false;  // an error is not the kernel's
  if (!options.counted(verdict, cause, rejected)) return false;
  reporter.send({{"type", "counted"}, {"cause", cause}});
  return true;
}

}  // namespace assay::run
