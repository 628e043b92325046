#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {
namespace {

struct Row {
  std::string name, operation, tile, source;
};

Row row_of(const KernelEntry& entry) {
  return {entry.name, entry.operation,
          entry.tile ? fmt::format("{} {} {}", entry.tile->m, entry.tile->n, entry.tile->k) : "-",
          entry.source.string()};
}

Row row_of(const FaultyEntry& faulty) {
  return {faulty.name.empty() ? "-" : faulty.name, "faulty", "-", "-"};
}

}  // namespace

int run_command(const ListArguments& arguments) {
  const auto manifest = run::load_entries(arguments.kernels.manifest);
  const auto complain_of_faulty = [&] {
    int status = 0;
    for (const auto& one : manifest.entries) {
      const auto* faulty = std::get_if<FaultyEntry>(&one);
      if (faulty == nullptr) continue;
      complain(fmt::format("assay: {}", faulty->error.what()));
      status = 2;
    }
    return status;
  };
  if (arguments.names) {
    for (const auto& one : manifest.entries) {
      if (const auto* entry = std::get_if<KernelEntry>(&one)) print("{}\n", entry->name);
    }
    return complain_of_faulty();
  }
  std::vector<Row> rows;
  for (const auto& one : manifest.entries)
    rows.push_back(std::visit([](const auto& entry) { return row_of(entry); }, one));
  std::size_t name = 6, operation = 9;
  for (const Row& row : rows) {
    name = column_width(name, row.name);
    operation = column_width(operation, row.operation);
  }
  print("{:<{}}  {:<{}}  {:<14}  source\n", "kernel", name, "operation", operation, "tile (m n k)");
  for (const Row& row : rows) {
    print("{:<{}}  {:<{}}  {:<14}  {}\n", row.name, name, row.operation, operation, row.tile, row.source);
  }
  return complain_of_faulty();
}

}  // namespace assay::cli
