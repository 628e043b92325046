#include "cli/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "cli/completion.hpp"
#include "cli/option_values.hpp"
#include "cli/output.hpp"
#include "harness/process/slots.hpp"

namespace assay::cli {
namespace {

// An option with what it takes; --help shows what it is without it, where that is something.
template <class T>
CLI::Option* add(CLI::App& app, const char* name, T& value, const CLI::Validator& takes, const char* help) {
  return app.add_option(name, value, help)->transform(takes)->capture_default_str();
}

void add_manifest(CLI::App& app, Kernels& kernels) {
  add(app, "--manifest", kernels.manifest, path(), "the kernels' manifest (default: Assay's own)");
}
void add_kernels(CLI::App& app, Kernels& kernels) {
  app.add_option("kernel", kernels.names, "kernels by name; all of the manifest if none is given");
  add_manifest(app, kernels);
}
void add_jobs(CLI::App& app, unsigned& jobs) {
  jobs = process::cores();
  add(app, "--jobs", jobs, whole_number(1, kMostJobs), "processes at a time");
}
void add_device(CLI::App& app, std::string& device) {
  std::vector<std::string> names;
  std::string help = "what kernels run on:";
  for (const auto& one : device::devices()) {
    names.push_back(one.name);
    help += fmt::format(" {} ({})", one.name, one.about);
  }
  add(app, "--device", device, CLI::IsMember(names), help.c_str());
}
CLI::Option* add_cases(CLI::App& app, std::uint64_t& cases, const char* help) {
  return add(app, "--cases", cases, whole_number(1, kMostCases), help);
}
CLI::Option* add_seed(CLI::App& app, std::uint64_t& seed, const char* help) {
  return add(app, "--seed", seed, whole_number(0, kLargestSeed), help);
}
void add_json(CLI::App& app, report::Outputs& outputs) {
  add(app, "--json", outputs.json, path(), "write the results here, as JSON (docs/machine_readable.md)");
}
void add_junit(CLI::App& app, report::Outputs& outputs) {
  add(app, "--junit", outputs.junit, path(), "write the verdicts here, as JUnit XML");
}
void add_page(CLI::App& app, report::Outputs& outputs) {
  add(app, "--report", outputs.page, path(),
      "write a page for people into this directory, and its figures as JSON (docs/report_page.md)");
}
void add_results(CLI::App& app, Results& results) {
  add_json(app, results.outputs);
  add(app, "--shard", results.shard, shard(),
      "share I of N, to be merged with the others; if it is not said, the variables of googletest, Slurm and "
      "Kubernetes are asked");
}
void add_timeout(CLI::App& app, double& timeout_s) {
  add(app, "--timeout", timeout_s, seconds(), "seconds after which a case is stopped");
}
// What is told of a kernel: each option may stand there several times. `told` must outlive the parsing.
void add_told(CLI::App& app, draft::Told& told, bool sizes) {
  const auto each = [&app, &told](const char* name, void (*tell)(draft::Told&, const std::string&),
                                  const char* help) {
    app.add_option_function<std::vector<std::string>>(
           name,
           [&told, tell](const std::vector<std::string>& all) {
             for (const auto& one : all) tell(told, one);
           },
           help)
        ->take_all()
        ->allow_extra_args(false);
  };
  each("--define", draft::tell_define, "a preprocessor definition: NAME=TEXT; repeatable");
  each("--constant", draft::tell_constant, "the value of a function constant: INDEX=VALUE; repeatable");
  app.add_option_function<std::vector<std::string>>(
         "--include-dir",
         [&told](const std::vector<std::string>& all) {
           told.source.include_dirs.assign(all.begin(), all.end());
         },
         "a folder that #include is looked up in, besides the file's own; repeatable")
      ->allow_extra_args(false);
  app.add_option_function<std::vector<std::string>>(
         "--text-prefix",
         [&told](const std::vector<std::string>& all) {
           told.source.text_prefix.assign(all.begin(), all.end());
         },
         "a file that the host puts ahead of the kernel's text; repeatable, in this order")
      ->allow_extra_args(false);
  if (!sizes) return;
  each("--buffer", draft::tell_buffer,
       "what a buffer is: NAME=TYPE[SIZES]:ACCESS:VALUES, each part may be left out, e.g. y=half[M,N]:out, "
       "ids=uint[T]:below=E; repeatable");
  each("--dim", draft::tell_dimension,
       "sizes of a dimension: N=1:4096, N=32:4096:32 (a multiple of 32), N=64 or N=64,128; repeatable");
  each("--scalar", draft::tell_scalar, "the value of a scalar: eps=1e-5, stride=N; repeatable");
  each("--threadgroup-memory", draft::tell_threadgroup_memory,
       "bytes of [[threadgroup(INDEX)]]: 0=4*N; repeatable");
  app.add_option_function<std::string>(
      "--threads", [&told](const std::string& text) { draft::tell_threads(told, text); },
      "threads of a threadgroup: 64, or 16,16");
  auto* grid = app.add_option_function<std::string>(
      "--grid", [&told](const std::string& text) { draft::tell_grid(told, text); },
      "the grid, as expressions over dimensions: M, or ceil(N/64),M,1");
  app.add_option_function<std::string>(
         "--grid-unit", [&told](const std::string& text) { told.grid_in_threads = text == "threads"; },
         "what the grid counts (default: threads where the kernel asks for thread_position_in_grid)")
      ->check(CLI::IsMember({"threads", "threadgroups"}));
  (void)grid;
}
CLI::Option* add_trace(CLI::App& app, bool& trace) {
  return app.add_flag("--trace", trace, "show each tensor around each launch: shape, range, first bytes");
}

// Somebody's own tensors for a kernel; gives the option that names their file.
CLI::Option* add_own_inputs(CLI::App& app, run::OwnInputs& own) {
  auto* inputs =
      add(app, "--inputs", own.file, path(), "in place of a case, the tensors of a safetensors file");
  auto* kernel = app.add_option("--kernel", own.kernel, "for --inputs: the kernel, by name");
  inputs->needs(kernel);
  CLI::Option* const others[] = {
      kernel,
      add(app, "--manifest", own.manifest, path(),
          "for --inputs: the kernel's manifest (default: Assay's own)"),
      add(app, "--mode", own.mode, CLI::IsMember({"fast", "checked"}),
          "for --inputs: how the simulator runs"),
      add(app, "--numerics", own.numerics,
          CLI::IsMember({"strict", "contracted", "reassociated", "relaxed", "flushed"}),
          "for --inputs: what may be done to floating-point arithmetic; other than strict in fast mode"),
      app.add_option("--at", own.at,
                     "for --inputs: dimensions that its shapes do not tell: group_size=128,M=4")};
  for (auto* one : others) one->needs(inputs);
  return inputs;
}

// Adds the subcommands, each of which leaves its arguments in `chosen`.
class Subcommands {
 public:
  Subcommands(CLI::App& app, std::optional<Arguments>& chosen) : app_(app), chosen_(chosen) {
    list();
    verify();
    check();
    init();
    fuzz();
    replay();
    golden();
    profile();
    claims();
    mutate();
    repair();
    merge();
    cache();
    watch();
    completion();
  }

 private:
  // A subcommand, and what it is given.
  template <class T>
  std::pair<CLI::App&, T&> subcommand(const char* name, const char* help, CLI::App* group = nullptr) {
    auto arguments = std::make_shared<T>();
    auto* command = (group == nullptr ? app_ : *group).add_subcommand(name, help);
    command->callback([this, arguments] { chosen_ = *arguments; });
    return {*command, *arguments};
  }

  void list() {
    const auto [app, arguments] = subcommand<ListArguments>("list", "List the kernels of a manifest");
    add_manifest(app, arguments.kernels);
    app.add_flag("--names", arguments.names, "only the names of kernels that can be used, one a line");
    add(app, "--golden", arguments.golden, path(),
        "only kernels that a golden file of this directory is for");
  }

  void verify() {
    const auto [app, arguments] =
        subcommand<VerifyArguments>("verify", "Verify kernels with generated cases against the reference");
    app.footer(
        "Example: assay verify --manifest kernels.toml my_kernel --report page\n"
        "         assay verify marlin_gemm_fp4 --at M=1,N=4096,K=4096");
    add_verify(app, arguments);
  }

  void add_verify(CLI::App& app, VerifyArguments& arguments) {
    auto& [mode, numerics, flushes, named, exhausts, words, at, schedules, golden, options] =
        arguments.request;
    add_kernels(app, arguments.kernels);
    add_device(app, options.device);
    auto* cases = add_cases(app, options.cases, "cases for each kernel and mode");
    auto* seed = add_seed(app, options.seed, "the same seed gives the same cases");
    add(app, "--mode", mode, CLI::IsMember({"fast", "checked", "both"}), "how the simulator runs");
    add(app, "--numerics", numerics,
        CLI::IsMember({"strict", "contracted", "reassociated", "relaxed", "flushed", "all"}),
        "what may be done to floating-point arithmetic: other than strict in fast mode; all: the first "
        "three");
    app.add_flag("--flush-subnormals", flushes, "also with numerics flushed: subnormals become zero");
    app.add_flag("--coverage", options.coverage,
                 "say what the cases reached: codes at nibbles, edges, special values, branches of the text");
    auto* laws = app.add_flag(
        "--laws", options.laws_alone,
        "only laws, not the reference, in fast mode: how outputs must follow from changed inputs");
    auto* exhaustive =
        app.add_flag("--exhaustive", exhausts,
                     "every code, scale, zero point, place and packed word, of 4-bit codes; in fast mode");
    exhaustive->excludes(laws)->excludes(cases)->excludes(seed);
    add(app, "--words", words.count, whole_number(1, properties::kAllWords),
        "of an exhaustive run: how many of the 2^32 packed words")
        ->needs(exhaustive);
    add(app, "--first-word", words.first, whole_number(0, properties::kAllWords - 1),
        "of an exhaustive run: the number of the packed word to begin with")
        ->needs(exhaustive);
    auto* shapes = add(app, "--shapes", options.shapes.models, CLI::IsMember(run::shape_names()),
                       "in place of drawn cases, the layers of models: of all (llm) or of one");
    app.add_option("--schedules", schedules, "in place of cases, all orders of threadgroups: all, or 90s");
    auto* shape = app.add_option("--at", at, "in place of drawn cases, a shape: M=1,N=4096; repeatable");
    auto* files =
        add(app, "--golden", golden, path(), "in place of drawn cases, the golden files of a directory");
    files->excludes(shapes)->excludes(shape);
    add(app, "--budget", options.budget, whole_number(1, properties::kMostBudget),
        "for large cases: so many times the threadgroups and the time, all where that covers them");
    for (auto* one : {laws, exhaustive, cases, seed}) one->excludes(shapes)->excludes(shape)->excludes(files);
    add_jobs(app, options.jobs);
    add_results(app, arguments.results);
    add_junit(app, arguments.results.outputs);
    add_page(app, arguments.results.outputs);
    add_timeout(app, options.timeout_s);
    add_trace(app, options.trace)->excludes(laws)->excludes(exhaustive);
  }

  void check() {
    const auto [app, arguments] = subcommand<CheckArguments>(
        "check", "Check a kernel of a Metal file for all that needs no reference: races, bounds, barriers");
    app.footer(
        "What is not said of the kernel is guessed from its text, and from what it touches when it is run.\n"
        "Example: assay check softmax.metal softmax --threads 128 --dim N=1:2048 --buffer y=:out\n"
        "docs/own_operation.md describes the options.");
    auto& [mode, numerics, flushes, named, exhausts, words, at, schedules, golden, options] =
        arguments.request;
    add(app, "file", arguments.file, path(), "the .metal file")->required();
    app.add_option("function", arguments.function,
                   "the kernel function or host_name; may be left out where the file has one kernel");
    add_told(app, arguments.told, true);
    add(app, "--manifest-out", arguments.manifest_out, path(),
        "write the manifest that says all this here (default: a file in Assay's cache)");
    app.add_flag("--force", arguments.force, "replace the file of --manifest-out if it is there");
    add_device(app, options.device);
    add_cases(app, options.cases, "cases for each mode");
    add_seed(app, options.seed, "the same seed gives the same cases");
    add(app, "--mode", mode, CLI::IsMember({"fast", "checked", "both"}), "how the simulator runs");
    add(app, "--numerics", numerics,
        CLI::IsMember({"strict", "contracted", "reassociated", "relaxed", "flushed", "all"}),
        "what may be done to floating-point arithmetic: other than strict in fast mode; all: the first "
        "three");
    app.add_flag("--flush-subnormals", flushes, "also with numerics flushed: subnormals become zero");
    app.add_flag("--coverage", options.coverage, "say what the cases reached");
    app.add_option("--schedules", schedules, "in place of cases, all orders of threadgroups: all, or 90s");
    app.add_option("--at", at, "in place of drawn cases, a shape: M=1,N=4096; repeatable");
    add_jobs(app, options.jobs);
    add_json(app, arguments.results.outputs);
    add_junit(app, arguments.results.outputs);
    add_timeout(app, options.timeout_s);
    add_trace(app, options.trace);
  }

  void init() {
    const auto [app, arguments] = subcommand<InitArguments>(
        "init", "Write a manifest to start from: for a Metal file, or with a kernel and its reference");
    app.footer("Example: assay init softmax.metal\n         assay init --out first");
    add(app, "file", arguments.file, path(), "draft the manifest of this .metal file's kernels");
    app.add_option("function", arguments.function, "of this kernel alone");
    add_told(app, arguments.told, false);
    add(app, "--out", arguments.directory, path(), "directory to write to");
    app.add_flag("--force", arguments.force, "replace files that are there");
  }

  void fuzz() {
    const auto [app, arguments] = subcommand<FuzzArguments>(
        "fuzz", "Verify kernels in all modes with fresh seeds without end, and keep what is found");
    auto& options = arguments.options;
    add_kernels(app, arguments.kernels);
    add_device(app, options.device);
    add(app, "--time", options.time_s, duration(), "end after so long: 90, 30s, 10m, 2h (default: never)");
    add(app, "--rounds", options.rounds, whole_number(1, kMostCases),
        "end when each kernel has run so many in each mode, earlier runs' included (default: never)");
    add(app, "--findings", arguments.findings, path(),
        "directory of findings; what is there is gone on from");
    add(app, "--seed", arguments.seed, whole_number(0, kLargestSeed),
        "of the first round, where the directory is new (default: drawn)");
    add_jobs(app, options.jobs);
    add_timeout(app, options.timeout_s);
  }

  void replay() {
    const auto [app, arguments] = subcommand<ReplayArguments>(
        "replay", "Run one case again, as a failure printed it, or a kernel on your own tensors");
    auto* line = app.add_option("line", arguments.line, "what the failure printed, or a file of assay fuzz");
    add_own_inputs(app, arguments.own)->excludes(line);
    add_device(app, arguments.options.device);
    add_timeout(app, arguments.options.timeout_s);
    add_trace(app, arguments.trace);
  }

  void golden() {
    auto* group = app_.add_subcommand("golden", "Golden datasets: make them, check them, show their files");
    group->require_subcommand(1);
    const auto [make, made] =
        subcommand<GoldenMakeArguments>("make", "Write a dataset: the same seed gives the same bytes", group);
    auto& request = made.request;
    make.add_option("--operation", made.operations, "e.g. gemm_fp4; with --from repeatable");
    auto* from = add(make, "--from", made.model, path(),
                     "quantize the weights of this safetensors file into each operation's format");
    make.add_option("--tensor", made.tensors,
                    "with --from: only tensors with such names, e.g. '*.mlp.*'; repeatable")
        ->needs(from);
    add_seed(make, request.seed, "of the cases");
    add(make, "--cases", request.cases, whole_number(1, kMostCases),
        "how many files, of each shape where shapes are named (default: 8, or 1 of each shape)");
    make.add_option("--shape", request.shapes,
                    "in place of drawn sizes: M=1,N=4096,K=4096, or a model: llama-3-8b or llama-3-8b,M=16; "
                    "repeatable");
    make.add_option("--case", request.lines,
                    "a case as a failure prints it: 'operation=gemm_fp4 K=33 M=1 ... seed=17'; repeatable");
    make.add_flag("--planned", request.planned,
                  "the cases that every run of verify has: special values in planned places");
    add(make, "--group-size", request.group_size, whole_number(1, kMostCases), "weights that share a scale");
    add(make, "--bits", request.bits, whole_number(1, 8), "of a weight, where the operation leaves a choice");
    make.add_option("--arithmetic", request.arithmetic,
                    "what answers hold for: accumulators in float or half, or half,float: dequantization and "
                    "accumulators");
    make.add_option("--regime", request.regime, "how values are drawn, e.g. random (docs/cases.md)");
    make.add_flag("--fresh", made.options.fresh, "write files again that are there already and whole");
    add_jobs(make, made.options.jobs);
    add_results(make, made.results);
    add(make, "--out", made.directory, path(), "directory to write to")->required();
    const auto [check, checked] = subcommand<GoldenCheckArguments>(
        "check", "Look for damage in files, and solve a sample of their cases again", group);
    check.add_flag("--all", checked.options.all, "solve every case again, and compare each byte");
    add_jobs(check, checked.options.jobs);
    add_results(check, checked.results);
    add(check, "directory", checked.directory, path(), "")->required();
    const auto [show, shown] = subcommand<GoldenShowArguments>(
        "show", "Print a safetensors file for a person: what its tensors hold", group);
    add(show, "file", shown.file, path(), "")->required();
  }

  void profile() {
    const auto [app, arguments] = subcommand<ProfileArguments>(
        "profile", "Count what kernels do, beside what they claim: memory, barriers, loads, matrices");
    add_kernels(app, arguments.kernels);
    add_json(app, arguments.outputs);
    add_page(app, arguments.outputs);
  }

  void claims() {
    const auto [app, arguments] = subcommand<ClaimsArguments>(
        "claims", "Write the page that holds the figures of design documents against what is counted");
    add(app, "figures", arguments.figures, path(), "the documents' figures, e.g. docs/claims.toml")
        ->required();
    add_manifest(app, arguments.kernels);
  }

  void mutate() {
    const auto [app, arguments] = subcommand<MutateArguments>(
        "mutate", "Put small faults into kernels, one at a time, and count those that verification rejects");
    auto& options = arguments.options;
    add_kernels(app, arguments.kernels);
    app.add_option("--sample", options.sample,
                   "so many mutants of each kernel, drawn at random (default: all)")
        ->transform(whole_number(1, kMostCases));
    add_cases(app, options.cases, "cases for each mutant and mode");
    add_seed(app, options.seed, "of the cases and of the sample");
    add_jobs(app, options.jobs);
    add(app, "--report", arguments.report, path(),
        "write a page for people into this directory; or, where its name ends in .json, what is known of "
        "each "
        "mutant as JSON, as the run goes on (docs/report_page.md)");
    add(app, "--equivalents", arguments.equivalents, path(),
        "survivors that are explained (default: equivalent.toml beside the manifest)");
    app.add_flag("--fresh", options.fresh, "judge again what an earlier run with the same inputs has judged");
    add_results(app, arguments.results);
  }

  void repair() {
    const auto [app, arguments] = subcommand<RepairArguments>(
        "repair", "Look for the place of a fault: single changes that let a rejected kernel pass");
    add_kernels(app, arguments.kernels);
    add_cases(app, arguments.options.cases, "cases that a repaired kernel must pass in each mode");
    add_seed(app, arguments.options.seed, "of the cases");
    add_jobs(app, arguments.options.jobs);
  }

  void merge() {
    const auto [app, arguments] = subcommand<MergeArguments>(
        "merge", "Join the JSON reports of all shards of a run: what it would have said alone");
    app.add_option("report", arguments.files, "what `--shard I/N --json FILE` wrote, all N of them")
        ->required()
        ->transform(path());
    add_json(app, arguments.outputs);
    add_junit(app, arguments.outputs);
    add_page(app, arguments.outputs);
  }

  void cache() {
    const auto [app, arguments] = subcommand<CacheArguments>(
        "cache", "Show what compiled kernels and the like take on disk, or clear it");
    app.add_subcommand("clear", "Remove all of it but what a run that is going on uses")
        ->callback([&clear = arguments.clear] { clear = true; });
  }

  void watch() {
    const auto [app, arguments] =
        subcommand<WatchArguments>("watch", "Verify kernels, and again whenever one of their files is saved");
    app.footer(
        "Takes the options of assay verify. Example: assay watch --manifest kernels.toml my_kernel --cases "
        "20");
    add_verify(app, arguments.verify);
  }

  void completion() {
    const auto [app, arguments] = subcommand<CompletionArguments>(
        "completion", "Print the script by which a shell completes commands, options and names of kernels");
    app.footer("Example: source <(assay completion bash)");
    add(app, "shell", arguments.shell, CLI::IsMember({"bash", "zsh"}), "the shell")->required();
  }

  CLI::App& app_;
  std::optional<Arguments>& chosen_;
};

// "{fast,checked}" of what an option takes.
std::vector<std::string> choices_of(const std::string& takes) {
  std::vector<std::string> choices;
  const auto open = takes.find('{'), close = takes.find('}', open == takes.npos ? 0 : open);
  if (open == takes.npos || close == takes.npos) return choices;
  for (std::size_t at = open + 1; at < close;) {
    const auto end = std::min(takes.find(',', at), close);
    choices.push_back(takes.substr(at, end - at));
    at = end + 1;
  }
  return choices;
}

CommandWords describe(const CLI::App& app) {
  CommandWords words;
  words.name = app.get_parent() == nullptr ? "" : app.get_name();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      words.takes_kernels |= option->get_name(true) == "kernel";
      continue;
    }
    CommandOption one;
    for (const auto& name : option->get_lnames()) one.names.push_back("--" + name);
    one.takes_value = option->get_items_expected_max() > 0;
    one.choices = choices_of(option->get_type_name());
    if (!one.names.empty()) words.options.push_back(std::move(one));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    words.commands.push_back(describe(*command));
  return words;
}

// The command line as CLI11 knows it.
struct CommandLine {
  CommandLine() : app("Assay proves quantized Metal GEMM kernels right, on any Linux machine", "assay") {
    app.require_subcommand(1);
    app.option_defaults()->disable_flag_override();  // --trace=5 would be a flag
    app.set_version_flag("--version", std::string(report::version()));
    subcommands.emplace(app, chosen);
  }
  CLI::App app;
  std::optional<Arguments> chosen;
  std::optional<Subcommands> subcommands;
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

// The command that was named last: what is wrong is wrong there.
const CLI::App& last_command(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? app : last_command(*named.front());
}

// "assay golden make".
std::string full_name(const CLI::App& command) {
  const auto* parent = command.get_parent();
  return (parent == nullptr ? "" : full_name(*parent) + " ") + command.get_name();
}

std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error) {
  const auto unexpected = app.remaining(true);
  const auto& command = last_command(app);
  if (command.get_require_subcommand_min() > 0) {  // none of its own was named
    std::vector<std::string> commands;
    for (const auto* one : command.get_subcommands([](const auto*) { return true; }))
      commands.push_back(one->get_name());
    const auto names = fmt::format("{}", fmt::join(commands, ", "));
    if (!unexpected.empty()) return fmt::format("`{}` is none of {}", unexpected.front(), names);
    return fmt::format("{} must be followed by one of {}", command.get_name(), names);
  }
  if (!unexpected.empty()) return fmt::format("`{}`: no such option or argument", unexpected.front());
  return error.what();
}

}  // namespace

std::optional<Arguments> parse(int argc, const char* const* argv) {
  refuse_what_is_misread(argc, argv);
  CommandLine line;
  auto& app = line.app;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      throw std::invalid_argument(
          fmt::format("{}; see {} --help", what_is_wrong(app, error), full_name(last_command(app))));
    std::ostringstream text;  // --help, --version
    app.exit(error, text, text);
    write(text.str());
    return std::nullopt;
  }
  if (auto* const watch = std::get_if<WatchArguments>(&*line.chosen))
    watch->options.assign(argv + 2, argv + argc);
  return std::move(line.chosen);
}

CommandWords command_words() { return describe(CommandLine().app); }

}  // namespace assay::cli
