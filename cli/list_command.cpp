#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/kernels.hpp"

namespace assay::cli {
namespace {

int list(const std::optional<std::string>& manifest) {
  const auto entries = load_manifest(manifest);
  std::size_t name = 6, operation = 9;
  for (const auto& entry : entries) {
    name = std::max(name, entry.name.size());
    operation = std::max(operation, entry.operation.size());
  }
  fmt::print("{:<{}}  {:<{}}  {:<14}  source\n", "kernel", name, "operation", operation, "tile (m n k)");
  for (const auto& entry : entries) {
    const std::string tile =
        entry.tile ? fmt::format("{} {} {}", entry.tile->m, entry.tile->n, entry.tile->k) : "-";
    fmt::print("{:<{}}  {:<{}}  {:<14}  {}\n", entry.name, name, entry.operation, operation, tile,
               entry.source.string());
  }
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Command& chosen) {
  auto manifest = std::make_shared<std::optional<std::string>>();
  auto* command = app.add_subcommand("list", "List the kernels of a manifest");
  command->add_option("--manifest", *manifest, "the kernels' manifest (default: Assay's own)");
  command->callback([manifest, &chosen] { chosen = [manifest] { return list(*manifest); }; });
}

}  // namespace assay::cli
