#include "harness/run/failure_json.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

#include "harness/verify/numbers.hpp"
#include "harness/verify/verdict.hpp"

namespace assay::run {
namespace {

using nlohmann::json;

// Cells of a map, of which there may be thousands, are lists: [row, column, wrong, never written, times,
// beyond].
constexpr std::size_t kCellFields = 6;
/// Maps are of at most 64 x 64 cells; whoever draws one must not be given more.
constexpr std::uint64_t kMostCells = 64;
/// Cells between the borders of tiles, which may be more than there are.
constexpr std::uint64_t kMostBand = std::uint64_t{1} << 32;

template <class T>
json optional_to_json(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

template <class T>
std::optional<T> optional_from(const json& value) {
  return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
}

template <class T, class One>
json list_to_json(const std::vector<T>& values, const One& one_to_json) {
  json list = json::array();
  for (const T& one : values) list.push_back(one_to_json(one));
  return list;
}

double decimal_or_throw(const std::string& text) {
  std::size_t read = 0;
  const double value = std::stod(text, &read);
  if (read != text.size() || !std::isfinite(value)) throw std::invalid_argument("no number: " + text);
  return value;
}

json to_json(const device::SourcePlace& place) { return {{"file", place.file}, {"line", place.line}}; }

device::SourcePlace place_from(const json& place) {
  return {place.at("file").get<std::string>(), place.at("line").get<std::uint32_t>()};
}

json to_json(const device::Access& access) {
  return {{"what", access.what},
          {"place", to_json(access.place)},
          {"write", optional_to_json(access.write)},
          {"agent", access.agent},
          {"thread", optional_to_json(access.thread)},
          {"simdgroup", optional_to_json(access.simdgroup)},
          {"lane", optional_to_json(access.lane)}};
}

device::Access access_from(const json& access) {
  return {access.at("what").get<std::string>(),
          place_from(access.at("place")),
          optional_from<bool>(access.at("write")),
          access.at("agent").get<std::string>(),
          optional_from<std::uint32_t>(access.at("thread")),
          optional_from<std::uint32_t>(access.at("simdgroup")),
          optional_from<std::uint32_t>(access.at("lane"))};
}

json to_json(const device::PassedBarrier& barrier) {
  return {{"simdgroup", optional_to_json(barrier.simdgroup)},
          {"orders_device", barrier.orders_device},
          {"orders_threadgroup", barrier.orders_threadgroup},
          {"place", to_json(barrier.place)},
          {"count", barrier.count},
          {"between", barrier.between}};
}

device::PassedBarrier barrier_from(const json& barrier) {
  return {optional_from<std::uint32_t>(barrier.at("simdgroup")),
          barrier.at("orders_device").get<bool>(),
          barrier.at("orders_threadgroup").get<bool>(),
          place_from(barrier.at("place")),
          barrier.at("count").get<std::uint64_t>(),
          barrier.at("between").get<bool>()};
}

constexpr std::array kKinds = {device::FaultKind::race,
                               device::FaultKind::out_of_bounds,
                               device::FaultKind::misaligned,
                               device::FaultKind::crash,
                               device::FaultKind::divergent_barrier,
                               device::FaultKind::deadlock,
                               device::FaultKind::over_budget,
                               device::FaultKind::needs_residency,
                               device::FaultKind::uninitialised_read};

device::FaultKind kind_from(const std::string& name) {
  for (const auto kind : kKinds) {
    if (assay::name_of(verdict_of(kind)) == name) return kind;
  }
  throw std::invalid_argument("no kind of fault: " + name);
}

json to_json(const device::Fault& fault) {
  return {{"kind", assay::name_of(verdict_of(fault.kind))},
          {"message", fault.message},
          {"place", to_json(fault.place)},
          {"count", fault.count},
          {"scope", fault.scope},
          {"accesses", list_to_json(fault.accesses, [](const auto& one) { return to_json(one); })},
          {"barriers", list_to_json(fault.barriers, [](const auto& one) { return to_json(one); })},
          {"more_barriers", fault.more_barriers}};
}

device::Fault fault_from(const json& from) {
  device::Fault fault;
  fault.kind = kind_from(from.at("kind").get<std::string>());
  fault.message = from.at("message").get<std::string>();
  fault.place = place_from(from.at("place"));
  fault.count = from.at("count").get<std::uint64_t>();
  fault.scope = from.at("scope").get<unsigned>();
  for (const auto& one : from.at("accesses")) fault.accesses.push_back(access_from(one));
  for (const auto& one : from.at("barriers")) fault.barriers.push_back(barrier_from(one));
  fault.more_barriers = from.at("more_barriers").get<bool>();
  return fault;
}

json to_json(const device::OldValue& old) {
  return {{"object", old.object},
          {"load", to_json(old.load)},
          {"change", to_json(old.change)},
          {"count", old.count}};
}

device::OldValue old_value_from(const json& old) {
  return {old.at("object").get<std::string>(), access_from(old.at("load")), access_from(old.at("change")),
          old.at("count").get<std::uint64_t>()};
}

json to_json(const ShownElement& one) {
  return {{"row", one.row},
          {"column", one.column},
          {"never_written", one.never_written},
          {"worst", one.worst},
          {"got", one.text.got},
          {"expected", one.text.expected},
          {"difference", one.text.difference},
          {"allowed", one.text.allowed},
          {"times_allowed", optional_to_json(one.times)},
          {"stored_by", one.stored_by}};
}

ShownElement element_from(const json& one) {
  return {one.at("row").get<std::uint64_t>(),
          one.at("column").get<std::uint64_t>(),
          one.at("never_written").get<bool>(),
          one.at("worst").get<bool>(),
          {one.at("got").get<std::string>(), one.at("expected").get<std::string>(),
           one.at("difference").get<std::string>(), one.at("allowed").get<std::string>()},
          optional_from<double>(one.at("times_allowed")),
          one.at("stored_by").get<std::string>()};
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

// Whoever draws it counts on what is checked here.
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

json to_json(const WrongOutput& output) {
  return {{"tensor", output.tensor},
          {"dtype", output.dtype},
          {"shape", output.shape},
          {"bound", output.bound},
          {"elements", output.elements},
          {"wrong", output.wrong},
          {"never_written", output.never_written},
          {"rows", output.rows},
          {"columns", output.columns},
          {"shown", list_to_json(output.shown, [](const auto& one) { return to_json(one); })},
          {"map", output.grid ? to_json(*output.grid) : json()}};
}

WrongOutput output_from(const json& from) {
  WrongOutput output;
  output.tensor = from.at("tensor").get<std::string>();
  output.dtype = from.at("dtype").get<std::string>();
  output.shape = from.at("shape").get<std::vector<std::uint64_t>>();
  output.bound = from.at("bound").get<std::string>();
  output.elements = from.at("elements").get<std::uint64_t>();
  output.wrong = from.at("wrong").get<std::uint64_t>();
  output.never_written = from.at("never_written").get<std::uint64_t>();
  output.rows = from.at("rows").get<std::string>();
  output.columns = from.at("columns").get<std::string>();
  for (const auto& one : from.at("shown")) output.shown.push_back(element_from(one));
  if (const auto& map = from.at("map"); !map.is_null()) output.grid = grid_from(map);
  return output;
}

std::vector<WrongOutput> outputs_from(const json& list) {
  std::vector<WrongOutput> outputs;
  for (const auto& one : list) outputs.push_back(output_from(one));
  return outputs;
}

json to_json(const ShrinkSteps& shrunk) {
  return {{"index", shrunk.index},
          {"found", shrunk.found},
          {"steps", shrunk.steps},
          {"tried", shrunk.tried},
          {"unfinished", shrunk.unfinished}};
}

ShrinkSteps shrunk_from(const json& from) {
  return {from.at("index").get<std::uint64_t>(), from.at("found").get<std::string>(),
          from.at("steps").get<std::uint64_t>(), from.at("tried").get<std::uint64_t>(),
          from.at("unfinished").get<bool>()};
}

json to_json(const Excerpt& excerpt) {
  return {{"file", excerpt.file}, {"first_line", excerpt.first_line}, {"lines", excerpt.lines}};
}

// JSON has no infinity: null stands for it.
json number_to_json(double value) { return std::isinf(value) ? json() : json(value); }
double number_from(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

}  // namespace

json fault_message(const device::Fault& fault) {
  return {{"type", "seen"}, {"what", to_json(fault)}, {"moment", fault.moment}};
}

device::Fault fault_in(const json& message) {
  device::Fault fault = fault_from(message.at("what"));
  fault.moment = message.at("moment").get<std::uint64_t>();
  return fault;
}

json to_json(const Failure& failure) {
  return {
      {"case", failure.test_case},
      {"faults", list_to_json(failure.faults, [](const auto& one) { return to_json(one); })},
      {"more_faults", failure.more_faults},
      {"old_values", list_to_json(failure.old_values, [](const auto& one) { return to_json(one); })},
      {"outputs", list_to_json(failure.outputs, [](const auto& one) { return to_json(one); })},
      {"remarks", failure.remarks},
      {"diagnosis", failure.diagnosis},
      {"shrunk", failure.shrunk ? to_json(*failure.shrunk) : json()},
      {"outputs_found", list_to_json(failure.outputs_found, [](const auto& one) { return to_json(one); })},
      {"sources", list_to_json(failure.sources, [](const auto& one) { return to_json(one); })}};
}

Failure failure_from(const json& from) {
  Failure failure;
  failure.test_case = from.at("case").get<std::string>();
  for (const auto& one : from.at("faults")) failure.faults.push_back(fault_from(one));
  failure.more_faults = from.at("more_faults").get<std::uint64_t>();
  for (const auto& one : from.at("old_values")) failure.old_values.push_back(old_value_from(one));
  failure.outputs = outputs_from(from.at("outputs"));
  failure.remarks = from.at("remarks").get<std::vector<std::string>>();
  failure.diagnosis = from.at("diagnosis").get<std::vector<std::string>>();
  if (const auto& shrunk = from.at("shrunk"); !shrunk.is_null()) failure.shrunk = shrunk_from(shrunk);
  failure.outputs_found = outputs_from(from.at("outputs_found"));
  for (const auto& one : from.at("sources")) {
    failure.sources.push_back({one.at("file").get<std::string>(), one.at("first_line").get<std::uint32_t>(),
                               one.at("lines").get<std::vector<std::string>>()});
  }
  return failure;
}

json to_json(const ErrorShares& shares) {
  return {{"elements", shares.elements}, {"single", shares.single}, {"open", shares.open},
          {"bins", shares.bins},         {"worst", shares.worst},   {"worst_tensor", shares.worst_tensor}};
}

ErrorShares shares_from(const json& from) {
  ErrorShares shares;
  shares.elements = from.at("elements").get<std::uint64_t>();
  shares.single = from.at("single").get<std::uint64_t>();
  shares.open = from.at("open").get<std::uint64_t>();
  shares.bins = from.at("bins").get<decltype(shares.bins)>();
  shares.worst = from.at("worst").get<double>();
  shares.worst_tensor = from.at("worst_tensor").get<std::string>();
  std::uint64_t rest = shares.elements;
  for (const auto part : {shares.single, shares.open}) {
    if (part > rest) throw std::invalid_argument("the counts of errors exceed their sum");
    rest -= part;
  }
  for (const auto count : shares.bins) {
    if (count > rest) throw std::invalid_argument("the bins of errors exceed their sum");
    rest -= count;
  }
  if (rest != 0 || !(shares.worst >= 0 && shares.worst <= 1))
    throw std::invalid_argument("the counts of errors do not add up");
  return shares;
}

json to_json(const std::vector<ClaimResult>& claims) {
  json list = json::array();
  for (const auto& one : claims) {
    json measured;
    if (one.measured) measured = {number_to_json(one.measured->low), number_to_json(one.measured->high)};
    list.push_back(
        {{"name", one.name}, {"claimed", one.claimed}, {"measured", measured}, {"holds", one.holds()}});
  }
  return list;
}

std::vector<ClaimResult> claims_from(const json& list) {
  std::vector<ClaimResult> claims;
  for (const auto& one : list) {
    ClaimResult claim{one.at("name").get<std::string>(), one.at("claimed").get<double>(), {}};
    if (const auto& measured = one.at("measured"); !measured.is_null())
      claim.measured = Figure(number_from(measured.at(0)), number_from(measured.at(1)));
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace assay::run
