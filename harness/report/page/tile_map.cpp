#include "harness/report/page/tile_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <vector>

#include "harness/verify/numbers.hpp"

namespace assay::report::page {
namespace {

constexpr double kMapLeft = 44, kMapTop = 22, kMapSide = 352;
constexpr std::size_t kStorerColours = 8, kStorersNamed = 12;
/// With more cells than that, cells of one colour are one path, and nothing says what a single one holds.
constexpr std::size_t kMostNamedCells = 600;

constexpr std::size_t kUnwritten = 6, kBeyond = 5;
constexpr std::array<const char*, 7> kLevels = {
    "right",           "up to 2 times what is allowed", "up to 10 times",
    "up to 100 times", "more than 100 times",           "infinite or NaN",
    "never written"};

std::size_t level_of(const MapCell& cell) {
  if (cell.wrong == cell.never_written) return kUnwritten;
  if (cell.beyond) return kBeyond;
  const double times = cell.times.value_or(0);
  return times <= 2 ? 1 : times <= 10 ? 2 : times <= 100 ? 3 : 4;
}

/// Where cells lie in the drawing.
struct MapFrame {
  explicit MapFrame(const OutputGrid& of)
      : grid(of),
        cell(std::clamp(kMapSide / static_cast<double>(std::max(of.rows, of.columns)), 5.5, 22.0)) {}
  double x(std::uint64_t column) const { return kMapLeft + static_cast<double>(column) * cell; }
  double y(std::uint64_t row) const { return kMapTop + static_cast<double>(row) * cell; }
  double width() const { return std::max(x(grid.columns) + 6, 190.0); }
  double height() const { return y(grid.rows) + 6; }

  const OutputGrid& grid;
  double cell;
};

// One path through all cells of each class: runs of a row are one rectangle of it.
Html cells_by_class(const MapFrame& frame, const std::vector<std::size_t>& classes, const char* prefix) {
  std::map<std::size_t, std::string> paths;
  const auto& grid = frame.grid;
  for (std::uint64_t row = 0; row < grid.rows; ++row) {
    for (std::uint64_t column = 0; column < grid.columns;) {
      const auto which = classes[row * grid.columns + column];
      std::uint64_t end = column + 1;
      while (end < grid.columns && classes[row * grid.columns + end] == which) ++end;
      paths[which] +=
          fmt::format("M{} {}h{}v{}h-{}z", coordinate(frame.x(column)), coordinate(frame.y(row)),
                      coordinate(static_cast<double>(end - column) * frame.cell), coordinate(frame.cell),
                      coordinate(static_cast<double>(end - column) * frame.cell));
      column = end;
    }
  }
  Html all;
  for (const auto& [which, path] : paths)
    all += void_tag("path", {{"d", path}, {"class", fmt::format("{}{}", prefix, which)}});
  return all;
}

std::string words_of_cell(const MapCell& cell, const OutputGrid& grid) {
  const auto row = cell.row * grid.cell_rows, column = cell.column * grid.cell_columns;
  auto text = grid.cell_rows * grid.cell_columns == 1
                  ? fmt::format("row {}, column {}: ", row, column)
                  : fmt::format("from row {}, column {}: {} wrong, ", row, column, grouped(cell.wrong));
  const auto level = level_of(cell);
  if (level < kBeyond && cell.times) return text + fmt::format("{:.3g} times what is allowed", *cell.times);
  return text + kLevels[level];
}

Html named_cells(const MapFrame& frame) {
  Html all;
  for (const MapCell& cell : frame.grid.cells) {
    all += tag("rect",
               {{"x", coordinate(frame.x(cell.column))},
                {"y", coordinate(frame.y(cell.row))},
                {"width", coordinate(frame.cell)},
                {"height", coordinate(frame.cell)},
                {"class", fmt::format("o{}", level_of(cell))}},
               tag("title", words_of_cell(cell, frame.grid)));
  }
  return all;
}

// Borders of tiles, and the numbers of rows and columns at them.
Html axes(const MapFrame& frame) {
  const auto& grid = frame.grid;
  std::string tiles, edges;
  Html labels;
  const auto spaced = [&](std::uint64_t at, std::uint64_t band, double least) {
    const double step = static_cast<double>(band) * frame.cell;
    const auto every = static_cast<std::uint64_t>(std::max(1.0, least / step));
    return (at / band) % every == 0;
  };
  for (std::uint64_t row = 0; row < grid.rows; row += grid.band_rows) {
    if (row > 0)
      tiles += fmt::format("M{} {}H{}", coordinate(kMapLeft), coordinate(frame.y(row)),
                           coordinate(frame.x(grid.columns)));
    if (spaced(row, grid.band_rows, 16))
      labels += svg_text(kMapLeft - 6, frame.y(row) + std::min(frame.cell, 14.0) * .75,
                         fmt::format("{}", row * grid.cell_rows), "faint-text small-text", "end");
  }
  for (std::uint64_t column = 0; column < grid.columns; column += grid.band_columns) {
    if (column > 0)
      tiles += fmt::format("M{} {}V{}", coordinate(frame.x(column)), coordinate(kMapTop),
                           coordinate(frame.y(grid.rows)));
    if (spaced(column, grid.band_columns, 38))
      labels += svg_text(frame.x(column) + 1, kMapTop - 7, fmt::format("{}", column * grid.cell_columns),
                         "faint-text small-text");
  }
  edges =
      fmt::format("M{} {}H{}V{}H{}z", coordinate(kMapLeft), coordinate(kMapTop),
                  coordinate(frame.x(grid.columns)), coordinate(frame.y(grid.rows)), coordinate(kMapLeft));
  return labels + (tiles.empty() ? Html() : void_tag("path", {{"d", tiles}, {"class", "tile"}})) +
         void_tag("path", {{"d", edges}, {"class", "axis"}});
}

Html legend_of(const std::vector<std::pair<std::string, std::string>>& entries) {
  Html items;
  for (const auto& [class_name, words] : entries) items += tag("li", swatch(class_name) + words);
  return tag("ul", {{"class", "legend"}}, items);
}

std::string cell_words(const OutputGrid& grid) {
  return grid.cell_rows * grid.cell_columns == 1
             ? "A cell is an element."
             : fmt::format("A cell is {} x {} elements, and shows the worst of them.", grid.cell_rows,
                           grid.cell_columns);
}

Html map_of_errors(const WrongOutput& output, Ids& ids) {
  const OutputGrid& grid = *output.grid;
  const MapFrame frame(grid);
  std::vector<std::size_t> classes(grid.rows * grid.columns, 0);
  std::array<std::uint64_t, kLevels.size()> cells{};
  for (const MapCell& cell : grid.cells) {
    classes[cell.row * grid.columns + cell.column] = level_of(cell);
    ++cells[level_of(cell)];
  }
  cells[0] = grid.rows * grid.columns - grid.cells.size();
  std::vector<std::pair<std::string, std::string>> entries;
  std::string about = fmt::format("Map of {}: rows {} and columns {} have wrong elements.", output.tensor,
                                  output.rows, output.columns);
  for (std::size_t level = 0; level < kLevels.size(); ++level) {
    if (cells[level] == 0) continue;
    entries.emplace_back(fmt::format("o{}", level), kLevels[level]);
    about += fmt::format(" {}: {}.", kLevels[level], counted(cells[level], "cell", "cells"));
  }
  const bool named = grid.cells.size() <= kMostNamedCells;
  const Html right = named ? cells_by_class(frame, std::vector<std::size_t>(classes.size(), 0), "o") : Html();
  const Html content =
      right + (named ? named_cells(frame) : cells_by_class(frame, classes, "o")) + axes(frame);
  return tag("figure", {tag("h5", "How far off"),
                        drawing(frame.width(), frame.height(), "Which elements are wrong, and by how much",
                                about, content, ids),
                        legend_of(entries), tag("figcaption", cell_words(grid))});
}

Html map_of_storers(const WrongOutput& output, Ids& ids) {
  const OutputGrid& grid = *output.grid;
  if (grid.stored_by.empty()) return {};
  const MapFrame frame(grid);
  std::vector<std::size_t> classes;
  bool nobody = false;
  for (const auto who : grid.stored_by) {
    nobody |= who < 0;
    classes.push_back(who < 0 ? kStorerColours : static_cast<std::size_t>(who) % kStorerColours);
  }
  std::vector<std::pair<std::string, std::string>> entries;
  std::string about = fmt::format("Map of {}: who stored each element.", output.tensor);
  for (std::size_t i = 0; i < std::min(grid.storers.size(), kStorersNamed); ++i) {
    entries.emplace_back(fmt::format("w{}", i % kStorerColours), grid.storers[i]);
    about += fmt::format(
        " {}: {}.", grid.storers[i],
        counted(static_cast<std::uint64_t>(std::count(grid.stored_by.begin(), grid.stored_by.end(), i)),
                "cell", "cells"));
  }
  if (nobody) entries.emplace_back(fmt::format("w{}", kStorerColours), "nobody");
  auto caption = std::string("As a run in checked mode saw it.");
  if (grid.storers.size() > kStorersNamed)
    caption += fmt::format(" And {} more; colours repeat after {}.", grid.storers.size() - kStorersNamed,
                           kStorerColours);
  return tag("figure", {tag("h5", "Who stored it"),
                        drawing(frame.width(), frame.height(), "Who stored each element", about,
                                cells_by_class(frame, classes, "w") + axes(frame), ids),
                        legend_of(entries), tag("figcaption", caption)});
}

}  // namespace

Html tile_maps(const WrongOutput& output, Ids& ids) {
  if (!output.grid) return {};
  return tag("div", {{"class", "figures"}}, map_of_errors(output, ids) + map_of_storers(output, ids));
}

Html element_table(const WrongOutput& output) {
  const bool storers = std::any_of(output.shown.begin(), output.shown.end(),
                                   [](const ShownElement& one) { return !one.stored_by.empty(); });
  std::vector<Column> columns = {{"Row", true},          {"Column", true},     {"Got", true},
                                 {"Expected", true},     {"Difference", true}, {"Allowed", true},
                                 {"Times allowed", true}};
  if (storers) columns.push_back({"Stored by"});
  std::vector<std::vector<Html>> rows;
  for (const ShownElement& one : output.shown) {
    rows.push_back(
        {grouped(one.row), grouped(one.column), one.text.got, one.text.expected, one.text.difference,
         one.text.allowed,
         Html{one.times ? fmt::format("{:.3g}", *one.times) : "\u2013", one.worst ? " (worst)" : ""}});
    if (storers) rows.back().push_back(one.stored_by);
  }
  const auto more = output.wrong - std::min<std::uint64_t>(output.wrong, output.shown.size());
  const auto caption = more == 0 ? std::string("All wrong elements")
                                 : fmt::format("{} of the {} wrong elements, spread over all of them",
                                               output.shown.size(), grouped(output.wrong));
  return scrolling("Wrong elements of " + output.tensor, table(caption, columns, rows));
}

}  // namespace assay::report::page
