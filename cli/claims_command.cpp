#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/process/slots.hpp"
#include "harness/profile/document_claims.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {

int run_command(const ClaimsArguments& arguments) {
  const auto figures = profile::read_document_claims(arguments.figures);
  const auto entries = run::load_manifest(arguments.kernels.manifest);
  write(profile::claims_page(figures, entries, process::cores()));
  return 0;
}

}  // namespace assay::cli
