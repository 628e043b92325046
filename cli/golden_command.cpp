#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "golden/generate.hpp"

namespace assay::cli {
int run_command(const GoldenMakeArguments& arguments) {
  const auto made = golden::make(arguments.operation, arguments.seed, arguments.cases, arguments.directory);
  for (const auto& file : made.removed) print("{}: removed; it was of another set\n", file.string());
  for (const auto& file : made.written) print("{}\n", file.string());
  return 0;
}

int run_command(const GoldenCheckArguments& arguments) {
  const auto& directory = arguments.directory;
  const auto checked = golden::check(directory);
  for (const auto& lines : {checked.differing, checked.unreadable}) {
    for (const auto& line : lines) complain(line);
  }
  if (!checked.differing.empty()) return 1;
  if (!checked.unreadable.empty()) return 2;
  print("{}: every file is what its metadata says\n", directory);
  return 0;
}

}  // namespace assay::cli
