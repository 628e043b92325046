#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <thread>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"
#include "harness/run/exhaustive_run.hpp"
#include "harness/run/manifests.hpp"
#include "properties/laws/law.hpp"

namespace assay::cli {
namespace {

// Strict arithmetic in the modes asked for, the others in fast mode: what the checker sees does not depend on
// rounding.
std::vector<run::Mode> modes_of(const std::string& mode, const std::string& numerics) {
  std::vector<run::Mode> modes;
  const auto add = [&](run::Mode one, bool asked) {
    if (asked && (numerics == "all" || numerics == metal::name_of(run::numerics_of(one))))
      modes.push_back(one);
  };
  add(run::Mode::fast, mode != "checked");
  add(run::Mode::checked, mode != "fast");
  add(run::Mode::contracted, mode != "checked");
  add(run::Mode::reassociated, mode != "checked");
  if (modes.empty()) {
    throw std::invalid_argument(
        fmt::format("--numerics {}: runs in fast mode only; leave out --mode checked", numerics));
  }
  return modes;
}

// An exhaustive run of what can be run so, in fast mode. Kernels that were named must be among it.
std::vector<const KernelEntry*> prepare_exhaustive(std::vector<const KernelEntry*> chosen,
                                                   const VerifyArguments& arguments,
                                                   run::VerifyOptions& options) {
  if (arguments.mode == "checked") {
    throw std::invalid_argument("--exhaustive: runs in fast mode only; leave out --mode checked");
  }
  options.modes = modes_of("fast", arguments.numerics);
  options.exhaustive = arguments.words;
  std::erase_if(chosen, [&](const auto* entry) {
    try {
      run::exhaustive_cases(*entry, arguments.words);
      return false;
    } catch (const std::invalid_argument& none) {
      if (!arguments.kernels.names.empty())
        throw std::invalid_argument("--exhaustive: " + entry->name + ": " + none.what());
      print("{}: not run: {}\n", entry->name, none.what());
      return true;
    }
  });
  if (chosen.empty()) throw std::invalid_argument("--exhaustive: no kernel of the manifest has 4-bit codes");
  const auto runs = static_cast<unsigned>(chosen.size() * options.modes.size());
  options.threads = std::max(1u, options.jobs / runs);
  return chosen;
}

// Laws alone, of the kernels whose operations have any, in fast mode. Kernels that were named must be among
// them.
std::vector<const KernelEntry*> prepare_laws(std::vector<const KernelEntry*> chosen,
                                             const VerifyArguments& arguments, run::VerifyOptions& options) {
  if (arguments.mode == "checked") {
    throw std::invalid_argument("--laws: runs in fast mode only; leave out --mode checked");
  }
  options.modes = modes_of("fast", arguments.numerics);
  std::erase_if(chosen, [&](const auto* entry) {
    if (!properties::laws::laws_of(properties::find_operation(entry->operation)).empty()) return false;
    const std::string why = fmt::format("{}: no law is known of {}", entry->name, entry->operation);
    if (!arguments.kernels.names.empty()) throw std::invalid_argument("--laws: " + why);
    print("{}\n", why);
    return true;
  });
  return chosen;
}

// How often the cases of the first way that ran to its end reached each thing; all ways draw the same cases.
void print_coverage(const run::KernelReport& report) {
  for (const auto& mode : report.modes) {
    const auto& reached = mode.coverage.reached();
    if (reached.empty()) continue;
    print("\n{}: reached by {} cases\n", report.entry->name, mode.cases_run);
    for (const auto& [tag, count] : reached) print("{:>12}  {}\n", count, tag);
    print("{}", mode.branches);
    return;
  }
}

std::string in_words(const properties::WordRange& words) {
  if (words.first == 0) return fmt::format("{} packed words", words.end());
  return fmt::format("packed words {} to {}", words.first, words.end() - 1);
}

}  // namespace

int run_command(const VerifyArguments& arguments) {
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  auto chosen = run::choose(entries, arguments.kernels.names);
  auto options = arguments.options;
  options.modes = modes_of(arguments.mode, arguments.numerics);
  if (arguments.exhaustive) chosen = prepare_exhaustive(std::move(chosen), arguments, options);
  if (options.laws_alone) chosen = prepare_laws(std::move(chosen), arguments, options);
  Table table(chosen, options.modes);
  table.header();
  const auto reports = run::verify_kernels(chosen, options,
                                           {[&](const std::string& now) { table.progress(now); },
                                            [&](const run::KernelReport& report) { table.row(report); },
                                            [&](const std::string& text) { table.print(text); }});
  std::size_t failed = 0;
  for (const auto& report : reports) {
    const auto& decisive = report.decisive();
    if (decisive.verdict == Verdict::pass) continue;
    ++failed;
    print("\n{}", decisive.text.empty() ? decisive.summary + "\n" : decisive.text);
  }
  if (options.coverage || options.laws_alone) {
    for (const auto& report : reports) print_coverage(report);
  }
  print("\n{} of {} kernels pass ({})\n", reports.size() - failed, reports.size(),
        options.exhaustive ? "exhaustive, " + in_words(*options.exhaustive)
                           : fmt::format("{} cases a mode, seed {}", options.cases, options.seed));
  return run::exit_status(reports);
}

}  // namespace assay::cli
