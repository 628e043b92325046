#include "harness/verify/output_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/verify/map_axis.hpp"

namespace assay {
namespace {

constexpr std::size_t kRepeatsDrawn = 4;  // longer runs of equal lines are said in words
constexpr std::size_t kLabelWidth = 8;

class Picture {
 public:
  Picture(const Comparison& comparison, MapAxis rows, MapAxis columns)
      : rows_(rows), columns_(columns), cells_(rows.cells, std::string(columns.cells, '.')) {
    for (const WrongElement& element : comparison.wrong) {
      char& cell = cells_[element.row / rows_.cell][element.column / columns_.cell];
      if (cell != '#') cell = element.never_written ? '?' : '#';
    }
  }

  std::string draw(std::size_t indent) const {
    const std::string margin(indent, ' ');
    std::string text = margin + header();
    for (std::size_t r = 0; r < rows_.cells; ++r) {
      if (r == 0 || rows_.has_border(r)) text += margin + border();
      const std::size_t run = run_from(r);
      text +=
          margin + fmt::format("{:>{}} {}\n", r * rows_.cell, kLabelWidth, with_borders(cells_[r], '|', '|'));
      if (run <= kRepeatsDrawn) continue;
      text += margin + fmt::format("{:>{}} the next {} lines are the same\n", ":", kLabelWidth, run - 1);
      r += run - 1;
    }
    return text + margin + border();
  }

 private:
  /// How many lines from `r` on are equal, within one band.
  std::size_t run_from(std::size_t r) const {
    std::size_t end = r + 1;
    while (end < rows_.cells && !rows_.has_border(end) && cells_[end] == cells_[r]) ++end;
    return end - r;
  }

  std::string with_borders(const std::string& cells, char edge, char inner) const {
    std::string line(1, edge);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (columns_.has_border(c)) line += inner;
      line += cells[c];
    }
    return line + edge;
  }

  std::string border() const {
    return std::string(kLabelWidth + 1, ' ') + with_borders(std::string(columns_.cells, '-'), '+', '+') +
           '\n';
  }

  /// Column numbers above the first character of each band, where they fit.
  std::string header() const {
    std::string line(kLabelWidth + 2, ' ');
    std::size_t at = line.size();
    for (std::size_t c = 0; c < columns_.cells; ++c) {
      if (columns_.has_border(c)) ++at;
      if ((c == 0 || columns_.has_border(c)) && line.size() <= at) {
        line.resize(at, ' ');
        line += std::to_string(c * columns_.cell) + ' ';
      }
      ++at;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
  }

  MapAxis rows_, columns_;
  std::vector<std::string> cells_;
};

}  // namespace

std::string output_map(const Comparison& comparison, const std::optional<Tile>& tile, std::size_t indent) {
  const Matrix matrix = comparison.matrix();
  const MapAxis rows = map_axis(matrix.rows, tile ? static_cast<std::size_t>(tile->m) : 0);
  const MapAxis columns = map_axis(matrix.columns, tile ? static_cast<std::size_t>(tile->n) : 0);
  const std::string margin(indent, ' ');
  std::string legend = ". right   # wrong   ? never written";
  if (rows.cell > 1 || columns.cell > 1)
    legend += fmt::format("   (a character is {} x {} elements)", rows.cell, columns.cell);
  if (rows.band < rows.cells || columns.band < columns.cells)
    legend += fmt::format("   tiles of {} x {}", tile->m, tile->n);
  return margin + legend + '\n' + Picture(comparison, rows, columns).draw(indent);
}

}  // namespace assay
