#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "golden/show.hpp"

namespace assay::cli {

int run_command(const GoldenShowArguments& arguments) {
  write(golden::show(arguments.file));
  return 0;
}

}  // namespace assay::cli
