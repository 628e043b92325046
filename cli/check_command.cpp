// `assay check FILE FUNCTION`: a draft of the kernel's manifest, kept, and verified.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "cli/commands.hpp"
#include "cli/draft_files.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "cli/verify_command.hpp"
#include "harness/draft/doubt.hpp"
#include "harness/draft/draft.hpp"
#include "harness/draft/explain.hpp"
#include "harness/draft/question.hpp"
#include "harness/metal/compile/cache.hpp"
#include "harness/metal/compile/toolchain.hpp"
#include "harness/report/outputs.hpp"

namespace assay::cli {

namespace fs = std::filesystem;
namespace {

/// Of processor time, what a check takes until its cases are run; of these what compiling takes for a mode
/// that the draft has not run; and what cases get at least.
constexpr double kAll_s = 14, kCompile_s = 3, kLeast_s = 3;

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

/// The lines of these facts that nobody has told.
std::vector<std::string> lines_of(const draft::Draft& draft, draft::Doubt::Of of) {
  std::vector<std::string> lines;
  for (const draft::Doubt& one : draft.doubts) {
    if (one.of == of) lines.push_back(one.line);
  }
  return lines;
}

/// Takes back verdicts that hang on what nobody has told: a rejection whose fault is not there whatever is
/// guessed, and a pass that shows nothing. Each is judged once, however often it is asked of.
class Judge {
 public:
  explicit Judge(const draft::Draft& draft) : draft_(draft) {}

  void operator()(run::KernelReport& report) {
    const auto decisive = report.modes.begin() + (&report.decisive() - report.modes.data());
    const Verdict was = decisive->verdict;
    const int status = exit_status(was);
    if (status == 1) {
      const auto asked = question_about(*decisive);
      if (asked.empty()) return;
      decisive->text = fmt::format(
          "{}: COULD NOT BE JUDGED: a guess may be wrong, not the kernel\n  {}\n\n  With what was "
          "guessed:\n\n{}",
          draft_.name, asked, decisive->text);
      decisive->summary = fmt::format("could not be judged: {}", asked);
    } else if (const auto lines = shows_nothing(was); !lines.empty()) {
      decisive->text = fmt::format("{}: VACUOUS: {}\n  {}\n", draft_.name, lines.front(),
                                   fmt::join(lines.begin() + 1, lines.end(), "\n  "));
      decisive->summary = fmt::format("could not be judged: {}", fmt::join(lines, "; "));
    } else {
      return;
    }
    for (auto& mode : report.modes) {
      if (exit_status(mode.verdict) == status && status != 2)
        mode.verdict = status == 1 ? Verdict::error : Verdict::vacuous;
    }
    std::rotate(report.modes.begin(), decisive, decisive + 1);  // it stays the decisive one of those alike
  }

  /// What is said behind the report of a rejection that stays one.
  std::string explained(const run::KernelReport& report) {
    std::string text;
    const auto& mode = report.decisive();
    if (exit_status(mode.verdict) == 1 && !question_about(mode).empty()) return text;
    for (const auto& line : draft::explain(draft_, mode.verdict, mode.summary + " " + mode.text))
      text += line + '\n';
    return text.empty() ? text : '\n' + text;
  }

 private:
  /// What has to be told before it is a verdict on the kernel; "" where it is one.
  std::string question_about(const run::ModeReport& mode) {
    const auto [known, fresh] = asked_.try_emplace(mode.text);
    if (!fresh) return known->second;
    const auto behind = draft::doubts_behind(draft_, mode.verdict, mode.failure);
    if (behind.empty()) return {};
    const auto* const fault = draft::fault_of(mode.verdict, mode.failure);
    const bool fixed = !lines_of(draft_, draft::Doubt::Of::constants).empty();
    const auto otherwise =
        fault == nullptr || fixed
            ? draft::Otherwise{}
            : draft::otherwise(draft_, *fault, mode.failure ? mode.failure->test_case : std::string());
    if (otherwise.stands) return {};
    const std::string text = mode.summary + " " + mode.text;
    return known->second = draft::question(draft_, {mode.verdict, mode.failure, text}, behind, otherwise);
  }

  /// Why a pass, or a run that reached too little, means nothing, and what to tell; empty where it does.
  std::vector<std::string> shows_nothing(Verdict verdict) const {
    using Of = draft::Doubt::Of;
    auto lines = lines_of(draft_, Of::unknown_sizes);
    const auto with = [&](const char* why) { return lines.insert(lines.begin(), why), lines; };
    if (verdict == Verdict::vacuous && !lines.empty())
      return with("cases show nothing of buffers whose sizes are not known");
    if (verdict != Verdict::pass) return {};
    if (!draft_.idle.empty()) {
      lines.insert(lines.begin(), draft_.idle);
      return with("nothing was checked of how threads share the work");
    }
    lines = lines_of(draft_, Of::sizes);
    return lines.empty() ? lines : with("with what was guessed the kernel has next to nothing to do");
  }

  const draft::Draft& draft_;
  std::map<std::string, std::string> asked_;  // by the report
};

}  // namespace

int run_command(const CheckArguments& arguments) {
  report::check(arguments.results.outputs, "verify");
  auto told = arguments.told;
  // As the manifest will have it: what is compiled for the draft is compiled for the cases, too.
  told.source.path = fs::absolute(arguments.file).lexically_normal();
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
  // Each mode has half of what is left, after what compiling takes; the cases that fit are enough.
  const auto modes = arguments.request.mode == "both" ? 2 : 1;
  verify.request.options.enough_s = std::max(kAll_s - kCompile_s - draft::processor_s(), kLeast_s) / modes;
  verify.results = arguments.results;
  verify.talk = arguments.talk;
  Judge judge(draft);
  return verify_and_tell(verify, {[&](const run::KernelReport& report) { return judge.explained(report); },
                                  [&](run::KernelReport& report) { judge(report); }});
}

}  // namespace assay::cli
