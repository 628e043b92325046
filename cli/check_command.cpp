// `assay check FILE FUNCTION`: a draft of the kernel's manifest, kept, and verified.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "cli/commands.hpp"
#include "cli/draft_files.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "cli/verify_command.hpp"
#include "harness/draft/doubt.hpp"
#include "harness/draft/draft.hpp"
#include "harness/draft/explain.hpp"
#include "harness/metal/cache.hpp"
#include "harness/metal/toolchain.hpp"
#include "harness/report/outputs.hpp"

namespace assay::cli {

namespace fs = std::filesystem;
namespace {

/// What is guessed, with a line that shows how far the guessing has come.
draft::Draft drafted(const draft::Told& told, Talk talk) {
  ProgressLine line(talk);
  return draft::draft_kernel(told, [&](const std::string& what) {
    if (line.due()) line.show(fmt::format("{}: {}", told.source.function, what));
  });
}

/// Where the manifest is kept: a replay line names it. The same draft has the same file.
fs::path keep(const CheckArguments& arguments, const draft::Draft& draft) {
  if (arguments.manifest_out) {
    fs::path file = *arguments.manifest_out;
    const auto folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    write_new(file, draft::manifest_text(draft, folder), arguments.force);
    return file;
  }
  const auto directory = metal::kept_manifests(metal::toolchain().cache);
  fs::create_directories(directory);
  const std::string text = draft::manifest_text(draft, {});
  fs::path file = directory / (metal::content_hash(text) + ".toml");
  metal::write_atomically(file, text);
  return file;
}

std::string explained(const draft::Draft& draft, const run::KernelReport& report) {
  std::string text;
  for (const auto& mode : report.modes) {
    for (const auto& line : draft::explain(draft, mode.verdict, mode.summary + " " + mode.text)) {
      if (text.find(line) == std::string::npos) text += line + '\n';
    }
  }
  return text.empty() ? text : '\n' + text;
}

/// The lines of the buffers whose sizes are not known.
std::vector<std::string> of_unknown_sizes(const draft::Draft& draft) {
  std::vector<std::string> lines;
  for (const draft::Doubt& one : draft.doubts) {
    if (one.of == draft::Doubt::Of::sizes) lines.push_back(one.line);
  }
  return lines;
}

/// Takes back what a guess may be to blame for: a rejection, and a pass of a grid with nothing to do. Cases
/// that did not reach what they should are no reason to ask for more of them where sizes are not known.
void judge(const draft::Draft& draft, run::KernelReport& report) {
  const auto decisive = report.modes.begin() + (&report.decisive() - report.modes.data());
  const int status = exit_status(decisive->verdict);
  if (const auto lines = of_unknown_sizes(draft); decisive->verdict == Verdict::vacuous && !lines.empty()) {
    decisive->text =
        fmt::format("{}: VACUOUS: cases show nothing of buffers whose sizes are not known\n  {}\n",
                    draft.name, fmt::join(lines, "\n  "));
    decisive->summary = fmt::format("sizes are not known: {}", fmt::join(lines, "; "));
  }
  if (status == 2) return;
  std::vector<std::string> lines;
  if (status == 1) {
    lines = draft::doubts_behind(draft, decisive->verdict, decisive->failure);
  } else if (!draft.idle.empty()) {
    lines = of_unknown_sizes(draft);
    lines.insert(lines.begin(), draft.idle);
  }
  if (lines.empty()) return;
  std::string why = fmt::format("  {}\n", fmt::join(lines, "\n  "));
  if (status == 1) {
    decisive->text = fmt::format(
        "{}: COULD NOT BE JUDGED: a guess may be wrong, not the kernel\n{}\n  With what was guessed:\n\n{}",
        draft.name, why, decisive->text);
  } else {
    decisive->text =
        fmt::format("{}: VACUOUS: nothing was checked of how threads share the work\n{}", draft.name, why);
  }
  decisive->summary = fmt::format("could not be judged: {}", fmt::join(lines, "; "));
  for (auto& mode : report.modes) {
    if (exit_status(mode.verdict) == status) mode.verdict = status == 1 ? Verdict::error : Verdict::vacuous;
  }
  std::rotate(report.modes.begin(), decisive, decisive + 1);  // it stays the decisive one of those alike
}

}  // namespace

int run_command(const CheckArguments& arguments) {
  report::check(arguments.results.outputs, "verify");
  auto told = arguments.told;
  told.source.path = arguments.file;
  allow_told(told.source);
  told.source.function = choose_kernel(told.source, arguments.function);
  const auto draft = drafted(told, arguments.talk);
  const auto manifest = keep(arguments, draft);
  if (arguments.talk != Talk::quiet) {
    if (!draft.guesses.empty()) print("{}: guessed\n", draft.name);
    for (const auto& guess : draft.guesses) print("  {}\n", guess);
    print("{}: manifest {}\n", draft.name, manifest.string());
    flush();
  }
  VerifyArguments verify;
  verify.kernels = {{draft.name}, manifest.string()};
  verify.request = arguments.request;
  verify.results = arguments.results;
  verify.talk = arguments.talk;
  return verify_and_tell(verify, {[&](const run::KernelReport& report) { return explained(draft, report); },
                                  [&](run::KernelReport& report) { judge(draft, report); }});
}

}  // namespace assay::cli
