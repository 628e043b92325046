#include "harness/mutate/repair_text.hpp"

#include <fmt/format.h>

#include "harness/verify/numbers.hpp"

namespace assay::mutate {

std::string repair_text(const std::string& name, const Repairs& repairs, std::uint64_t cases) {
  if (repairs.verdict.empty()) {
    return fmt::format("{}: passes {}; there is nothing to repair\n", name, counted(cases, "case"));
  }
  auto text = fmt::format("{}: {} in {} mode, case {}\n", name, repairs.verdict, repairs.mode, repairs.case_);
  if (repairs.found.empty()) {
    return text +
           fmt::format("  none of {} lets it pass: the fault needs a change that is none of these, or several\n",
                       counted(repairs.tried, "single change"));
  }
  text += fmt::format("  of {}, {} let{} {}{} pass in every mode:\n", counted(repairs.tried, "single change"),
                      grouped(repairs.found.size()), repairs.found.size() == 1 ? "s" : "",
                      cases == 1 ? "" : "all ", counted(cases, "case"));
  for (const auto& change : repairs.found) text += change.diff() + "\n";
  return text;
}

}  // namespace assay::mutate
