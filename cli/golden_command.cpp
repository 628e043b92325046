#include <cstdint>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/option_values.hpp"
#include "cli/output.hpp"
#include "golden/generate.hpp"

namespace assay::cli {
namespace {

struct Arguments {
  std::string operation, directory;
  std::uint64_t seed = 1, cases = 8;
};

int make(const Arguments& arguments) {
  const auto made = golden::make(arguments.operation, arguments.seed, arguments.cases, arguments.directory);
  for (const auto& file : made.removed) print("{}: removed; it was of another set\n", file.string());
  for (const auto& file : made.written) print("{}\n", file.string());
  return 0;
}

int check(const std::string& directory) {
  const auto checked = golden::check(directory);
  for (const auto& lines : {checked.differing, checked.unreadable}) {
    for (const auto& line : lines) complain(line);
  }
  if (!checked.differing.empty()) return 1;
  if (!checked.unreadable.empty()) return 2;
  print("{}: every file is what its metadata says\n", directory);
  return 0;
}

}  // namespace

void add_golden(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<Arguments>();
  auto* golden = app.add_subcommand("golden", "Golden datasets: make them, check them");
  golden->require_subcommand(1);
  auto* make_command = golden->add_subcommand("make", "Write a dataset: the same seed gives the same bytes");
  make_command->add_option("--operation", arguments->operation, "e.g. gemm_fp4")->required();
  make_command->add_option("--seed", arguments->seed, "of the cases")
      ->transform(whole_number(0, kLargestSeed))
      ->capture_default_str();
  make_command->add_option("--cases", arguments->cases, "how many files")
      ->transform(whole_number(1, kMostCases))
      ->capture_default_str();
  make_command->add_option("--out", arguments->directory, "directory to write to")->required()->check(path());
  make_command->callback([arguments, &chosen] { chosen = [arguments] { return make(*arguments); }; });
  auto* check_command = golden->add_subcommand("check", "Regenerate every file of a directory and compare");
  check_command->add_option("directory", arguments->directory)->required()->check(path());
  check_command->callback(
      [arguments, &chosen] { chosen = [arguments] { return check(arguments->directory); }; });
}

}  // namespace assay::cli
