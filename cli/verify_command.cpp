#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <thread>

#include "cli/commands.hpp"
#include "cli/exhaustive_run.hpp"
#include "cli/kernels.hpp"
#include "cli/table.hpp"
#include "properties/case.hpp"
#include "properties/laws/law.hpp"

namespace assay::cli {
namespace {

struct Arguments {
  std::vector<std::string> kernels;
  std::optional<std::string> manifest;
  std::string mode = "both", numerics = "all";
  std::string line;
  bool exhaustive = false;
  properties::WordRange words;
  VerifyOptions options;
};

constexpr std::array kNumerics = {Numerics::strict, Numerics::contracted, Numerics::reassociated};

std::optional<Numerics> numerics_of(const std::string& name) {
  for (const auto numerics : kNumerics) {
    if (name == metal::name_of(numerics)) return numerics;
  }
  return std::nullopt;
}

// Strict arithmetic in the modes asked for, the others in fast mode: what the checker sees does not depend on
// rounding.
std::vector<Way> ways_of(const std::string& mode, const std::string& numerics) {
  std::vector<Way> ways;
  for (const auto each : kNumerics) {
    if (numerics != "all" && numerics != metal::name_of(each)) continue;
    if (mode != "checked") ways.push_back({Mode::fast, each});
    if (mode != "fast" && each == Numerics::strict) ways.push_back({Mode::checked, each});
  }
  if (ways.empty()) {
    throw std::invalid_argument(
        fmt::format("--numerics {}: runs in fast mode only; leave out --mode checked", numerics));
  }
  return ways;
}

// An exhaustive run of what can be run so, in fast mode. Kernels that were named must be among it.
std::vector<const verify::KernelEntry*> prepare_exhaustive(std::vector<const verify::KernelEntry*> chosen,
                                                           const Arguments& arguments,
                                                           VerifyOptions& options) {
  if (arguments.mode == "checked") {
    throw std::invalid_argument("--exhaustive: runs in fast mode only; leave out --mode checked");
  }
  options.ways = ways_of("fast", arguments.numerics);
  options.exhaustive = arguments.words;
  std::erase_if(chosen, [&](const auto* entry) {
    try {
      exhaustive_plan(*entry, arguments.words);
      return false;
    } catch (const std::invalid_argument& none) {
      if (!arguments.kernels.empty())
        throw std::invalid_argument("--exhaustive: " + entry->name + ": " + none.what());
      fmt::print("{}: not run: {}\n", entry->name, none.what());
      return true;
    }
  });
  if (chosen.empty()) throw std::invalid_argument("--exhaustive: no kernel of the manifest has 4-bit codes");
  const auto runs = static_cast<unsigned>(chosen.size() * options.ways.size());
  options.threads = std::max(1u, options.jobs / runs);
  return chosen;
}

// Laws alone, of the kernels whose operations have any, in fast mode. Kernels that were named must be among
// them.
std::vector<const verify::KernelEntry*> prepare_laws(std::vector<const verify::KernelEntry*> chosen,
                                                     const Arguments& arguments, VerifyOptions& options) {
  if (arguments.mode == "checked") {
    throw std::invalid_argument("--laws: runs in fast mode only; leave out --mode checked");
  }
  options.ways = ways_of("fast", arguments.numerics);
  std::erase_if(chosen, [&](const auto* entry) {
    if (!properties::laws::laws_of(properties::find_operation(entry->operation)).empty()) return false;
    const std::string why = fmt::format("{}: no law is known of {}", entry->name, entry->operation);
    if (!arguments.kernels.empty()) throw std::invalid_argument("--laws: " + why);
    fmt::print("{}\n", why);
    return true;
  });
  return chosen;
}

// How often the cases of the first way that ran to its end reached each thing; all ways draw the same cases.
void print_coverage(const KernelReport& report) {
  for (const auto& mode : report.modes) {
    const auto& reached = mode.coverage.reached();
    if (reached.empty()) continue;
    fmt::print("\n{}: reached by {} cases\n", report.entry->name, mode.cases_run);
    for (const auto& [tag, count] : reached) fmt::print("{:>12}  {}\n", count, tag);
    fmt::print("{}", mode.branches);
    return;
  }
}

std::string in_words(const properties::WordRange& words) {
  if (words.first == 0) return fmt::format("{} packed words", words.end());
  return fmt::format("packed words {} to {}", words.first, words.end() - 1);
}

int verify(const Arguments& arguments) {
  const auto entries = load_manifest(arguments.manifest, arguments.kernels);
  auto chosen = choose(entries, arguments.kernels);
  auto options = arguments.options;
  options.ways = ways_of(arguments.mode, arguments.numerics);
  if (arguments.exhaustive) chosen = prepare_exhaustive(std::move(chosen), arguments, options);
  if (options.laws_alone) chosen = prepare_laws(std::move(chosen), arguments, options);
  Table table(chosen, options.ways);
  table.header();
  const auto reports = verify_kernels(chosen, options,
                                      {[&](const std::string& now) { table.progress(now); },
                                       [&](const KernelReport& report) { table.row(report); },
                                       [&](const std::string& text) { table.print(text); }});
  std::size_t failed = 0;
  for (const auto& report : reports) {
    const auto& decisive = report.decisive();
    if (decisive.verdict == verify::Verdict::pass) continue;
    ++failed;
    fmt::print("\n{}", decisive.text.empty() ? decisive.summary + "\n" : decisive.text);
  }
  if (options.coverage || options.laws_alone) {
    for (const auto& report : reports) print_coverage(report);
  }
  fmt::print("\n{} of {} kernels pass ({})\n", reports.size() - failed, reports.size(),
             options.exhaustive ? "exhaustive, " + in_words(*options.exhaustive)
                                : fmt::format("{} cases a mode, seed {}", options.cases, options.seed));
  return exit_status(reports);
}

// kernel=NAME manifest=FILE mode=MODE, and the case.
int replay(const Arguments& arguments) {
  auto fields = properties::split_fields(arguments.line);
  const auto take = [&](const std::string& key, const std::string& otherwise = "") {
    for (auto it = fields.begin(); it != fields.end(); ++it) {
      if (it->first != key) continue;
      const std::string value = it->second;
      fields.erase(it);
      return value;
    }
    if (!otherwise.empty()) return otherwise;
    throw std::invalid_argument("replay line: `" + key +
                                "=` is missing; paste the line that the failure printed");
  };
  const std::string kernel = take("kernel"), manifest = take("manifest"), mode = take("mode");
  if (mode != "fast" && mode != "checked") {
    throw std::invalid_argument("replay line: mode: `" + mode + "` is neither fast nor checked");
  }
  const std::string numerics = take("numerics", "strict");
  if (!numerics_of(numerics)) {
    throw std::invalid_argument("replay line: numerics: `" + numerics +
                                "` is none of strict, contracted and reassociated");
  }
  const Way way{mode == "fast" ? Mode::fast : Mode::checked, *numerics_of(numerics)};
  std::string law;
  if (std::any_of(fields.begin(), fields.end(), [](const auto& field) { return field.first == "law"; })) {
    law = take("law");
  }
  const auto entries = load_manifest(manifest, {kernel});
  const auto chosen = choose(entries, {kernel});
  const auto problem = properties::case_of(fields);
  if (problem.operation != chosen[0]->operation) {
    throw std::invalid_argument(fmt::format("replay line: operation: {} is a kernel of {}, not of {}", kernel,
                                            chosen[0]->operation, problem.operation));
  }
  std::function<void(const std::string&)> trace;
  if (arguments.options.trace) trace = [](const std::string& text) { fmt::print("{}", text); };
  const auto report = verify_case(*chosen[0], way, problem, arguments.options.timeout_s, trace, law);
  if (report.verdict == verify::Verdict::pass) {
    fmt::print("{}: pass: {}\n", kernel, properties::to_line(problem));
  } else {
    fmt::print("{}", report.text.empty() ? report.summary + "\n" : report.text);
  }
  return verify::exit_status(report.verdict);
}

void add_trace(CLI::App& command, Arguments& arguments) {
  command.add_flag("--trace", arguments.options.trace,
                   "show every tensor before and after each launch: shape, type, range, NaN, first bytes");
}

void add_timeout(CLI::App& command, Arguments& arguments) {
  command.add_option("--timeout", arguments.options.timeout_s, "seconds after which a case is stopped")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

}  // namespace

void add_verify(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<Arguments>();
  arguments->options.jobs = std::max(1u, std::thread::hardware_concurrency());
  auto* command = app.add_subcommand("verify", "Verify kernels with generated cases against the reference");
  command->add_option("kernel", arguments->kernels, "kernels by name; all of the manifest if none is given");
  command->add_option("--manifest", arguments->manifest, "the kernels' manifest (default: Assay's own)");
  command->add_option("--cases", arguments->options.cases, "cases for each kernel and mode")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str();
  command->add_option("--seed", arguments->options.seed, "the same seed gives the same cases")
      ->capture_default_str();
  command->add_option("--mode", arguments->mode, "how the simulator runs")
      ->check(CLI::IsMember({"fast", "checked", "both"}))
      ->capture_default_str();
  command
      ->add_option(
          "--numerics", arguments->numerics,
          "what the compiler may do to floating-point arithmetic; other than strict in fast mode only")
      ->check(CLI::IsMember({"strict", "contracted", "reassociated", "all"}))
      ->capture_default_str();
  command->add_flag(
      "--coverage", arguments->options.coverage,
      "say what the cases reached: codes at nibbles, edges, special values, branches of the text");
  auto* laws = command->add_flag(
      "--laws", arguments->options.laws_alone,
      "only laws, all of them on every case and without the reference, in fast mode: scaled, reordered, cut "
      "and spoilt inputs must change outputs accordingly");
  auto* exhaustive = command
                         ->add_flag("--exhaustive", arguments->exhaustive,
                                    "every code under every scale, with every zero point and at every place "
                                    "of a tile, and every packed word, for kernels of 4-bit codes; in fast "
                                    "mode")
                         ->excludes(laws);
  command
      ->add_option("--words", arguments->words.count,
                   "of an exhaustive run: how many of the 2^32 packed words")
      ->check(CLI::Range(std::uint64_t{1}, properties::kAllWords))
      ->needs(exhaustive)
      ->capture_default_str();
  command
      ->add_option("--first-word", arguments->words.first,
                   "of an exhaustive run: the number of the packed word to begin with, so that parts can be "
                   "run apart")
      ->check(CLI::Range(std::uint64_t{0}, properties::kAllWords - 1))
      ->needs(exhaustive)
      ->capture_default_str();
  command->add_option("--jobs", arguments->options.jobs, "processes at a time")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str();
  add_timeout(*command, *arguments);
  add_trace(*command, *arguments);
  command->callback([arguments, &chosen] { chosen = [arguments] { return verify(*arguments); }; });
}

void add_replay(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("replay", "Run one case again, as a failure printed it");
  command->add_option("line", arguments->line, "what the failure printed, in quotes")->required();
  add_timeout(*command, *arguments);
  add_trace(*command, *arguments);
  command->callback([arguments, &chosen] { chosen = [arguments] { return replay(*arguments); }; });
}

}  // namespace assay::cli
