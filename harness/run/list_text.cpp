#include "harness/run/list_text.hpp"

#include <fmt/format.h>

#include <variant>

#include "harness/verify/printable.hpp"

namespace assay::run {
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

std::string list_text(const Manifest& manifest) {
  std::vector<Row> rows = {{"kernel", "operation", "tile (m n k)", "source"}};
  for (const auto& one : manifest.entries)
    rows.push_back(std::visit([](const auto& entry) { return row_of(entry); }, one));
  std::size_t name = 0, operation = 0;
  for (const Row& row : rows) {
    name = column_width(name, row.name);
    operation = column_width(operation, row.operation);
  }
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("{:<{}}  {:<{}}  {:<14}  {}\n", row.name, name, row.operation, operation, row.tile,
                        row.source);
  }
  return text;
}

std::string names_text(const Manifest& manifest) {
  std::string text;
  for (const auto& one : manifest.entries) {
    if (const auto* entry = std::get_if<KernelEntry>(&one)) text += entry->name + "\n";
  }
  return text;
}

std::vector<std::string> faults_of(const Manifest& manifest) {
  std::vector<std::string> faults;
  for (const auto& one : manifest.entries) {
    if (const auto* faulty = std::get_if<FaultyEntry>(&one)) faults.push_back(faulty->error.what());
  }
  return faults;
}

}  // namespace assay::run
