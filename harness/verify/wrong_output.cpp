#include "harness/verify/wrong_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "harness/verify/judge.hpp"
#include "harness/verify/map_axis.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/report.hpp"

namespace assay {
namespace {

constexpr std::size_t kShown = 24;

/// From one value of a type to the next, at that magnitude.
double step_at(DType dtype, double value) {
  const auto floating = [&](int digits, int least) {
    if (value == 0 || !std::isfinite(value)) return std::ldexp(1.0, least);
    return std::ldexp(1.0, std::max(std::ilogb(value) - digits, least));
  };
  switch (dtype) {
    case DType::f16:
      return floating(10, -24);
    case DType::bf16:
      return floating(7, -133);
    case DType::f32:
      return floating(23, -149);
    case DType::f64:
      return floating(52, -1074);
    default:
      return 1;
  }
}

// How far the result may be off on the side on which it lies.
double allowed_of(const WrongElement& element) {
  // The exact result may lie outside, where no value of the output's type is that near to it.
  const bool above = element.got > element.high;
  return std::max(0.0, above ? element.high - element.expected : element.expected - element.low);
}

std::string share_of(const std::vector<std::size_t>& wrong, std::size_t all) {
  return wrong.size() == all
             ? fmt::format("all {}", grouped(all))
             : fmt::format("{} ({} of {})", ranges(wrong), grouped(wrong.size()), grouped(all));
}

std::string storer_text(const device::Writer& writer) {
  if (writer.threadgroup == device::Writer::kNobody) return "";
  if (writer.simdgroup == device::Writer::kNobody) return fmt::format("threadgroup {}", writer.threadgroup);
  return fmt::format("simdgroup {} of threadgroup {}", writer.simdgroup, writer.threadgroup);
}

std::vector<ShownElement> shown_of(const Comparison& comparison) {
  const std::size_t wrong = comparison.wrong.size();
  std::set<std::size_t> which{comparison.worst};
  for (std::size_t i = 0; i < kShown; ++i) which.insert(i * (wrong - 1) / (kShown - 1));
  std::vector<ShownElement> shown;
  for (const std::size_t i : which) {
    const WrongElement& element = comparison.wrong[i];
    shown.push_back({element.row, element.column, element.never_written,
                     wrong > 1 && i == comparison.worst && !element.never_written,
                     text_of(comparison.dtype, element), times_allowed(comparison.dtype, element), ""});
  }
  return shown;
}

OutputGrid grid_of(const Comparison& comparison, const std::optional<Tile>& tile) {
  const Matrix matrix = comparison.matrix();
  const MapAxis rows = map_axis(matrix.rows, tile ? static_cast<std::size_t>(tile->m) : 0);
  const MapAxis columns = map_axis(matrix.columns, tile ? static_cast<std::size_t>(tile->n) : 0);
  OutputGrid grid{rows.cells, columns.cells, rows.cell, columns.cell, rows.band, columns.band, {}, {}, {}};
  std::map<std::pair<std::size_t, std::size_t>, MapCell> cells;
  for (const WrongElement& element : comparison.wrong) {
    const std::size_t row = element.row / rows.cell, column = element.column / columns.cell;
    MapCell& cell = cells[{row, column}];
    cell.row = row;
    cell.column = column;
    ++cell.wrong;
    if (element.never_written) {
      ++cell.never_written;
    } else if (const auto times = times_allowed(comparison.dtype, element)) {
      cell.times = std::max(cell.times.value_or(0), *times);
    } else {
      cell.beyond = true;
    }
  }
  for (const auto& [place, cell] : cells) grid.cells.push_back(cell);
  return grid;
}

}  // namespace

ElementText text_of(DType dtype, const WrongElement& element) {
  const auto number = [&](double value) {
    return is_integer(dtype) ? fmt::format("{:.0f}", value) : value_text(value, 7);
  };
  ElementText text;
  text.got = element.never_written ? "never written" : element.undefined ? "undefined" : number(element.got);
  const bool anything = std::isinf(element.low) && std::isinf(element.high) && element.low < element.high;
  text.expected = anything ? "anything" : number(element.expected);
  const double allowed = allowed_of(element);
  text.allowed = std::isnan(element.expected) ? "only NaN"
                 : anything                   ? "-"
                 : allowed == 0               ? "exact"
                                              : fmt::format("{:.3g}", allowed);
  if (!element.never_written) {
    const double d = element.got - element.expected;
    text.difference = std::isnan(d) ? "-" : d == 0 ? "sign of 0" : fmt::format("{:.4g}", d);
  }
  return text;
}

std::optional<double> times_allowed(DType dtype, const WrongElement& element) {
  const double off = std::abs(element.got - element.expected);
  if (element.never_written || !std::isfinite(off)) return std::nullopt;
  const double times = off / std::max(allowed_of(element), step_at(dtype, element.expected));
  if (!std::isfinite(times)) return std::nullopt;
  // Three digits are what anybody reads, and what every reader of JSON gives back.
  return times == 0 ? 0 : std::stod(fmt::format("{:.3g}", times));
}

WrongOutput wrong_output_of(const Comparison& comparison, const std::optional<Tile>& tile,
                            const std::vector<device::Writer>& writers) {
  const Matrix matrix = comparison.matrix();
  WrongOutput output;
  output.tensor = comparison.tensor;
  output.dtype = name_of(comparison.dtype);
  output.shape.assign(comparison.shape.begin(), comparison.shape.end());
  output.bound = comparison.bound;
  output.elements = comparison.elements;
  output.wrong = comparison.wrong.size();
  output.never_written = comparison.never_written;
  output.shown = shown_of(comparison);
  // Of a sample, rows and columns say which threadgroups it holds, and no map has room for it.
  if (comparison.elements < matrix.rows * matrix.columns) return output;
  output.rows = share_of(comparison.wrong_rows(), matrix.rows);
  output.columns = share_of(comparison.wrong_columns(), matrix.columns);
  output.grid = grid_of(comparison, tile);
  if (!writers.empty()) name_storers(output, writers);
  return output;
}

void name_storers(WrongOutput& output, const std::vector<device::Writer>& writers) {
  if (!output.grid || writers.size() != output.elements || output.elements == 0) return;
  OutputGrid& grid = *output.grid;
  const std::uint64_t width = output.shape.empty() ? 1 : output.shape.back();
  const auto storer_at = [&](std::uint64_t row, std::uint64_t column) {
    const std::uint64_t at = row * width + column;
    return at < writers.size() ? storer_text(writers[at]) : std::string();
  };
  for (ShownElement& one : output.shown) one.stored_by = storer_at(one.row, one.column);
  std::vector<std::string> names;
  for (std::uint64_t row = 0; row < grid.rows; ++row) {
    for (std::uint64_t column = 0; column < grid.columns; ++column)
      names.push_back(storer_at(row * grid.cell_rows, column * grid.cell_columns));
  }
  std::map<std::string, std::int64_t> known;
  grid.stored_by.clear();
  grid.storers.clear();
  for (const std::string& name : names) {
    if (name.empty()) {
      grid.stored_by.push_back(-1);
      continue;
    }
    const auto [found, fresh] = known.try_emplace(name, static_cast<std::int64_t>(grid.storers.size()));
    if (fresh) grid.storers.push_back(name);
    grid.stored_by.push_back(found->second);
  }
}

}  // namespace assay
