#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/profile/document_claims.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {

int run_command(const ClaimsArguments& arguments) {
  const auto figures = profile::read_document_claims(arguments.figures);
  const auto entries = run::load_manifest(arguments.kernels.manifest);
  print("{}", profile::claims_page(figures, entries, std::max(1U, std::thread::hardware_concurrency())));
  return 0;
}

}  // namespace assay::cli
