#include "harness/draft/otherwise.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/draft/doubt.hpp"
#include "harness/draft/probe.hpp"
#include "harness/draft/search.hpp"
#include "harness/process/pool.hpp"

namespace assay::draft {
namespace {

constexpr double kTried_s = 6;  // of processor time, of all launches
/// Sizes that kernels take which take few: a multiple of every tile.
constexpr std::int64_t kEven = 64, kLarge = 256;
constexpr std::int64_t kMostThreads = 1 << 12;  // of a launch: of a larger one, the first threadgroups
constexpr std::uint32_t kFirst = 2;             // along each axis: one that has a neighbour
constexpr std::size_t kMany = 3;                // dimensions, of which all large ones would take long
/// A scalar that is taken for a size may be a count of bits, a divisor or a part: these are tried of each.
constexpr std::array<std::int64_t, 3> kNumbers = {8, 2, 1};

using Without = Otherwise::Without;

/// One launch that is tried.
struct World {
  Without without = Without::usual;
  std::size_t request = 0;  // 0: the draft's; behind it those with other threads
  std::int64_t size = 0;    // of each dimension that is free; 0: as it is measured
  Contents::Of contents = Contents::Of::ones;
  bool one_group = false;                  // of the grid nothing else
  std::optional<std::size_t> number = {};  // the one dimension that has that size
  std::optional<unsigned> axis = {};       // of the grid, along which there is one threadgroup
};

std::vector<World> worlds_of(const Draft& draft, device::FaultKind kind) {
  const auto& dimensions = draft.request.dimensions;
  std::vector<std::int64_t> sizes = {0, kEven};
  if (dimensions.size() <= kMany) sizes.push_back(kLarge);
  if (std::all_of(dimensions.begin(), dimensions.end(), [](const auto& one) { return one.bounded; }))
    sizes.resize(1);
  std::vector<World> all(1);  // the usual
  // What Metal leaves undefined follows from numbers, more than from how much there is to do.
  for (std::size_t d = 0; kind == device::FaultKind::undefined && d < dimensions.size(); ++d) {
    for (const auto number : kNumbers) {
      if (!dimensions[d].bounded) all.push_back({Without::number, 0, number, Contents::Of::ones, false, d});
    }
  }
  for (std::size_t i = 1; i < sizes.size(); ++i) all.push_back({Without::sizes, 0, sizes[i]});
  if (!draft.grid_told) all.push_back({Without::grid, 0, 0, Contents::Of::ones, true});
  for (const auto contents : {Contents::Of::counting, Contents::Of::zeros})
    all.push_back({Without::contents, 0, 0, contents});
  for (std::size_t i = 1; i <= draft.other_threads.size(); ++i) {
    for (const auto size : sizes) all.push_back({Without::threads, i, size});
  }
  return all;
}

/// The draft has the whole path; the manifest, by which the fault was found, may have one from its folder.
bool is_same_place(const device::SourcePlace& one, const device::SourcePlace& other) {
  const auto whole = [](const std::string& file) {
    return file.empty() ? std::filesystem::path() : std::filesystem::absolute(file).lexically_normal();
  };
  return one.line == other.line && (one.file == other.file || whole(one.file) == whole(other.file));
}

/// Of its kind, at one of its places: which of two accesses is reported depends on their order.
bool is_same(const device::Fault& one, const device::Fault& other) {
  const auto is_at = [&](const device::SourcePlace& place) {
    return is_same_place(place, other.place) ||
           std::any_of(other.accesses.begin(), other.accesses.end(),
                       [&](const device::Access& access) { return is_same_place(access.place, place); });
  };
  return one.kind == other.kind &&
         (is_at(one.place) || std::any_of(one.accesses.begin(), one.accesses.end(),
                                          [&](const device::Access& access) { return is_at(access.place); }));
}

Dims dims_of(const MeasureRequest& request, const World& world) {
  Dims dims;
  for (std::size_t d = 0; d < request.dimensions.size(); ++d) {
    const auto& one = request.dimensions[d];
    const bool as_measured = one.bounded || world.size == 0 || (world.number && *world.number != d);
    dims[one.name] = as_measured ? one.size : world.size;
  }
  return dims;
}

/// Nothing where it could not be run.
std::optional<bool> is_there(const MeasureRequest& request, Probe& probe, const World& world,
                             const Dims& dims, const device::Fault& fault) {
  const auto& t = request.threads;
  device::Size3 one_group = request.in_threads ? t : device::Size3{1, 1, 1};
  device::Size3 grid = one_group;
  std::int64_t threads = request.in_threads ? 1 : std::int64_t{t.x} * t.y * t.z;
  std::uint32_t* const sides[] = {&grid.x, &grid.y, &grid.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto side = std::clamp<std::int64_t>(request.grid[axis].evaluate_integer(dims), 1, kMostThreads);
    *sides[axis] = static_cast<std::uint32_t>(side);
    threads *= side;
  }
  if (threads > kMostThreads)
    grid = {std::min(grid.x, kFirst * one_group.x), std::min(grid.y, kFirst * one_group.y),
            std::min(grid.z, kFirst * one_group.z)};
  if (world.one_group) grid = one_group;
  if (world.axis) side_of(grid, *world.axis) = side_of(one_group, *world.axis);
  const auto faults = probe.faults(dims, grid, {world.contents, {}});
  if (!faults) return std::nullopt;
  return std::any_of(faults->begin(), faults->end(),
                     [&](const device::Fault& one) { return is_same(one, fault); });
}

/// What alone decides that a case fails: a dimension, which with an even size it does not; or an axis of the
/// grid, with one threadgroup along which it does not. Neither where the launch does not fail here.
struct Deciding {
  std::optional<std::size_t> dimension = {};
  std::optional<unsigned> axis = {};
};

Deciding deciding(const Draft& draft, Probe& probe, const std::string& test_case,
                  const device::Fault& fault) {
  const MeasureRequest& request = draft.request;
  Dims dims;
  for (const auto& one : request.dimensions) {
    dims[one.name] = size_in(test_case, one.name);
    if (dims[one.name] < 1) return {};
  }
  if (!is_there(request, probe, {}, dims, fault).value_or(false)) return {};
  for (std::size_t d = 0; d < request.dimensions.size(); ++d) {
    const auto& one = request.dimensions[d];
    Dims even = dims;
    even[one.name] = kEven;
    if (!one.bounded && !is_there(request, probe, {}, even, fault).value_or(true)) return {d, {}};
  }
  for (unsigned axis = 3; axis-- > 0 && !draft.grid_told;) {
    World flat;
    flat.axis = axis;
    if (!is_there(request, probe, flat, dims, fault).value_or(true)) return {{}, axis};
  }
  return {};
}

}  // namespace

Otherwise otherwise(const Draft& draft, const device::Fault& fault, const std::string& test_case) {
  Otherwise found;
  // What is passed by value has the same bytes each time.
  const Parameter* const passed = draft.kernel.find(fault.object);
  if (passed != nullptr && passed->kind == Parameter::Kind::scalars) return found;
  // Nor have numbers that were made up another value.
  const bool made_up = std::any_of(draft.doubts.begin(), draft.doubts.end(),
                                   [](const Doubt& one) { return one.of == Doubt::Of::scalar; });
  if (made_up && fault.kind == device::FaultKind::undefined) return found;
  const auto worlds = worlds_of(draft, fault.kind);
  process::Job job;
  job.processor_limit_s = kTried_s + 4;  // of a launch that does not end
  job.idle_limit_s = 60 + 10 * kTried_s;
  job.work = [&](const process::Reporter& reporter) {
    std::vector<const MeasureRequest*> requests = {&draft.request};
    for (const auto& one : draft.other_threads) requests.push_back(&one);
    std::vector<std::unique_ptr<Probe>> probes;
    for (const auto* one : requests)
      probes.push_back(std::make_unique<Probe>(*one, kTried_s, device::Mode::checked));
    for (const auto& probe : probes) probe->begin();
    std::size_t i = 0;
    for (; i < worlds.size(); ++i) {
      const World& world = worlds[i];
      const auto& request = *requests[world.request];
      const auto there = is_there(request, *probes[world.request], world, dims_of(request, world), fault);
      if (!there.value_or(world.number.has_value())) break;
    }
    Deciding alone;
    if (i < worlds.size()) {
      const auto without = worlds[i].without;
      alone.dimension = worlds[i].number;
      if (without == Without::usual || without == Without::sizes || without == Without::grid)
        alone = deciding(draft, *probes.front(), test_case, fault);
    }
    const auto to_json = [](const auto& one) { return one ? nlohmann::json(*one) : nlohmann::json(); };
    reporter.send({{"without", i}, {"number", to_json(alone.dimension)}, {"axis", to_json(alone.axis)}});
  };
  job.hear = [&](const nlohmann::json& message) {
    if (!message.contains("without")) return true;
    const auto i = message.at("without").get<std::size_t>();
    found.stands = i == worlds.size();
    if (i < worlds.size()) {
      found.without = worlds[i].without;
      if (const auto& axis = message.at("axis"); axis.is_number()) found.axis = axis.get<unsigned>() % 3;
      const auto& number = message.at("number");
      if (number.is_number() && number.get<std::size_t>() < draft.request.dimensions.size()) {
        found.number = draft.request.dimensions[number.get<std::size_t>()].name;
        found.value = worlds[i].number ? worlds[i].size : kEven;
      }
      if (worlds[i].request > 0 && worlds[i].request <= draft.other_threads.size())
        found.threads = draft.other_threads[worlds[i].request - 1].threads;
    }
    return false;
  };
  process::run_job(std::move(job));
  return found;
}

}  // namespace assay::draft
