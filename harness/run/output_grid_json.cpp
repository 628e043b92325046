#include "harness/run/output_grid_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "harness/remote/json_parts.hpp"
#include "harness/verify/numbers.hpp"

namespace assay::run {
namespace {

using nlohmann::json;
using remote::list_to_json;
using remote::optional_from;
using remote::optional_to_json;

/// Maps are of at most 64 x 64 cells; whoever draws one must not be given more.
constexpr std::uint64_t kMostCells = 64;
/// Cells between the borders of tiles, which may be more than there are.
constexpr std::uint64_t kMostBand = std::uint64_t{1} << 32;

double decimal_or_throw(const std::string& text) {
  std::size_t read = 0;
  const double value = std::stod(text, &read);
  if (read != text.size() || !std::isfinite(value)) throw std::invalid_argument("no number: " + text);
  return value;
}

// There may be thousands: each is one text, "row column wrong never_written times", where times is how many
// times further off it is than it may be, `-` where nothing was written and `beyond` for an infinity or a
// NaN.
std::string text_of_cell(const MapCell& cell) {
  const auto times = cell.times ? fmt::format("{}", *cell.times) : "-";
  return fmt::format("{} {} {} {} {}{}", cell.row, cell.column, cell.wrong, cell.never_written, times,
                     cell.beyond ? " beyond" : "");
}

MapCell cell_from(const std::string& text) {
  std::istringstream in(text);
  MapCell cell;
  std::string times, beyond;
  in >> cell.row >> cell.column >> cell.wrong >> cell.never_written >> times >> beyond;
  if (times != "-") cell.times = decimal_or_throw(times);
  cell.beyond = beyond == "beyond";
  // Whatever else the text may say is none.
  if (text_of_cell(cell) != text) throw std::invalid_argument("no cell of a map: " + text);
  return cell;
}

// A row of a map: "0x32 1x31", an index as often as it comes, or `-` for nobody.
std::vector<std::string> rows_of_storers(const OutputGrid& grid) {
  std::vector<std::string> rows;
  for (std::size_t begin = 0; begin < grid.stored_by.size(); begin += grid.columns) {
    std::string row;
    for (std::size_t at = begin; at < begin + grid.columns;) {
      const auto who = grid.stored_by[at];
      std::size_t end = at;
      while (end < begin + grid.columns && grid.stored_by[end] == who) ++end;
      row += fmt::format("{}{}x{}", row.empty() ? "" : " ", who < 0 ? "-" : fmt::format("{}", who), end - at);
      at = end;
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::int64_t> storers_from(const std::vector<std::string>& rows, std::uint64_t columns) {
  std::vector<std::int64_t> all;
  for (const std::string& row : rows) {
    const std::size_t begin = all.size();
    std::istringstream in(row);
    for (std::string run; in >> run;) {
      const auto cross = run.find('x');
      if (cross == std::string::npos) throw std::invalid_argument("no row of a map: " + row);
      const auto who = run.substr(0, cross);
      const auto times = assay::whole_number_in(std::string_view(run).substr(cross + 1)).value_or(0);
      const auto index = who == "-" ? std::optional<std::uint64_t>(0) : assay::whole_number_in(who);
      if (!index || *index > kMostCells * kMostCells || times == 0 || times > columns)
        throw std::invalid_argument("no row of a map: " + row);
      all.insert(all.end(), times, who == "-" ? -1 : static_cast<std::int64_t>(*index));
    }
    if (all.size() - begin != columns)
      throw std::invalid_argument("a row of a map is not as wide as it: " + row);
    if (rows.size() > kMostCells) throw std::invalid_argument("a map has too many rows");
  }
  return all;
}

}  // namespace

json to_json(const OutputGrid& grid) {
  return {{"rows", grid.rows},
          {"columns", grid.columns},
          {"cell_rows", grid.cell_rows},
          {"cell_columns", grid.cell_columns},
          {"band_rows", grid.band_rows},
          {"band_columns", grid.band_columns},
          {"cells", list_to_json(grid.cells, text_of_cell)},
          {"stored_by", rows_of_storers(grid)},
          {"storers", grid.storers}};
}

OutputGrid grid_from(const json& from) {
  OutputGrid grid;
  const auto side = [&](const char* name, std::uint64_t most) {
    const auto value = from.at(name).get<std::uint64_t>();
    if (value == 0 || value > most)
      throw std::invalid_argument(std::string(name) + " of a map is out of range");
    return value;
  };
  grid.rows = side("rows", kMostCells);
  grid.columns = side("columns", kMostCells);
  grid.cell_rows = side("cell_rows", UINT64_MAX);
  grid.cell_columns = side("cell_columns", UINT64_MAX);
  grid.band_rows = side("band_rows", kMostBand);
  grid.band_columns = side("band_columns", kMostBand);
  for (const auto& one : from.at("cells")) {
    grid.cells.push_back(cell_from(one.get<std::string>()));
    if (grid.cells.back().row >= grid.rows || grid.cells.back().column >= grid.columns)
      throw std::invalid_argument("a cell lies outside of its map");
  }
  grid.storers = from.at("storers").get<std::vector<std::string>>();
  grid.stored_by = storers_from(from.at("stored_by").get<std::vector<std::string>>(), grid.columns);
  if (!grid.stored_by.empty() && grid.stored_by.size() != grid.rows * grid.columns)
    throw std::invalid_argument("stored_by does not fit its map");
  for (const auto who : grid.stored_by) {
    if (who < -1 || who >= static_cast<std::int64_t>(grid.storers.size()))
      throw std::invalid_argument("stored_by names nobody");
  }
  return grid;
}

}  // namespace assay::run
