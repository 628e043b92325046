#include "cli/subcommands.hpp"

#include <memory>
#include <string>
#include <utility>

#include "cli/examples.hpp"
#include "cli/options.hpp"

namespace assay::cli {
namespace {

// Adds the subcommands, each of which leaves its arguments in `chosen` once it was parsed.
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
    command->callback([&chosen = chosen_, arguments] { chosen = *arguments; });
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

  // How kernels of a manifest are verified.
  static void add_verify(CLI::App& app, VerifyArguments& arguments) {
    auto& request = arguments.request;
    auto& options = request.options;
    add_kernels(app, arguments.kernels);
    const RunOptions run =
        add_run(app, request,
                {"how many cases to draw for each kernel and mode",
                 "print what the cases reached: codes in each nibble, edges, special values, branches of the "
                 "text"});
    auto* laws = app.add_flag("--laws", options.laws_alone,
                              "check only laws, without the reference, in fast mode: changed inputs must "
                              "change outputs accordingly");
    auto* exhaustive = app.add_flag(
        "--exhaustive", request.exhaustive,
        "try every code, scale, zero point, place and packed word of 4-bit weights, in fast mode");
    exhaustive->excludes(laws)->excludes(run.cases)->excludes(run.seed);
    add(app, "--words", request.words.count, whole_number(1, properties::kAllWords),
        "with --exhaustive: try only so many of the 2^32 packed words")
        ->needs(exhaustive);
    add(app, "--first-word", request.words.first, whole_number(0, properties::kAllWords - 1),
        "with --exhaustive: begin with the packed word of this number")
        ->needs(exhaustive);
    auto* shapes = add(app, "--shapes", options.shapes.models, CLI::IsMember(run::shape_names()),
                       "run the layers of models instead of drawn cases: of all models (llm) or of one");
    auto* files = add(app, "--golden", request.golden, path(),
                      "run the golden files of this directory instead of drawn cases");
    files->excludes(shapes)->excludes(run.at);
    add(app, "--budget", options.budget, whole_number(1, properties::kMostBudget),
        "for large cases: run so many times more threadgroups, with so many times the timeout");
    for (auto* one : {laws, exhaustive, run.cases, run.seed})
      one->excludes(shapes)->excludes(run.at)->excludes(files);
    add_results(app, arguments.results);
    add_junit(app, arguments.results.outputs);
    add_page(app, arguments.results.outputs);
    run.trace->excludes(laws)->excludes(exhaustive);
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
    add(app, "file", arguments.file, path(), "the .metal file")->required();
    app.add_option("function", arguments.function,
                   "the kernel function or host_name; not needed if the file has one kernel");
    add_told(app, arguments.told, true);
    add(app, "--manifest-out", arguments.manifest_out, path(),
        "write the manifest to this file (default: a file in Assay's cache)");
    app.add_flag("--force", arguments.force, "replace the file of --manifest-out if it exists");
    add_run(app, arguments.request, {"how many cases to draw for each mode", "print what the cases reached"});
    add_json(app, arguments.results.outputs);
    add_junit(app, arguments.results.outputs);
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
                    "words: half,float for dequantization and accumulators");
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
        "mutant as JSON, while the run goes on (docs/report_page.md)");
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

// Behind what the help of a command says already.
void add_examples(CLI::App& command, const std::string& path) {
  const std::string notes = command.get_footer(), lines = examples_text(path);
  command.footer(notes.empty() || lines.empty() ? notes + lines : notes + "\n\n" + lines);
  for (CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; }))
    add_examples(*one, path.empty() ? one->get_name() : path + " " + one->get_name());
}

}  // namespace

CommandLine::CommandLine()
    : app("Assay proves quantized Metal GEMM kernels right, on any Linux machine", "assay") {
  app.require_subcommand(1);
  app.option_defaults()->disable_flag_override();  // --trace=5 would be a flag
  app.set_version_flag("--version", std::string(report::version()));
  Subcommands(app, chosen);
  add_examples(app, "");
}

}  // namespace assay::cli
