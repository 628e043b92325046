#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "golden/generate.hpp"
#include "harness/report/collect.hpp"
#include "harness/report/shard_choice.hpp"

namespace assay::cli {
namespace {

int tell(const Results& asked, const char* command, nlohmann::json settings, const Shard& shard,
         report::Golden found) {
  report::Results results{report::run_of(command, std::move(settings)), shard, 0, std::move(found)};
  report::write(asked.outputs, results);
  return report::exit_status(results);
}

}  // namespace

int run_command(const GoldenMakeArguments& arguments) {
  report::check(arguments.results.outputs);
  const auto& [operation, directory, seed, cases, asked] = arguments;
  const auto shard = report::choose_shard(asked.shard);
  print("{}", shard.note());
  const auto made = golden::make(operation, seed, cases, directory, shard.shard);
  for (const auto& file : made.removed) print("{}: removed; it was of another set\n", file.string());
  for (const auto& file : made.written) print("{}\n", file.string());
  return tell(asked, "golden make", {{"operation", operation}, {"seed", seed}, {"cases", cases}}, shard.shard,
              report::golden_of(cases, made.written, made.removed));
}

int run_command(const GoldenCheckArguments& arguments) {
  report::check(arguments.results.outputs);
  const auto& directory = arguments.directory;
  const auto shard = report::choose_shard(arguments.results.shard);
  print("{}", shard.note());
  const auto checked = golden::check(directory, shard.shard);
  for (const auto& lines : {checked.differing, checked.unreadable}) {
    for (const auto& line : lines) complain(line);
  }
  if (checked.differing.empty() && checked.unreadable.empty())
    print("{}: every file is what its metadata says\n", directory);
  return tell(arguments.results, "golden check", nlohmann::json::object(), shard.shard,
              report::golden_of(checked.of, checked.files, {}, checked.differing, checked.unreadable));
}

}  // namespace assay::cli
