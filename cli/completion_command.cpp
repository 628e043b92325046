// `assay completion`: the script that a shell reads.
#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/output.hpp"

namespace assay::cli {

int run_command(const CompletionArguments& arguments) {
  write(completion_script(command_words(), arguments.shell));
  return 0;
}

}  // namespace assay::cli
