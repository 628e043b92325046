#include "cli/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "cli/completion.hpp"
#include "cli/examples.hpp"
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
  add(app, "--manifest", kernels.manifest, path(),
      "the manifest that describes the kernels (default: Assay's own kernels)");
}
void add_kernels(CLI::App& app, Kernels& kernels) {
  app.add_option("kernel", kernels.names, "names of kernels; without any, all kernels of the manifest");
  add_manifest(app, kernels);
}
void add_jobs(CLI::App& app, unsigned& jobs) {
  jobs = process::cores();
  add(app, "--jobs", jobs, whole_number(1, kMostJobs), "how many processes run at a time");
}
void add_device(CLI::App& app, std::string& device) {
  std::vector<std::string> names;
  std::string help = "the device that kernels run on:";
  for (const auto& one : device::devices()) {
    names.push_back(one.name);
    help += fmt::format(" {} ({})", one.name, one.about);
  }
  add(app, "--device", device, CLI::IsMember(names), help.c_str());
}
// `quiet` and `verbose`: what is said then. `talk` must outlive the parsing.
void add_talk(CLI::App& app, Talk& talk, const char* quiet, const char* verbose) {
  auto* less = app.add_flag_callback(
      "-q,--quiet", [&talk] { talk = Talk::quiet; }, quiet);
  if (verbose == nullptr) return;
  app.add_flag_callback(
         "-v,--verbose", [&talk] { talk = Talk::verbose; }, verbose)
      ->excludes(less);
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
      "run share I of N; assay merge joins the shares. Without it, the variables of googletest, Slurm and "
      "Kubernetes decide");
}
void add_timeout(CLI::App& app, double& timeout_s) {
  add(app, "--timeout", timeout_s, seconds(), "stop a case after so many seconds of processor time");
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
  each("--define", draft::tell_define, "define a macro: NAME=TEXT; repeatable");
  each("--constant", draft::tell_constant, "the value of a function constant: INDEX=VALUE; repeatable");
  app.add_option_function<std::vector<std::string>>(
         "--include-dir",
         [&told](const std::vector<std::string>& all) {
           told.source.include_dirs.assign(all.begin(), all.end());
         },
         "also look in this folder for files that #include names; repeatable")
      ->allow_extra_args(false);
  app.add_option_function<std::vector<std::string>>(
         "--text-prefix",
         [&told](const std::vector<std::string>& all) {
           told.source.text_prefix.assign(all.begin(), all.end());
         },
         "a file that the host puts before the kernel's text; repeatable, in this order")
      ->allow_extra_args(false);
  if (!sizes) return;
  each("--buffer", draft::tell_buffer,
       "what a buffer is: NAME=TYPE[SIZES]:ACCESS:VALUES, such as y=half[M,N]:out or ids=uint[T]:below=E; "
       "each part may be left out; repeatable");
  each("--dim", draft::tell_dimension,
       "the sizes of a dimension: N=1:4096, N=32:4096:32 (multiples of 32), N=64 or N=64,128; repeatable");
  each("--scalar", draft::tell_scalar, "the value of a scalar: eps=1e-5, stride=N; repeatable");
  each("--threadgroup-memory", draft::tell_threadgroup_memory,
       "the bytes of the argument [[threadgroup(INDEX)]]: 0=4*N; repeatable");
  app.add_option_function<std::string>(
      "--threads", [&told](const std::string& text) { draft::tell_threads(told, text); },
      "the threads of a threadgroup: 64, or 16,16");
  auto* grid = app.add_option_function<std::string>(
      "--grid", [&told](const std::string& text) { draft::tell_grid(told, text); },
      "the grid, as expressions over dimensions: M, or ceil(N/64),M,1");
  app.add_option_function<std::string>(
         "--grid-unit", [&told](const std::string& text) { told.grid_in_threads = text == "threads"; },
         "what the grid counts (default: threads if the kernel uses thread_position_in_grid)")
      ->check(CLI::IsMember({"threads", "threadgroups"}));
  (void)grid;
}
CLI::Option* add_trace(CLI::App& app, bool& trace) {
  return app.add_flag("--trace", trace, "show each tensor around each launch: shape, range, first bytes");
}

// Somebody's own tensors for a kernel; gives the option that names their file.
CLI::Option* add_own_inputs(CLI::App& app, run::OwnInputs& own) {
  auto* inputs = add(app, "--inputs", own.file, path(),
                     "run the kernel on the tensors of this safetensors file instead of a case");
  auto* kernel = app.add_option("--kernel", own.kernel, "with --inputs: the name of the kernel");
  inputs->needs(kernel);
  CLI::Option* const others[] = {
      kernel,
      add(app, "--manifest", own.manifest, path(),
          "with --inputs: the manifest that describes the kernel (default: Assay's own kernels)"),
      add(app, "--mode", own.mode, CLI::IsMember({"fast", "checked"}),
          "with --inputs: how the simulator runs"),
      add(app, "--numerics", own.numerics,
          CLI::IsMember({"strict", "contracted", "reassociated", "relaxed", "flushed"}),
          "with --inputs: how the compiler may change floating-point arithmetic; all but strict run in fast "
          "mode"),
      app.add_option("--at", own.at,
                     "with --inputs: dimensions that cannot be found from the shapes: group_size=128,M=4")};
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
    app.add_flag("--names", arguments.names,
                 "print only names, one on each line, of kernels that can be used");
    add(app, "--golden", arguments.golden, path(), "only kernels for which this directory has golden files");
  }

  void verify() {
    const auto [app, arguments] =
        subcommand<VerifyArguments>("verify", "Verify kernels with generated cases against the reference");
    add_verify(app, arguments);
  }

  void add_verify(CLI::App& app, VerifyArguments& arguments) {
    auto& [mode, numerics, flushes, named, exhausts, words, at, schedules, golden, options] =
        arguments.request;
    add_kernels(app, arguments.kernels);
    add_device(app, options.device);
    auto* cases = add_cases(app, options.cases, "how many cases to draw for each kernel and mode");
    auto* seed = add_seed(app, options.seed, "the same seed gives the same cases");
    add(app, "--mode", mode, CLI::IsMember({"fast", "checked", "both"}), "how the simulator runs");
    add(app, "--numerics", numerics,
        CLI::IsMember({"strict", "contracted", "reassociated", "relaxed", "flushed", "all"}),
        "how the compiler may change floating-point arithmetic; all but strict run in fast mode; all means "
        "the "
        "first three");
    app.add_flag("--flush-subnormals", flushes, "also run with subnormals flushed to zero");
    app.add_flag(
        "--coverage", options.coverage,
        "print what the cases reached: codes in each nibble, edges, special values, branches of the text");
    auto* laws = app.add_flag("--laws", options.laws_alone,
                              "check only laws, without the reference, in fast mode: changed inputs must "
                              "change outputs accordingly");
    auto* exhaustive = app.add_flag(
        "--exhaustive", exhausts,
        "try every code, scale, zero point, place and packed word of 4-bit weights, in fast mode");
    exhaustive->excludes(laws)->excludes(cases)->excludes(seed);
    add(app, "--words", words.count, whole_number(1, properties::kAllWords),
        "with --exhaustive: try only so many of the 2^32 packed words")
        ->needs(exhaustive);
    add(app, "--first-word", words.first, whole_number(0, properties::kAllWords - 1),
        "with --exhaustive: begin with the packed word of this number")
        ->needs(exhaustive);
    auto* shapes = add(app, "--shapes", options.shapes.models, CLI::IsMember(run::shape_names()),
                       "run the layers of models instead of drawn cases: of all models (llm) or of one");
    app.add_option(
        "--schedules", schedules,
        "run all orders of threadgroups instead of cases: all, or as many as fit into a time such as 90s");
    auto* shape = app.add_option("--at", at, "run this shape instead of drawn cases: M=1,N=4096; repeatable");
    auto* files =
        add(app, "--golden", golden, path(), "run the golden files of this directory instead of drawn cases");
    files->excludes(shapes)->excludes(shape);
    add(app, "--budget", options.budget, whole_number(1, properties::kMostBudget),
        "for large cases: run so many times more threadgroups, with so many times the timeout");
    for (auto* one : {laws, exhaustive, cases, seed}) one->excludes(shapes)->excludes(shape)->excludes(files);
    add_jobs(app, options.jobs);
    add_results(app, arguments.results);
    add_junit(app, arguments.results.outputs);
    add_page(app, arguments.results.outputs);
    add_timeout(app, options.timeout_s);
    add_trace(app, options.trace)->excludes(laws)->excludes(exhaustive);
    add_talk(
        app, arguments.talk, "print only the failures and the last line",
        "also print a line for each kernel and mode: whether it was compiled or cached, seconds, cases a "
        "second");
  }

  void check() {
    const auto [app, arguments] = subcommand<CheckArguments>(
        "check",
        "Check a kernel of a Metal file for everything that needs no right answer: races, bounds, barriers");
    app.footer(
        "Assay guesses what you do not say about the kernel: from its text, and from what it touches when it "
        "runs.\ndocs/own_operation.md describes the options.");
    auto& [mode, numerics, flushes, named, exhausts, words, at, schedules, golden, options] =
        arguments.request;
    add(app, "file", arguments.file, path(), "the .metal file")->required();
    app.add_option("function", arguments.function,
                   "the kernel function or host_name; not needed if the file has one kernel");
    add_told(app, arguments.told, true);
    add(app, "--manifest-out", arguments.manifest_out, path(),
        "write the manifest to this file (default: a file in Assay's cache)");
    app.add_flag("--force", arguments.force, "replace the file of --manifest-out if it exists");
    add_device(app, options.device);
    add_cases(app, options.cases, "how many cases to draw for each mode");
    add_seed(app, options.seed, "the same seed gives the same cases");
    add(app, "--mode", mode, CLI::IsMember({"fast", "checked", "both"}), "how the simulator runs");
    add(app, "--numerics", numerics,
        CLI::IsMember({"strict", "contracted", "reassociated", "relaxed", "flushed", "all"}),
        "how the compiler may change floating-point arithmetic; all but strict run in fast mode; all means "
        "the "
        "first three");
    app.add_flag("--flush-subnormals", flushes, "also run with subnormals flushed to zero");
    app.add_flag("--coverage", options.coverage, "print what the cases reached");
    app.add_option(
        "--schedules", schedules,
        "run all orders of threadgroups instead of cases: all, or as many as fit into a time such as 90s");
    app.add_option("--at", at, "run this shape instead of drawn cases: M=1,N=4096; repeatable");
    add_jobs(app, options.jobs);
    add_json(app, arguments.results.outputs);
    add_junit(app, arguments.results.outputs);
    add_timeout(app, options.timeout_s);
    add_trace(app, options.trace);
    add_talk(app, arguments.talk, "print only failures and the last line, not what was guessed",
             "also print a line for each mode: whether it was compiled or cached, seconds, cases a second");
  }

  void init() {
    const auto [app, arguments] = subcommand<InitArguments>(
        "init", "Write a manifest to start from: for a Metal file, or with a kernel and its reference");
    add(app, "file", arguments.file, path(),
        "the .metal file whose kernels get a manifest; without it, a kernel is written too");
    app.add_option("function", arguments.function, "only this kernel of the file");
    add_told(app, arguments.told, false);
    add(app, "--out", arguments.directory, path(), "the directory to write to");
    app.add_flag("--force", arguments.force, "replace files that exist");
    add_talk(app, arguments.talk, "print nothing but errors", nullptr);
  }

  void fuzz() {
    const auto [app, arguments] = subcommand<FuzzArguments>(
        "fuzz", "Verify kernels in all modes with fresh seeds until stopped, and keep each finding");
    auto& options = arguments.options;
    add_kernels(app, arguments.kernels);
    add_device(app, options.device);
    add(app, "--time", options.time_s, duration(), "stop after this time: 90, 30s, 10m, 2h (default: never)");
    add(app, "--rounds", options.rounds, whole_number(1, kMostCases),
        "stop when each kernel has run so many rounds in each mode, earlier runs included (default: never)");
    add(app, "--findings", arguments.findings, path(),
        "the directory of findings; a run continues from what is there");
    add(app, "--seed", arguments.seed, whole_number(0, kLargestSeed),
        "the seed of the first round, if the directory is new (default: a random one)");
    add_jobs(app, options.jobs);
    add_timeout(app, options.timeout_s);
    add_talk(app, arguments.talk, "print only findings, kernels that cannot be run, and the last line",
             "also print a line for each kernel, mode and round: its cases, and cases a second");
  }

  void replay() {
    const auto [app, arguments] = subcommand<ReplayArguments>(
        "replay", "Run a case again that a failure printed, or a kernel on your own tensors");
    auto* line = app.add_option("line", arguments.line,
                                "the line that a failure printed, or a file that assay fuzz wrote");
    add_own_inputs(app, arguments.own)->excludes(line);
    add_device(app, arguments.options.device);
    add_timeout(app, arguments.options.timeout_s);
    add_trace(app, arguments.trace);
    add_talk(app, arguments.talk, "print nothing if the case passes",
             "also print whether the kernel was compiled or cached, and the seconds");
  }

  void golden() {
    auto* group = app_.add_subcommand("golden", "Golden datasets: make them, check them, show their files");
    group->require_subcommand(1);
    const auto [make, made] =
        subcommand<GoldenMakeArguments>("make", "Write a dataset: the same seed gives the same bytes", group);
    auto& request = made.request;
    make.add_option("--operation", made.operations,
                    "the operation, such as gemm_fp4; repeatable with --from");
    auto* from = add(make, "--from", made.model, path(),
                     "quantize the weights of this safetensors file into each operation's format");
    make.add_option("--tensor", made.tensors,
                    "with --from: only tensors with such names, such as '*.mlp.*'; repeatable")
        ->needs(from);
    add_seed(make, request.seed, "the seed of the cases");
    add(make, "--cases", request.cases, whole_number(1, kMostCases),
        "how many files to make, for each shape if shapes are named (default: 8, or 1 for each shape)");
    make.add_option("--shape", request.shapes,
                    "use this shape instead of drawn sizes: M=1,N=4096,K=4096, or a model: llama-3-8b or "
                    "llama-3-8b,M=16; repeatable");
    make.add_option("--case", request.lines,
                    "a case as a failure prints it: 'operation=gemm_fp4 K=33 M=1 ... seed=17'; repeatable");
    make.add_flag("--planned", request.planned,
                  "make the cases that every run of verify has: special values in planned places");
    add(make, "--group-size", request.group_size, whole_number(1, kMostCases),
        "how many weights share a scale");
    add(make, "--bits", request.bits, whole_number(1, 8),
        "the bits of a weight, if the operation leaves a choice");
    make.add_option("--arithmetic", request.arithmetic,
                    "the arithmetic for which the answers are right: float or half accumulators, or two "
                    "words: half,float "
                    "for dequantization and accumulators");
    make.add_option("--regime", request.regime, "how values are drawn, such as random (docs/cases.md)");
    make.add_flag("--fresh", made.options.fresh, "also write files again that exist already and are whole");
    add_jobs(make, made.options.jobs);
    add_results(make, made.results);
    add_talk(make, made.talk, "print only what was left out, and errors",
             "also print each file as it is finished, with its size, and the rate at the end");
    add(make, "--out", made.directory, path(), "the directory to write to")->required();
    const auto [check, checked] = subcommand<GoldenCheckArguments>(
        "check", "Look for damage in files, and compute a sample of their answers again", group);
    check.add_flag("--all", checked.options.all, "compute every answer again, and compare each byte");
    add_jobs(check, checked.options.jobs);
    add_results(check, checked.results);
    add_talk(check, checked.talk, "print only what is wrong",
             "also print each file, and whether its answers were computed again");
    add(check, "directory", checked.directory, path(), "the directory of the golden files")->required();
    const auto [show, shown] = subcommand<GoldenShowArguments>(
        "show", "Print what the tensors of a safetensors file hold, for people", group);
    add(show, "file", shown.file, path(), "the safetensors file")->required();
  }

  void profile() {
    const auto [app, arguments] = subcommand<ProfileArguments>(
        "profile",
        "Count what kernels do, and compare it with what they claim: memory, barriers, loads, matrices");
    add_kernels(app, arguments.kernels);
    add_json(app, arguments.outputs);
    add_page(app, arguments.outputs);
    add_talk(app, arguments.talk, "print only kernels that differ from their claims, and the last line",
             "also print a line for each kernel as it is counted, with its seconds");
  }

  void claims() {
    const auto [app, arguments] = subcommand<ClaimsArguments>(
        "claims", "Write the page that compares the figures of design documents with what is counted");
    add(app, "figures", arguments.figures, path(),
        "the file with the documents' figures, such as docs/claims.toml")
        ->required();
    add_manifest(app, arguments.kernels);
    add_talk(app, arguments.talk, "show no progress",
             "print a line for each kernel that is counted, on standard error");
  }

  void mutate() {
    const auto [app, arguments] = subcommand<MutateArguments>(
        "mutate", "Put small faults into kernels, one at a time, and count those that verification rejects");
    auto& options = arguments.options;
    add_kernels(app, arguments.kernels);
    app.add_option("--sample", options.sample,
                   "judge only so many mutants of each kernel, drawn at random (default: all)")
        ->transform(whole_number(1, kMostCases));
    add_cases(app, options.cases, "how many cases to draw for each mutant and mode");
    add_seed(app, options.seed, "the seed of the cases and of the sample");
    add_jobs(app, options.jobs);
    add(app, "--report", arguments.report, path(),
        "write a page for people into this directory; or, if the name ends in .json, the verdict on each "
        "mutant "
        "as JSON, while the run goes on (docs/report_page.md)");
    add(app, "--equivalents", arguments.equivalents, path(),
        "the list of survivors that are explained (default: equivalent.toml beside the manifest)");
    app.add_flag("--fresh", options.fresh,
                 "judge all mutants again, also those that an earlier run with the same inputs has judged");
    add_results(app, arguments.results);
    add_talk(app, arguments.talk, "print only survivors, kernels that could not be judged, and the scores",
             "also print a line for each kernel: mutants judged now and before, mutants a second, processor "
             "time");
  }

  void repair() {
    const auto [app, arguments] = subcommand<RepairArguments>(
        "repair", "Look for single changes that let a rejected kernel pass, to find the place of a fault");
    add_kernels(app, arguments.kernels);
    add_cases(app, arguments.options.cases, "how many cases a repaired kernel must pass in each mode");
    add_seed(app, arguments.options.seed, "the seed of the cases");
    add_jobs(app, arguments.options.jobs);
    add_talk(app, arguments.talk, "print only kernels that are rejected, and their repairs",
             "also print how long each kernel took, and how many changes a second were tried");
  }

  void merge() {
    const auto [app, arguments] = subcommand<MergeArguments>(
        "merge", "Join the JSON reports of all shards of a run into the report of one run");
    app.add_option("report", arguments.files, "the files that `--shard I/N --json FILE` wrote, all N of them")
        ->required()
        ->transform(path());
    add_json(app, arguments.outputs);
    add_junit(app, arguments.outputs);
    add_page(app, arguments.outputs);
    add_talk(app, arguments.talk, "print only failures and the last line", nullptr);
  }

  void cache() {
    const auto [app, arguments] = subcommand<CacheArguments>(
        "cache", "Show how much disk space compiled kernels and other cached files take, or delete them");
    app.add_subcommand("clear", "Delete all cached files that no running command uses")
        ->callback([&clear = arguments.clear] { clear = true; });
  }

  void watch() {
    const auto [app, arguments] =
        subcommand<WatchArguments>("watch", "Verify kernels, and again whenever one of their files is saved");
    add_verify(app, arguments.verify);
  }

  void completion() {
    const auto [app, arguments] = subcommand<CompletionArguments>(
        "completion", "Print the script by which a shell completes commands, options and names of kernels");
    add(app, "shell", arguments.shell, CLI::IsMember({"bash", "zsh"}), "the name of the shell")->required();
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
    add_examples(app, "");
  }

  // Behind what the help of a command says already.
  static void add_examples(CLI::App& command, const std::string& path) {
    const std::string notes = command.get_footer(), lines = examples_text(path);
    command.footer(notes.empty() || lines.empty() ? notes + lines : notes + "\n\n" + lines);
    for (CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; }))
      add_examples(*one, path.empty() ? one->get_name() : path + " " + one->get_name());
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
      throw std::invalid_argument(fmt::format("{}: the value after = is missing", argument));
    }
    if (argument.starts_with("[") && argument.ends_with("]")) {
      throw std::invalid_argument(fmt::format(
          "`{}`: a list in brackets is not understood; write names one after another, or ./{} for a file",
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
    if (!unexpected.empty()) return fmt::format("`{}` is not one of {}", unexpected.front(), names);
    return fmt::format("{} must be followed by one of {}", command.get_name(), names);
  }
  if (!unexpected.empty())
    return fmt::format("`{}`: there is no such option or argument", unexpected.front());
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
