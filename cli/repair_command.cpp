#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>

#include "cli/commands.hpp"
#include "cli/kernels.hpp"
#include "cli/progress_line.hpp"
#include "cli/repair_run.hpp"

namespace assay::cli {
namespace {

struct Arguments {
  std::vector<std::string> kernels;
  std::optional<std::string> manifest;
  RepairOptions options;
};

void print(const std::string& name, const Repairs& repairs, std::uint64_t cases) {
  if (repairs.verdict.empty()) {
    fmt::print("{}: passes {} cases; there is nothing to repair\n", name, cases);
    return;
  }
  fmt::print("{}: {} in {} mode, case {}\n", name, repairs.verdict, repairs.mode, repairs.case_);
  if (repairs.found.empty()) {
    fmt::print("  none of {} single changes lets it pass: the fault has several places, or is no small one\n",
               repairs.tried);
    return;
  }
  fmt::print("  of {} single changes, {} let{} all {} cases pass in every mode:\n", repairs.tried,
             repairs.found.size(), repairs.found.size() == 1 ? "s" : "", cases);
  for (const auto& change : repairs.found) fmt::print("{}\n", change.diff());
}

int repair(const Arguments& arguments) {
  const auto entries = load_manifest(arguments.manifest, arguments.kernels);
  bool wrong = false, broken = false;
  ProgressLine line;
  for (const auto* entry : choose(entries, arguments.kernels)) {
    line.show(entry->name);
    try {
      const auto repairs = find_repairs(*entry, arguments.options, [&](std::size_t done, std::size_t all) {
        line.show(fmt::format("{} {}/{}", entry->name, done, all));
      });
      line.clear();
      print(entry->name, repairs, arguments.options.cases);
      wrong |= !repairs.verdict.empty();
    } catch (const std::exception& error) {
      line.clear();
      fmt::print("{}: {}\n", entry->name, error.what());
      broken = true;
    }
    std::fflush(stdout);
  }
  return wrong ? 1 : broken ? 2 : 0;
}

}  // namespace

void add_repair(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<Arguments>();
  auto& options = arguments->options;
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  auto* command = app.add_subcommand(
      "repair", "Look for the place of a fault: single changes that let a rejected kernel pass");
  command->add_option("kernel", arguments->kernels, "kernels by name; all of the manifest if none is given");
  command->add_option("--manifest", arguments->manifest, "the kernels' manifest (default: Assay's own)");
  command->add_option("--cases", options.cases, "cases that a repaired kernel must pass in each mode")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str();
  command->add_option("--seed", options.seed, "of the cases")->capture_default_str();
  command->add_option("--jobs", options.jobs, "processes at a time")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str();
  command->callback([arguments, &chosen] { chosen = [arguments] { return repair(*arguments); }; });
}

}  // namespace assay::cli
