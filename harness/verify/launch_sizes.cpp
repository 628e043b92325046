#include "harness/verify/launch_sizes.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <utility>

#include "harness/device/source_text.hpp"
#include "harness/verify/entry_place.hpp"
#include "harness/verify/shown.hpp"

namespace assay {
namespace {

// Metal numbers threads with `uint`, along each side of a grid and in all.
constexpr std::int64_t kThreads = std::int64_t{1} << 32;
// More than any device has, few enough for their sum to fit.
constexpr std::int64_t kMostThreadgroupBytes = std::int64_t{1} << 31;
// setThreadgroupMemoryLength takes multiples of so many bytes.
constexpr std::size_t kThreadgroupLengthUnit = 16;

/// " at K=8 M=1"; nothing where there are no dimensions.
std::string at(const Dims& dims) {
  std::string text;
  for (const auto& [name, value] : dims)
    text += fmt::format("{}{}={}", text.empty() ? " at " : " ", name, value);
  return text;
}

device::Size3 ruled_grid(const KernelEntry& entry, const Problem& problem) {
  const Dims dims = entry.with_tile(problem.dims);
  const auto side = [&](const Expression& size) { return grid_side(entry, "grid", size, dims); };
  if (entry.grid.rule == GridRule::list) {
    const auto listed = [&](std::size_t i) {
      return grid_side(entry, fmt::format("grid[{}]", i), entry.grid.size[i], dims);
    };
    return {listed(0), listed(1), listed(2)};
  }
  if (entry.grid.rule == GridRule::tiles) {
    for (const char* name : {"M", "N"}) {
      if (!dims.contains(name)) {
        throw entry.error("grid",
                          fmt::format("\"tiles\" needs the dimensions M and N; operation {} has no {}: write "
                                      "a list of sizes",
                                      problem.operation, name));
      }
    }
    return {side(Expression("ceil(N / tile_n)")), side(Expression("ceil(M / tile_m)")), 1};
  }
  if (problem.outputs.empty() || problem.outputs.front().shape.empty()) {
    throw entry.error("grid", "needs an output with rows; write a list of sizes");
  }
  const std::vector<std::size_t>& shape = problem.outputs.front().shape;
  const std::size_t columns = shape.back();
  const std::size_t rows =
      std::accumulate(shape.begin(), shape.end() - 1, std::size_t{1}, std::multiplies<std::size_t>());
  const Expression row_count(std::to_string(rows));
  if (entry.grid.rule == GridRule::rows) return {side(row_count), 1, 1};
  return {side(Expression(std::to_string(columns))), side(row_count), 1};
}

}  // namespace

std::int64_t integer_of(const KernelEntry& entry, const std::string& field, const Expression& expression,
                        const Dims& dims) {
  try {
    return expression.evaluate_integer(dims);
  } catch (const ExpressionError& e) {
    throw entry.error(field, e.what());
  }
}

std::uint32_t grid_side(const KernelEntry& entry, const std::string& field, const Expression& size,
                        const Dims& dims) {
  const std::int64_t value = integer_of(entry, field, size, dims);
  if (value < 1 || value >= kThreads) {
    throw entry.error(field,
                      fmt::format("\"{}\" is {}{}; a side of the grid is 1 or more and fits in 32 bits",
                                  shown(size.text()), value, at(dims)));
  }
  return static_cast<std::uint32_t>(value);
}

std::size_t threadgroup_bytes(const KernelEntry& entry, const std::string& field, const Expression& bytes,
                              const Dims& dims) {
  const std::int64_t value = integer_of(entry, field, bytes, dims);
  if (value < 1 || value > kMostThreadgroupBytes) {
    throw entry.error(field, fmt::format("\"{}\" is {}{}; write 1 to {} bytes", shown(bytes.text()), value,
                                         at(dims), kMostThreadgroupBytes));
  }
  return static_cast<std::size_t>(value);
}

std::optional<device::Fault> refused_length(const KernelEntry& entry, const Dims& dims) {
  const Dims all = entry.with_tile(dims);
  for (std::size_t i = 0; i < entry.threadgroup_memory.size(); ++i) {
    const std::string field = fmt::format("threadgroup_memory[{}]", i);
    const Expression& said = entry.threadgroup_memory[i];
    const std::size_t bytes = threadgroup_bytes(entry, field, said, all), unit = kThreadgroupLengthUnit;
    if (bytes % unit == 0) continue;
    const std::size_t next = (bytes / unit + 1) * unit;
    const std::string rounded = said.names().empty()
                                    ? std::to_string(next)
                                    : fmt::format("\"{0} * ceil(({1}) / {0})\"", unit, shown(said.text()));
    device::Fault fault;
    fault.kind = device::FaultKind::misaligned;
    fault.place = place_of(entry, field);
    device::remember_source(fault.place.file);
    fault.message = fmt::format(
        "{}: \"{}\" is {}{}; Metal takes lengths of threadgroup memory that are multiples of {} bytes, here "
        "{}: "
        "write {}",
        field, shown(said.text()), bytes, at(dims), unit, next, rounded);
    return fault;
  }
  return std::nullopt;
}

device::Size3 grid_of(const KernelEntry& entry, const Problem& problem) {
  const device::Size3 grid = ruled_grid(entry, problem);
  const device::Size3& threads = entry.threads_per_threadgroup;
  fractions::Wide all = 1;
  bool fits = true;
  for (const auto& [groups, each] :
       {std::pair{grid.x, threads.x}, std::pair{grid.y, threads.y}, std::pair{grid.z, threads.z}}) {
    const std::int64_t side = std::int64_t{groups} * (entry.grid.in_threads ? 1 : each);
    fits = fits && side < kThreads && (all *= side) < kThreads;
  }
  if (fits) return grid;
  throw entry.error(
      "grid",
      fmt::format("{} x {} x {} {}{} are 2^32 threads or more; write a smaller grid", grid.x, grid.y, grid.z,
                  entry.grid.in_threads
                      ? "threads"
                      : fmt::format("threadgroups of {} x {} x {} threads", threads.x, threads.y, threads.z),
                  at(problem.dims)));
}

}  // namespace assay
