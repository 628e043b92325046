#include "harness/mutate/repair_text.hpp"

#include <fmt/format.h>

namespace assay::mutate {

std::string repair_text(const std::string& name, const Repairs& repairs, std::uint64_t cases) {
  if (repairs.verdict.empty()) {
    return fmt::format("{}: passes {} cases; there is nothing to repair\n", name, cases);
  }
  auto text = fmt::format("{}: {} in {} mode, case {}\n", name, repairs.verdict, repairs.mode, repairs.case_);
  if (repairs.found.empty()) {
    return text + fmt::format(
                      "  none of {} single changes lets it pass: the fault has several places, or is no "
                      "small one\n",
                      repairs.tried);
  }
  text += fmt::format("  of {} single changes, {} let{} all {} cases pass in every mode:\n", repairs.tried,
                      repairs.found.size(), repairs.found.size() == 1 ? "s" : "", cases);
  for (const auto& change : repairs.found) text += change.diff() + "\n";
  return text;
}

}  // namespace assay::mutate
