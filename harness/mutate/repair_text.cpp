#include "harness/mutate/repair_text.hpp"

#include <fmt/format.h>

#include "harness/verify/numbers.hpp"

namespace assay::mutate {

std::string repair_text(const std::string& name, const Repairs& repairs, std::uint64_t cases) {
  if (repairs.verdict.empty()) {
    return fmt::format("{}: passes {} cases; there is nothing to repair\n", name, grouped(cases));
  }
  auto text = fmt::format("{}: {} in {} mode, case {}\n", name, repairs.verdict, repairs.mode, repairs.case_);
  if (repairs.found.empty()) {
    return text + fmt::format(
                      "  none of {} single changes lets it pass: the fault is in several places, or is "
                      "not a small one\n",
                      grouped(repairs.tried));
  }
  text += fmt::format("  of {} single changes, {} let{} all {} cases pass in every mode:\n",
                      grouped(repairs.tried), grouped(repairs.found.size()),
                      repairs.found.size() == 1 ? "s" : "", grouped(cases));
  for (const auto& change : repairs.found) text += change.diff() + "\n";
  return text;
}

}  // namespace assay::mutate
