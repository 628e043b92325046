#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/last_words.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "golden/check.hpp"
#include "golden/make.hpp"
#include "golden/model/model_set.hpp"
#include "harness/report/collect.hpp"
#include "harness/report/shard_choice.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/pace.hpp"
#include "harness/verify/shown.hpp"

namespace assay::cli {
namespace {

// Writes the results where they were asked for; the exit status.
int hand_out(const Results& asked, const Shard& shard, report::Run run, report::Golden found) {
  const report::Results results{std::move(run), shard, 0, std::move(found)};
  report::write(asked.outputs, results);
  return report::exit_status(results);
}

// "3 of 8 files, 45 %, 312 MB a second, about 12 s left".
std::string text_of(const golden::MakeProgress& progress, double seconds) {
  std::string text = fmt::format("{} of {} files, {:.0f} %", grouped(progress.files), grouped(progress.of),
                                 100 * progress.share);
  if (seconds > 0)
    text += fmt::format(", {:.0f} MB a second", static_cast<double>(progress.bytes) / 1e6 / seconds);
  return text + left_text(progress.share, seconds);
}

// "3 of 8 files, 1.2 a second, about 12 s left".
std::string text_of(const golden::CheckProgress& progress, double seconds) {
  const auto done = static_cast<double>(progress.files);
  return fmt::format("{} of {} files, {}{}", grouped(progress.files), grouped(progress.of),
                     rate_text(done, seconds), left_text(done / static_cast<double>(progress.of), seconds));
}

std::string size_text(const std::filesystem::path& file) {
  std::error_code gone;
  const auto bytes = std::filesystem::file_size(file, gone);
  return gone ? "removed since" : counted(bytes, "byte");
}

// What is asked for, of generated cases; what goes with --from alone is refused.
golden::SetRequest set_request(const GoldenMakeArguments& arguments) {
  if (arguments.operations.size() != 1)
    throw std::invalid_argument(
        "--operation: name one operation, such as gemm_fp4; or name a model's file with --from");
  golden::SetRequest request = arguments.request;
  request.operation = arguments.operations.front();
  return request;
}

golden::ModelRequest model_request(const GoldenMakeArguments& arguments) {
  const golden::SetRequest& set = arguments.request;
  if (set.cases || set.planned || set.regime || !set.lines.empty())
    throw std::invalid_argument(
        "--cases, --case, --planned and --regime cannot be used with --from, because the values are the "
        "model's");
  return {.model = *arguments.model,
          .tensors = arguments.tensors,
          .operations = arguments.operations,
          .shapes = set.shapes,
          .group_size = set.group_size,
          .bits = set.bits,
          .arithmetic = set.arithmetic,
          .seed = set.seed};
}

// What was done, line by line.
std::string text_of(const golden::Made& made, bool named) {
  std::string lines;
  for (const auto& file : made.removed)
    lines += fmt::format("{}: removed; it belonged to another set\n", file.string());
  for (const auto& file : made.written) lines += named ? "" : file.string() + "\n";
  if (!made.kept.empty())
    lines += fmt::format("{} {} there already and whole\n", counted(made.kept.size(), "file"),
                         made.kept.size() == 1 ? "was" : "were");
  return lines + (made.index.empty() ? "no index yet: files of other shards are missing\n"
                                     : made.index.string() + "\n");
}

// What `golden make` has to say beside its files: tensors that were left out, errors of quantization.
struct MadeSet {
  golden::Made made;
  std::string left_out, table, request;
  std::vector<std::string> refused = {};  ///< why a matrix is no problem of an operation
};

MadeSet make_set(const GoldenMakeArguments& arguments, const golden::MakeOptions& options) {
  MadeSet set;
  if (!arguments.model) {
    const auto request = set_request(arguments);
    set.request = golden::to_line(request);
    set.made = golden::make(request, arguments.directory, options);
    return set;
  }
  const auto model = model_request(arguments);
  set.request = golden::to_line(model);
  auto result = golden::make(model, arguments.directory, options);
  set.made = std::move(result.made);
  for (const auto& one : result.left_out)
    set.left_out += fmt::format("{}: left out: {}\n", shown(one.name), one.reason);
  set.table = "\n" + golden::report_table(result.reports);
  for (const auto& one : result.reports) {
    if (!one.refused.empty()) set.refused.push_back(one.refused);
  }
  return set;
}

}  // namespace

int run_command(const GoldenMakeArguments& arguments) {
  const auto& asked = arguments.results;
  report::check(asked.outputs, "golden");
  const auto shard = report::choose_shard(asked.shard);
  ProgressLine line(arguments.talk);
  line.note(shard.note());
  const Stopwatch clock;
  golden::MakeProgress now;
  auto options = arguments.options;
  options.shard = shard.shard;
  options.progress = [&](const golden::MakeProgress& progress) {
    now = progress;
    if (!progress.finished.empty())
      line.detail(fmt::format("{}: {}\n", progress.finished.string(), size_text(progress.finished)));
    if (line.due()) line.show(text_of(progress, clock.seconds()));
  };
  return tell_if_interrupted(
      line,
      [&] {
        const auto set = make_set(arguments, options);
        line.note(text_of(set.made, arguments.talk == Talk::verbose));
        line.print(set.left_out);
        line.note(set.table);
        if (now.of > 0) line.detail(text_of(now, clock.seconds()) + "\n");
        std::vector<std::filesystem::path> files = set.made.written;
        files.insert(files.end(), set.made.kept.begin(), set.made.kept.end());
        const int status =
            hand_out(asked, shard.shard, report::run_of("golden make", {{"request", set.request}}),
                     report::golden_of(set.made.of, files, set.made.removed, {}, set.refused));
        if (set.made.of == 0) {
          complain("assay: no file was made: each matrix was refused in each format");
        } else if (!set.refused.empty()) {
          complain(fmt::format(
              "assay: {} of {} problems were refused, the first since {}; --tensor and --operation name "
              "others",
              grouped(set.refused.size()), grouped(set.refused.size() + set.made.of), set.refused.front()));
        }
        return status;
      },
      [&] {
        if (now.of == 0) return std::string("no file was made");
        return fmt::format(
            "{} of {} files are whole in {}; run the same command again to make the others, and the index",
            grouped(now.files), grouped(now.of), arguments.directory);
      });
}

int run_command(const GoldenCheckArguments& arguments) {
  const auto& [directory, chosen, asked, talk] = arguments;
  report::check(asked.outputs, "golden");
  const auto shard = report::choose_shard(asked.shard);
  ProgressLine line(talk);
  line.note(shard.note());
  const Stopwatch clock;
  golden::CheckProgress now;
  auto options = chosen;
  options.shard = shard.shard;
  options.progress = [&](const golden::CheckProgress& progress) {
    now = progress;
    line.detail(fmt::format("{}: {}{}\n", progress.looked_at.string(), progress.right ? "undamaged" : "wrong",
                            progress.solved ? ", its answers were computed again" : ""));
    if (line.due()) line.show(text_of(progress, clock.seconds()));
  };
  return tell_if_interrupted(
      line,
      [&, &directory = directory, &asked = asked] {
        const auto [files, of, solved, differing, unreadable] = golden::check(directory, options);
        line.take_back();
        for (const auto& one : differing) complain(one);
        for (const auto& one : unreadable) complain(one);
        if (differing.empty() && unreadable.empty()) {
          line.note(fmt::format(
              "{}: {}, no damage; the answers of {} were computed again{}\n", directory,
              counted(files.size(), "file"), grouped(solved),
              options.all ? " and every byte is the same" : ", by sample (--all computes all of them)"));
        }
        return hand_out(asked, shard.shard, report::run_of("golden check", {{"all", options.all}}),
                        report::golden_of(of, files, {}, differing, unreadable));
      },
      [&] {
        if (now.of == 0) return std::string("no file was checked");
        return fmt::format("{} of {} files were checked", grouped(now.files), grouped(now.of));
      });
}

}  // namespace assay::cli
