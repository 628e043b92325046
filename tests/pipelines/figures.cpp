#include "tests/pipelines/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "harness/process/pool.hpp"

namespace assay::tests {
namespace {

using profile::DocumentFigure;
using profile::FigureValues;

/// The expression for a kernel of so many buffers.
std::string filled(std::string_view expression, std::int64_t stages) {
  std::string text(expression);
  const std::string_view place = "{stages}";
  if (const auto at = text.find(place); at != std::string::npos)
    text.replace(at, place.size(), std::to_string(stages));
  return text;
}

DocumentFigure figure_of(const KernelEntry& entry, std::string_view of, std::string_view expression) {
  DocumentFigure figure;
  figure.of = of;
  figure.kernel = entry.name;
  figure.measured = Expression(expression);
  return figure;
}

/// The first of the expressions whose counters the kernel has; nothing where it has those of none.
std::optional<Figure> measured(const FigureValues& values, const KernelEntry& entry, const Column& column,
                               std::int64_t stages) {
  const auto& figures = values.find(entry.name)->figures;
  for (const auto expression : column.measured) {
    const auto figure = figure_of(entry, column.key, filled(expression, stages));
    const auto& names = figure.measured.names();
    const bool counted = std::all_of(names.begin(), names.end(), [&](const auto& name) {
      return figures.contains(name) || name.starts_with("tile_");
    });
    if (counted) return values.measure(figure);
  }
  return std::nullopt;
}

/// What documents state of the kernel by one of the expressions.
std::vector<Stated> stated(const FigureValues& values, const profile::DocumentClaims& claims,
                           const KernelEntry& entry, const std::vector<std::string>& expressions) {
  std::vector<Stated> all;
  for (const auto& document : claims.documents) {
    for (const auto& figure : document.figures) {
      if (figure.source != profile::Source::counted || figure.kernel != entry.name || !figure.at.empty() ||
          std::find(expressions.begin(), expressions.end(), figure.measured.text()) == expressions.end())
        continue;
      all.push_back(
          {document.name, figure.section, figure.says, values.agrees(figure, values.measure(figure))});
    }
  }
  return all;
}

Pipeline of_kernel(const FigureValues& values, const profile::DocumentClaims& claims,
                   const KernelEntry& entry) {
  Pipeline one{.entry = &entry, .matrices = declared_matrices(entry)};
  const auto stages = measured(values, entry, columns_of("memory").front(), 0);
  if (!stages) throw std::runtime_error(entry.name + " has no tiles of A to count");
  one.stages = static_cast<std::int64_t>(stages->low);
  for (const auto table : tables()) {
    for (const auto& column : columns_of(table)) {
      const auto value = measured(values, entry, column, one.stages);
      if (!value) continue;
      std::vector<std::string> expressions;
      for (const auto* list : {&column.measured, &column.also}) {
        for (const auto expression : *list) expressions.push_back(filled(expression, one.stages));
      }
      one.values[column.key] = {*value, stated(values, claims, entry, expressions)};
    }
  }
  const auto& matrices = one.matrices;
  one.values["sums_declared"].measured = static_cast<double>(matrices.floats);
  one.values["fragments_declared"].measured = static_cast<double>(matrices.halves);
  one.values["matrix_bytes"].measured = static_cast<double>(matrices.bytes());
  one.values["lane_words"].measured = static_cast<double>(matrices.bytes()) / (32 * 4);
  return one;
}

/// Four buffers, of which there is no kernel: out of the counters of one with three.
Pipeline of_four_stages(const FigureValues& values, const profile::DocumentClaims& claims,
                        const KernelEntry& entry) {
  Pipeline four{.entry = &entry, .stages = 4, .worked_out = true};
  four.values["stages"].measured = 4.0;
  for (const auto table : tables()) {
    for (const auto& column : columns_of(table)) {
      if (column.four_stages.empty()) continue;
      const auto figure = figure_of(entry, column.key, column.four_stages);
      four.values[column.key] = {values.measure(figure),
                                 stated(values, claims, entry, {std::string(column.four_stages)})};
    }
  }
  return four;
}

}  // namespace

std::string Pipeline::name() const { return worked_out ? "four buffers" : entry->name; }

std::string Pipeline::tile() const {
  return fmt::format("{}x{}x{}", entry->tile->m, entry->tile->n, entry->tile->k);
}

std::vector<Pipeline> pipelines(const std::vector<KernelEntry>& manifest,
                                const profile::DocumentClaims& claims) {
  std::vector<const KernelEntry*> kernels;
  for (const auto& entry : manifest) {
    if (entry.operation.starts_with("gemm_fp4") && entry.tile) kernels.push_back(&entry);
  }
  // What the documents say of these kernels alone, and a figure for each kernel of which they say nothing.
  profile::DocumentClaims ours = claims;
  for (auto& document : ours.documents) {
    std::erase_if(document.figures, [&](const DocumentFigure& figure) {
      return std::none_of(kernels.begin(), kernels.end(),
                          [&](const auto* kernel) { return kernel->name == figure.kernel; }) ||
             !figure.at.empty();
    });
  }
  auto& counted = ours.documents.emplace_back();
  for (const auto* kernel : kernels) counted.figures.push_back(figure_of(*kernel, "threads", "threads"));
  const FigureValues values(ours, manifest, process::cores());
  counted.figures.clear();

  std::vector<Pipeline> all;
  for (const auto* kernel : kernels) all.push_back(of_kernel(values, ours, *kernel));
  std::stable_sort(all.begin(), all.end(),
                   [](const Pipeline& a, const Pipeline& b) { return a.stages < b.stages; });
  const auto three =
      std::find_if(all.begin(), all.end(), [](const Pipeline& one) { return one.stages == 3; });
  if (three != all.end()) all.push_back(of_four_stages(values, ours, *three->entry));
  return all;
}

}  // namespace assay::tests
