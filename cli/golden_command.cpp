#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "golden/check.hpp"
#include "golden/make.hpp"
#include "golden/model/model_set.hpp"
#include "harness/report/collect.hpp"
#include "harness/report/shard_choice.hpp"
#include "harness/verify/shown.hpp"

namespace assay::cli {
namespace {

// Writes the results where they were asked for; the exit status.
int hand_out(const Results& asked, const Shard& shard, report::Run run, report::Golden found) {
  const report::Results results{std::move(run), shard, 0, std::move(found)};
  report::write(asked.outputs, results);
  return report::exit_status(results);
}

// "3 of 8 files, 45 %, 312 MB/s, 12 s left".
std::string text_of(const golden::MakeProgress& progress, double seconds) {
  std::string text =
      fmt::format("{} of {} files, {:.0f} %", progress.files, progress.of, 100 * progress.share);
  if (seconds > 0) text += fmt::format(", {:.0f} MB/s", static_cast<double>(progress.bytes) / 1e6 / seconds);
  if (progress.share > 0.01)
    text += fmt::format(", {:.0f} s left", seconds / progress.share * (1 - progress.share));
  return text;
}

// What is asked for, of generated cases; what goes with --from alone is refused.
golden::SetRequest set_request(const GoldenMakeArguments& arguments) {
  if (arguments.operations.size() != 1)
    throw std::invalid_argument("--operation: name one, e.g. gemm_fp4; or a model's file with --from");
  golden::SetRequest request = arguments.request;
  request.operation = arguments.operations.front();
  return request;
}

golden::ModelRequest model_request(const GoldenMakeArguments& arguments) {
  const golden::SetRequest& set = arguments.request;
  if (set.cases || set.planned || set.regime || !set.lines.empty())
    throw std::invalid_argument(
        "--cases, --case, --planned, --regime: not with --from, whose values are a model's");
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
std::string text_of(const golden::Made& made) {
  std::string lines;
  for (const auto& file : made.removed)
    lines += fmt::format("{}: removed; it was of another set\n", file.string());
  for (const auto& file : made.written) lines += file.string() + "\n";
  if (!made.kept.empty()) lines += fmt::format("{} files were there already and whole\n", made.kept.size());
  return lines + (made.index.empty() ? "no index yet: files of other shards are missing\n"
                                     : made.index.string() + "\n");
}

}  // namespace

int run_command(const GoldenMakeArguments& arguments) {
  const auto& asked = arguments.results;
  report::check(asked.outputs, "golden");
  const auto shard = report::choose_shard(asked.shard);
  print("{}", shard.note());
  ProgressLine line;
  const auto started = std::chrono::steady_clock::now();
  auto options = arguments.options;
  options.shard = shard.shard;
  options.progress = [&](const golden::MakeProgress& progress) {
    line.show(
        text_of(progress, std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count()));
  };
  golden::Made made;
  std::string words, request;
  if (arguments.model) {
    const auto model = model_request(arguments);
    request = golden::to_line(model);
    auto result = golden::make(model, arguments.directory, options);
    made = std::move(result.made);
    for (const auto& one : result.left_out)
      words += fmt::format("{}: left out: {}\n", shown(one.name), one.reason);
    words += "\n" + golden::report_table(result.reports);
  } else {
    const auto set = set_request(arguments);
    request = golden::to_line(set);
    made = golden::make(set, arguments.directory, options);
  }
  line.print(text_of(made) + words);
  std::vector<std::filesystem::path> files = made.written;
  files.insert(files.end(), made.kept.begin(), made.kept.end());
  return hand_out(asked, shard.shard, report::run_of("golden make", {{"request", request}}),
                  report::golden_of(made.of, files, made.removed));
}

int run_command(const GoldenCheckArguments& arguments) {
  const auto& [directory, chosen, asked] = arguments;
  report::check(asked.outputs, "golden");
  const auto shard = report::choose_shard(asked.shard);
  print("{}", shard.note());
  auto options = chosen;
  options.shard = shard.shard;
  const auto [files, of, solved, differing, unreadable] = golden::check(directory, options);
  for (const auto& line : differing) complain(line);
  for (const auto& line : unreadable) complain(line);
  if (differing.empty() && unreadable.empty()) {
    print("{}: {} files, none damaged; {} solved again{}\n", directory, files.size(), solved,
          options.all ? ", every byte is as it was made" : " by sample (--all: every case)");
  }
  return hand_out(asked, shard.shard, report::run_of("golden check", {{"all", options.all}}),
                  report::golden_of(of, files, {}, differing, unreadable));
}

}  // namespace assay::cli
