#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "golden/check.hpp"
#include "golden/make.hpp"
#include "harness/report/collect.hpp"
#include "harness/report/shard_choice.hpp"

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
  std::string text = fmt::format("{} of {} files, {:.0f} %", progress.files, progress.of, 100 * progress.share);
  if (seconds > 0) text += fmt::format(", {:.0f} MB/s", static_cast<double>(progress.bytes) / 1e6 / seconds);
  if (progress.share > 0.01)
    text += fmt::format(", {:.0f} s left", seconds / progress.share * (1 - progress.share));
  return text;
}

}  // namespace

int run_command(const GoldenMakeArguments& arguments) {
  const auto& [request, directory, chosen, asked] = arguments;
  report::check(asked.outputs);
  const auto shard = report::choose_shard(asked.shard);
  print("{}", shard.note());
  ProgressLine line;
  const auto started = std::chrono::steady_clock::now();
  auto options = chosen;
  options.shard = shard.shard;
  options.progress = [&](const golden::MakeProgress& progress) {
    line.show(text_of(progress, std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count()));
  };
  const auto made = golden::make(request, directory, options);
  std::string lines;
  for (const auto& file : made.removed) lines += fmt::format("{}: removed; it was of another set\n", file.string());
  for (const auto& file : made.written) lines += file.string() + "\n";
  if (!made.kept.empty()) lines += fmt::format("{} files were there already and whole\n", made.kept.size());
  lines += made.index.empty() ? "no index yet: files of other shards are missing\n" : made.index.string() + "\n";
  line.print(lines);
  std::vector<std::filesystem::path> files = made.written;
  files.insert(files.end(), made.kept.begin(), made.kept.end());
  return hand_out(asked, shard.shard, report::run_of("golden make", {{"request", golden::to_line(request)}}),
                  report::golden_of(made.of, files, made.removed));
}

int run_command(const GoldenCheckArguments& arguments) {
  const auto& [directory, chosen, asked] = arguments;
  report::check(asked.outputs);
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
