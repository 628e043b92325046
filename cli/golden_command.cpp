#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "golden/generate.hpp"
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

}  // namespace

int run_command(const GoldenMakeArguments& arguments) {
  const auto& [operation, directory, seed, cases, asked] = arguments;
  report::check(asked.outputs);
  const auto shard = report::choose_shard(asked.shard);
  print("{}", shard.note());
  const auto made = golden::make(operation, seed, cases, directory, shard.shard);
  for (const auto& file : made.removed) print("{}: removed; it was of another set\n", file.string());
  for (const auto& file : made.written) print("{}\n", file.string());
  return hand_out(asked, shard.shard,
                  report::run_of("golden make", {{"operation", operation}, {"seed", seed}, {"cases", cases}}),
                  report::golden_of(cases, made.written, made.removed));
}

int run_command(const GoldenCheckArguments& arguments) {
  const auto& [directory, asked] = arguments;
  report::check(asked.outputs);
  const auto shard = report::choose_shard(asked.shard);
  print("{}", shard.note());
  const auto [files, of, differing, unreadable] = golden::check(directory, shard.shard);
  for (const auto& line : differing) complain(line);
  for (const auto& line : unreadable) complain(line);
  if (differing.empty() && unreadable.empty()) print("{}: every file is what its metadata says\n", directory);
  return hand_out(asked, shard.shard, report::run_of("golden check", nlohmann::json::object()),
                  report::golden_of(of, files, {}, differing, unreadable));
}

}  // namespace assay::cli
