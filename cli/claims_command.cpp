#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "cli/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/option_values.hpp"
#include "cli/output.hpp"
#include "harness/profile/document_claims.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {
namespace {

struct Arguments {
  std::string figures;
  std::optional<std::string> manifest;
};

int claims(const Arguments& arguments) {
  const auto figures = profile::read_document_claims(arguments.figures);
  const auto entries = run::load_manifest(arguments.manifest);
  print("{}", profile::claims_page(figures, entries, std::max(1U, std::thread::hardware_concurrency())));
  return 0;
}

}  // namespace

void add_claims(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = app.add_subcommand(
      "claims", "Write the page that holds the figures of design documents against what is counted");
  command->add_option("figures", arguments->figures, "the documents' figures, e.g. docs/claims.toml")
      ->required()
      ->check(path());
  add_manifest(*command, arguments->manifest);
  command->callback([arguments, &chosen] { chosen = [arguments] { return claims(*arguments); }; });
}

}  // namespace assay::cli
