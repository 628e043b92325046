// The commands that verify kernels, and those that lead there: which options each has.
#include "cli/add_subcommands.hpp"
#include "cli/options.hpp"

namespace assay::cli {
namespace {

void add_list(Subcommands& to) {
  const auto [app, arguments] = to.add<ListArguments>("list", "List the kernels of a manifest");
  add_manifest(app, arguments.kernels);
  app.add_flag("--names", arguments.names, "print only names, one on each line, of kernels that can be used");
  add(app, "--golden", arguments.golden, path(), "only kernels for which this directory has golden files");
}

// How kernels of a manifest are verified.
void add_verify_options(CLI::App& app, VerifyArguments& arguments, const char* quiet) {
  auto& request = arguments.request;
  auto& options = request.options;
  add_kernels(app, arguments.kernels);
  const RunOptions run =
      add_run(app, request,
              {"how many cases to draw for each kernel and mode; planned cases run beside them",
               "print what the cases reached: codes in each nibble, edges, special values, branches of the "
               "text"});
  auto* laws = app.add_flag("--laws", options.laws_alone,
                            "check only laws, without the reference, in fast mode: changed inputs must "
                            "change outputs accordingly");
  auto* exhaustive =
      app.add_flag("--exhaustive", request.exhaustive,
                   "try every code, scale, zero point, place and packed word of 4-bit weights, in fast mode");
  exhaustive->excludes(laws)->excludes(run.cases)->excludes(run.seed);
  add(app, "--words", request.words.count, whole_number(1, properties::kAllWords),
      "with --exhaustive: try only so many of the 2^32 packed words")
      ->needs(exhaustive);
  add(app, "--first-word", request.words.first, whole_number(0, properties::kAllWords - 1),
      "with --exhaustive: begin with the packed word of this number")
      ->needs(exhaustive);
  auto* shapes = add(app, "--shapes", options.shapes.models, one_of(run::shape_names()),
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
  add_talk(app, arguments.talk, quiet,
           "also print a line for each kernel and mode: whether it was compiled or cached, seconds, cases a "
           "second");
}

void add_verify(Subcommands& to) {
  const auto [app, arguments] =
      to.add<VerifyArguments>("verify", "Verify kernels with generated cases against the reference");
  add_verify_options(app, arguments, "print only the failures and the last line");
  app.add_flag("--list-cases", arguments.list_cases, "print each case and what it is there for; run none");
  add_dump(app, arguments.dump,
           "of the first kernel that is rejected, write the tensors of its case: inputs, results, "
           "and what is right (safetensors)");
}

void add_watch(Subcommands& to) {
  const auto [app, arguments] =
      to.add<WatchArguments>("watch", "Verify kernels, and again whenever one of their files is saved");
  add_verify_options(app, arguments.verify,
                     "print only the failures and the last line of each run, and which file has changed");
}

void add_check(Subcommands& to) {
  const auto [app, arguments] = to.add<CheckArguments>(
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
  // Without right answers other arithmetic shows nothing, and a first look takes seconds.
  arguments.request.numerics = "strict";
  arguments.request.options.timeout_s = 10;
  add_run(app, arguments.request, {"how many cases to draw for each mode", "print what the cases reached"});
  add_outputs(app, arguments.results.outputs);
  add_talk(app, arguments.talk, "print only failures and the last line, not what was guessed",
           "also print a line for each mode: whether it was compiled or cached, seconds, cases a second");
}

void add_init(Subcommands& to) {
  const auto [app, arguments] = to.add<InitArguments>(
      "init",
      "Write the manifest of a Metal file; without a file, a kernel to start from, with all that it needs");
  add(app, "file", arguments.file, path(),
      "the .metal file whose kernels get a manifest; without it, a kernel and its reference are written too");
  app.add_option("function", arguments.function, "only this kernel of the file");
  add_told(app, arguments.told, false);
  add(app, "--out", arguments.directory, path(), "the directory to write to");
  app.add_flag("--force", arguments.force, "replace files that exist");
  add_talk(app, arguments.talk, "print nothing but errors", nullptr);
}

void add_load(Subcommands& to) {
  const auto [app, arguments] = to.add<LoadArguments>(
      "load", "Say which kernels of Metal files Assay can read and compile, and why it cannot the others");
  app.add_option("file", arguments.files, "the .metal files")->required()->transform(path());
  add_told(app, arguments.told, false);
  add_jobs(app, arguments.jobs);
  add_talk(app, arguments.talk, "print only files with kernels that do not load, and the last line",
           "also print the names of all kernels that do not load");
}

void add_fuzz(Subcommands& to) {
  const auto [app, arguments] = to.add<FuzzArguments>(
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
  app.add_flag(
      "--dump", arguments.dump,
      "write the tensors of each finding beside its file: inputs, results, and what is right (safetensors)");
  add_outputs(app, arguments.outputs);
  add_talk(app, arguments.talk, "print only findings, kernels that cannot be run, and the last line",
           "also print a line for each kernel, mode and round: its verdict, cases and seconds");
}

void add_replay(Subcommands& to) {
  const auto [app, arguments] = to.add<ReplayArguments>(
      "replay", "Run a case again that a failure printed, or a kernel on your own tensors");
  auto* line = app.add_option("line", arguments.line,
                              "the line that a failure printed, or a file that assay fuzz wrote");
  add_own_inputs(app, arguments.own)->excludes(line);
  add_metal_version(app);
  add_device(app, arguments.options.device);
  add_timeout(app, arguments.options.timeout_s);
  add_trace(app, arguments.trace);
  add_dump(app, arguments.options.dump,
           "write the tensors of the case here: inputs, results, and what is right (safetensors)");
  add_outputs(app, arguments.outputs);
  add_talk(app, arguments.talk, "print nothing if the case passes",
           "also print whether the kernel was compiled or cached, and the seconds");
}

}  // namespace

void add_verification(Subcommands& to) {
  add_list(to);
  add_verify(to);
  add_watch(to);
  add_check(to);
  add_init(to);
  add_load(to);
  add_fuzz(to);
  add_replay(to);
}

}  // namespace assay::cli
