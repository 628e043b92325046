#include "cli/commands.hpp"
#include "cli/last_words.hpp"
#include "cli/output.hpp"
#include "cli/profile_progress.hpp"
#include "cli/progress_line.hpp"
#include "harness/process/slots.hpp"
#include "harness/profile/document_claims.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {

int run_command(const ClaimsArguments& arguments) {
  const auto figures = profile::read_document_claims(arguments.figures);
  const auto entries = run::load_manifest(arguments.kernels.manifest);
  ProgressLine line(arguments.talk);
  ProfileProgress progress;
  const auto ended = [&](const profile::ProfileStep& step) {
    progress.at(step);
    if (arguments.talk == Talk::verbose)
      complain(ProfileProgress::detail(step));  // the page is on standard output
    if (line.due()) line.show(progress.line(step));
  };
  return tell_if_interrupted(
      line,
      [&] {
        const auto page = profile::claims_page(figures, entries, process::cores(), ended);
        line.print(page);
        return 0;
      },
      [&] { return progress.words() + "; no page was written"; });
}

}  // namespace assay::cli
