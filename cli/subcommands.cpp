// The commands that measure, make and look at things beside verdicts, and the command line as a whole.
#include "cli/subcommands.hpp"

#include <string>

#include "cli/add_subcommands.hpp"
#include "cli/examples.hpp"
#include "cli/options.hpp"

namespace assay::cli {
namespace {

void add_golden(Subcommands& to) {
  auto* group = to.app.add_subcommand("golden", "Golden datasets: make them, check them, show their files");
  group->require_subcommand(1);
  const auto [make, made] =
      to.add<GoldenMakeArguments>("make", "Write a dataset: the same seed gives the same bytes", group);
  auto& request = made.request;
  make.add_option("--operation", made.operations, "the operation, such as gemm_fp4; repeatable with --from");
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
  const auto [check, checked] = to.add<GoldenCheckArguments>(
      "check", "Look for damage in files, and compute a sample of their answers again", group);
  check.add_flag("--all", checked.options.all, "compute every answer again, and compare each byte");
  add_jobs(check, checked.options.jobs);
  add_results(check, checked.results);
  add_talk(check, checked.talk, "print only what is wrong",
           "also print each file, and whether its answers were computed again");
  add(check, "directory", checked.directory, path(), "the directory of the golden files")->required();
  const auto [show, shown] = to.add<GoldenShowArguments>(
      "show", "Print what the tensors of a safetensors file hold, for people", group);
  add(show, "file", shown.file, path(), "the safetensors file")->required();
}

void add_profile(Subcommands& to) {
  const auto [app, arguments] = to.add<ProfileArguments>(
      "profile",
      "Count what kernels do, and compare it with what they claim: memory, barriers, loads, matrices");
  add_kernels(app, arguments.kernels);
  add_json(app, arguments.outputs);
  add_page(app, arguments.outputs);
  add_talk(app, arguments.talk, "print only kernels that differ from their claims, and the last line",
           "also print a line for each kernel as it is counted, with its seconds");
}

void add_claims(Subcommands& to) {
  const auto [app, arguments] = to.add<ClaimsArguments>(
      "claims", "Write the page that compares the figures of design documents with what is counted");
  add(app, "figures", arguments.figures, path(),
      "the file with the documents' figures, such as docs/claims.toml")
      ->required();
  add_manifest(app, arguments.kernels);
  add_talk(app, arguments.talk, "show no progress",
           "print a line for each kernel that is counted, on standard error");
}

void add_mutate(Subcommands& to) {
  const auto [app, arguments] = to.add<MutateArguments>(
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
  add_talk(app, arguments.talk, "print only kernels that could not be judged, survivors, and the scores",
           "also print a line for each kernel: mutants judged now and before, mutants a second, processor "
           "time");
}

void add_repair(Subcommands& to) {
  const auto [app, arguments] = to.add<RepairArguments>(
      "repair", "Look for single changes that let a rejected kernel pass, to find the place of a fault");
  add_kernels(app, arguments.kernels);
  add_cases(app, arguments.options.cases, "how many cases a repaired kernel must pass in each mode");
  add_seed(app, arguments.options.seed, "the seed of the cases");
  add_jobs(app, arguments.options.jobs);
  add_talk(app, arguments.talk, "print only kernels that are rejected, and their repairs",
           "also print how long each kernel took, and how many changes a second were tried");
}

void add_merge(Subcommands& to) {
  const auto [app, arguments] = to.add<MergeArguments>(
      "merge", "Join the JSON reports of all shards of a run into the report of one run");
  app.add_option("report", arguments.files, "the files that `--shard I/N --json FILE` wrote, all N of them")
      ->required()
      ->transform(path());
  add_json(app, arguments.outputs);
  add_junit(app, arguments.outputs);
  add_page(app, arguments.outputs);
  add_talk(app, arguments.talk, "print only what the command whose reports are joined prints then", nullptr);
}

void add_cache(Subcommands& to) {
  const auto [app, arguments] = to.add<CacheArguments>(
      "cache", "Show how much disk space compiled kernels and other cached files take, or delete them");
  app.add_subcommand("clear", "Delete all cached files that no running command uses")
      ->callback([&clear = arguments.clear] { clear = true; });
}

void add_completion(Subcommands& to) {
  const auto [app, arguments] = to.add<CompletionArguments>(
      "completion", "Print the script by which a shell completes commands, options and names of kernels");
  add(app, "shell", arguments.shell, one_of({"bash", "zsh"}), "the name of the shell")->required();
}

// For programs, not for people: no help names it.
void add_serve(Subcommands& to) {
  const auto [app, arguments] =
      to.add<ServeArguments>("serve", "Run kernels for another program, which says how on standard input");
  app.group("");
  app.add_option("--memory", arguments.memory, "the number of the open file that arrays lie in")->required();
}

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
  Subcommands to{app, chosen};
  add_verification(to);
  add_golden(to);
  add_profile(to);
  add_claims(to);
  add_mutate(to);
  add_repair(to);
  add_merge(to);
  add_cache(to);
  add_completion(to);
  add_serve(to);
  // Last, for commands take over what the program has when they are added.
  app.footer(
      "assay SUBCOMMAND --help lists the options of one, and ends with examples.\n"
      "For a kernel of your own: assay check FILE.metal. For files to start from: assay init --out first");
  add_examples(app, "");
}

}  // namespace assay::cli
