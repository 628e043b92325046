#include "cli/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "cli/option_values.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace {

// A transform, not a check: CLI11 would read leading zeros as octal.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[=](std::string& text) { return cli::whole_number(text, least, most); }, range_text(least, most),
          "whole number"};
}
CLI::Validator seconds() {
  return {[](std::string& text) { return cli::seconds(text); }, "0.001 to 1,000,000", "seconds"};
}
CLI::Validator duration() {
  return {[](std::string& text) { return cli::duration(text); }, "1s to 1,000,000s", "duration"};
}
CLI::Validator path() {
  return {[](std::string& text) { return cli::path(text); }, "", "path"};
}

CLI::Validator shard() {
  return {[](std::string& text) -> std::string {
            try {
              parse_shard(text);
              return {};
            } catch (const std::invalid_argument& error) {
              return error.what();
            }
          },
          "I/N", "shard"};
}

// A subcommand, and what it is given.
template <class T>
struct Command {
  CLI::App& app;
  T& arguments;
};

// Adds the subcommands, each of which leaves its arguments in `chosen`.
class Subcommands {
 public:
  Subcommands(CLI::App& app, std::optional<Arguments>& chosen) : app_(app), chosen_(chosen) {}

  void add() {
    list();
    verify();
    fuzz();
    replay();
    golden();
    profile();
    claims();
    mutate();
    repair();
    merge();
    cache();
  }

 private:
  template <class T>
  Command<T> subcommand(CLI::App& parent, const char* name, const char* help) {
    auto arguments = std::make_shared<T>();
    auto* command = parent.add_subcommand(name, help);
    command->callback([this, arguments] { chosen_ = *arguments; });
    return {*command, *arguments};
  }

  static void add_manifest(CLI::App& app, Kernels& kernels) {
    app.add_option("--manifest", kernels.manifest, "the kernels' manifest (default: Assay's own)")
        ->check(path());
  }
  static void add_kernels(CLI::App& app, Kernels& kernels) {
    app.add_option("kernel", kernels.names, "kernels by name; all of the manifest if none is given");
    add_manifest(app, kernels);
  }
  static void add_jobs(CLI::App& app, unsigned& jobs) {
    jobs = std::max(1u, std::thread::hardware_concurrency());
    app.add_option("--jobs", jobs, "processes at a time")
        ->transform(whole_number(1, kMostJobs))
        ->capture_default_str();
  }
  static void add_device(CLI::App& app, std::string& device) {
    std::vector<std::string> names;
    std::string help = "what kernels run on:";
    for (const auto& one : device::devices()) {
      names.push_back(one.name);
      help += fmt::format(" {} ({})", one.name, one.about);
    }
    app.add_option("--device", device, help)->check(CLI::IsMember(names))->capture_default_str();
  }
  static CLI::Option* add_cases(CLI::App& app, std::uint64_t& cases, const char* help) {
    return app.add_option("--cases", cases, help)
        ->transform(whole_number(1, kMostCases))
        ->capture_default_str();
  }
  static CLI::Option* add_seed(CLI::App& app, std::uint64_t& seed, const char* help) {
    return app.add_option("--seed", seed, help)
        ->transform(whole_number(0, kLargestSeed))
        ->capture_default_str();
  }
  static void add_json(CLI::App& app, report::Outputs& outputs) {
    app.add_option("--json", outputs.json, "write the results here, as JSON (docs/machine_readable.md)")
        ->check(path());
  }
  static void add_junit(CLI::App& app, report::Outputs& outputs) {
    app.add_option("--junit", outputs.junit, "write the verdicts here, as JUnit XML")->check(path());
  }
  static void add_results(CLI::App& app, Results& results) {
    add_json(app, results.outputs);
    app.add_option(
           "--shard", results.shard,
           "share I of N, to be merged with the others; if it is not said, the variables of googletest, "
           "Slurm and Kubernetes are asked")
        ->check(shard());
  }
  static void add_timeout(CLI::App& app, double& timeout_s) {
    app.add_option("--timeout", timeout_s, "seconds after which a case is stopped")
        ->transform(seconds())
        ->capture_default_str();
  }
  // --timeout and --trace; the latter is returned.
  static CLI::Option* add_run_options(CLI::App& app, double& timeout_s, bool& trace) {
    add_timeout(app, timeout_s);
    return app.add_flag(
        "--trace", trace,
        "show every tensor before and after each launch: shape, type, range, NaN, first bytes");
  }

  void list() {
    const auto [app, arguments] = subcommand<ListArguments>(app_, "list", "List the kernels of a manifest");
    add_manifest(app, arguments.kernels);
    app.add_flag("--names", arguments.names, "only the names of kernels that can be used, one a line");
  }

  void verify() {
    const auto [app, arguments] = subcommand<VerifyArguments>(
        app_, "verify", "Verify kernels with generated cases against the reference");
    auto& [mode, numerics, named, exhausts, words, options] = arguments.request;
    add_kernels(app, arguments.kernels);
    add_device(app, options.device);
    auto* cases = add_cases(app, options.cases, "cases for each kernel and mode");
    auto* seed = add_seed(app, options.seed, "the same seed gives the same cases");
    app.add_option("--mode", mode, "how the simulator runs")
        ->check(CLI::IsMember({"fast", "checked", "both"}))
        ->capture_default_str();
    app.add_option(
           "--numerics", numerics,
           "what the compiler may do to floating-point arithmetic; other than strict in fast mode only")
        ->check(CLI::IsMember({"strict", "contracted", "reassociated", "all"}))
        ->capture_default_str();
    app.add_flag("--coverage", options.coverage,
                 "say what the cases reached: codes at nibbles, edges, special values, branches of the text");
    auto* laws =
        app.add_flag("--laws", options.laws_alone,
                     "only laws, all of them on every case and without the reference, in fast mode: scaled, "
                     "reordered, cut and spoilt inputs must change outputs accordingly");
    auto* exhaustive =
        app.add_flag("--exhaustive", exhausts,
                     "every code under every scale, with every zero point and at every place of a tile, and "
                     "every packed word, for kernels of 4-bit codes; in fast mode")
            ->excludes(laws)
            ->excludes(cases)
            ->excludes(seed);
    app.add_option("--words", words.count, "of an exhaustive run: how many of the 2^32 packed words")
        ->transform(whole_number(1, properties::kAllWords))
        ->needs(exhaustive)
        ->capture_default_str();
    app.add_option("--first-word", words.first,
                   "of an exhaustive run: the number of the packed word to begin with, so that parts can be "
                   "run apart")
        ->transform(whole_number(0, properties::kAllWords - 1))
        ->needs(exhaustive)
        ->capture_default_str();
    add_jobs(app, options.jobs);
    add_results(app, arguments.results);
    add_junit(app, arguments.results.outputs);
    auto* trace = add_run_options(app, options.timeout_s, options.trace);
    laws->excludes(trace);
    exhaustive->excludes(trace);
  }

  void fuzz() {
    const auto [app, arguments] = subcommand<FuzzArguments>(
        app_, "fuzz", "Verify kernels in all modes with fresh seeds without end, and keep what is found");
    add_kernels(app, arguments.kernels);
    app.add_option("--time", arguments.options.time_s, "end after so long: 90, 30s, 10m, 2h (default: never)")
        ->transform(duration());
    app.add_option(
           "--rounds", arguments.options.rounds,
           "end when each kernel has run so many in each mode, earlier runs' included (default: never)")
        ->transform(whole_number(1, kMostCases));
    app.add_option("--findings", arguments.findings, "directory of findings; what is there is gone on from")
        ->check(path())
        ->capture_default_str();
    app.add_option("--seed", arguments.seed,
                   "of the first round, where the directory is new (default: drawn)")
        ->transform(whole_number(0, kLargestSeed));
    add_jobs(app, arguments.options.jobs);
    add_timeout(app, arguments.options.timeout_s);
  }

  void replay() {
    const auto [app, arguments] =
        subcommand<ReplayArguments>(app_, "replay", "Run one case again, as a failure printed it");
    app.add_option("line", arguments.line, "what the failure printed, in quotes, or a file of assay fuzz")
        ->required();
    add_device(app, arguments.device);
    add_run_options(app, arguments.timeout_s, arguments.trace);
  }

  void golden() {
    auto* group = app_.add_subcommand("golden", "Golden datasets: make them, check them");
    group->require_subcommand(1);
    const auto [make, made] = subcommand<GoldenMakeArguments>(
        *group, "make", "Write a dataset: the same seed gives the same bytes");
    make.add_option("--operation", made.operation, "e.g. gemm_fp4")->required();
    add_seed(make, made.seed, "of the cases");
    add_cases(make, made.cases, "how many files");
    add_results(make, made.results);
    make.add_option("--out", made.directory, "directory to write to")->required()->check(path());
    const auto [check, checked] =
        subcommand<GoldenCheckArguments>(*group, "check", "Regenerate every file of a directory and compare");
    add_results(check, checked.results);
    check.add_option("directory", checked.directory)->required()->check(path());
  }

  void profile() {
    const auto [app, arguments] = subcommand<ProfileArguments>(
        app_, "profile",
        "Count what kernels do, beside what they claim: memory, barriers, loads, matrix operations");
    add_kernels(app, arguments.kernels);
  }

  void claims() {
    const auto [app, arguments] = subcommand<ClaimsArguments>(
        app_, "claims", "Write the page that holds the figures of design documents against what is counted");
    app.add_option("figures", arguments.figures, "the documents' figures, e.g. docs/claims.toml")
        ->required()
        ->check(path());
    add_manifest(app, arguments.kernels);
  }

  void mutate() {
    const auto [app, arguments] = subcommand<MutateArguments>(
        app_, "mutate",
        "Put small faults into kernels, one at a time, and count those that verification rejects");
    auto& options = arguments.options;
    add_kernels(app, arguments.kernels);
    app.add_option("--sample", options.sample,
                   "so many mutants of each kernel, drawn at random (default: all)")
        ->transform(whole_number(1, kMostCases));
    add_cases(app, options.cases, "cases for each mutant and mode");
    add_seed(app, options.seed, "of the cases and of the sample");
    add_jobs(app, options.jobs);
    app.add_option("--report", arguments.report, "write what is known of each mutant here, as JSON")
        ->check(path());
    app.add_option("--equivalents", arguments.equivalents,
                   "survivors that are explained (default: equivalent.toml beside the manifest)")
        ->check(path());
    app.add_flag("--fresh", options.fresh, "judge again what an earlier run with the same inputs has judged");
    add_results(app, arguments.results);
  }

  void repair() {
    const auto [app, arguments] = subcommand<RepairArguments>(
        app_, "repair", "Look for the place of a fault: single changes that let a rejected kernel pass");
    add_kernels(app, arguments.kernels);
    add_cases(app, arguments.options.cases, "cases that a repaired kernel must pass in each mode");
    add_seed(app, arguments.options.seed, "of the cases");
    add_jobs(app, arguments.options.jobs);
  }

  void merge() {
    const auto [app, arguments] = subcommand<MergeArguments>(
        app_, "merge", "Join the JSON reports of all shards of a run: what it would have said alone");
    app.add_option("report", arguments.files, "what `--shard I/N --json FILE` wrote, all N of them")
        ->required()
        ->check(path());
    add_json(app, arguments.outputs);
    add_junit(app, arguments.outputs);
  }

  void cache() {
    auto* show =
        app_.add_subcommand("cache", "Show what compiled kernels and the like take on disk, or clear it");
    show->callback([this] {
      if (!chosen_) chosen_ = CacheArguments{};
    });
    show->add_subcommand("clear", "Remove all of it but what a run that is going on uses")->callback([this] {
      chosen_ = CacheArguments{true};
    });
  }

  CLI::App& app_;
  std::optional<Arguments>& chosen_;
};

// What CLI11 would take otherwise than it is meant. `--report= name`, as `--report="$UNSET" name` comes out:
// the next argument as the value. `[]`: a list, and an empty one of kernels is all of them.
void refuse_what_is_misread(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") return;
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      throw std::invalid_argument(fmt::format("{}: no value stands behind the =", argument));
    }
    if (argument.starts_with("[") && argument.ends_with("]")) {
      throw std::invalid_argument(
          fmt::format("`{}`: no list in brackets is taken; write names one after another, ./{} for a file",
                      argument, argument));
    }
  }
}

std::string help_of(const CLI::App& app) {
  std::string command = "assay";
  for (const auto* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    command += " " + at->get_name();
  }
  return command + " --help";
}

std::string names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// The command that one of its own was expected behind.
const CLI::App& last_command(const CLI::App& app) {
  const auto* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error) {
  const auto unexpected = app.remaining(true);
  const auto& command = last_command(app);
  if (command.get_require_subcommand_min() > 0 && command.get_subcommands().empty()) {
    const std::string commands = names_of_commands(command);
    if (!unexpected.empty()) return fmt::format("`{}` is none of {}", unexpected.front(), commands);
    return fmt::format("{} must be followed by one of {}", command.get_name(), commands);
  }
  if (!unexpected.empty()) return fmt::format("`{}`: no such option or argument", unexpected.front());
  return error.what();
}

}  // namespace

std::optional<Arguments> parse(int argc, const char* const* argv) {
  refuse_what_is_misread(argc, argv);
  CLI::App app("Assay proves quantized Metal GEMM kernels right, on any Linux machine", "assay");
  app.require_subcommand(1);
  app.option_defaults()->disable_flag_override();  // --trace=5 would be a flag
  app.set_version_flag("--version", std::string(report::version()));
  std::optional<Arguments> chosen;
  Subcommands(app, chosen).add();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      throw std::invalid_argument(fmt::format("{}; see {}", what_is_wrong(app, error), help_of(app)));
    std::ostringstream text;  // --help, --version
    app.exit(error, text, text);
    write(text.str());
    return std::nullopt;
  }
  return chosen;
}

}  // namespace assay::cli
