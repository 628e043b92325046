// How many threads or threadgroups a launch has, and names for dimensions of the grid that no scalar gives.
#include "harness/draft/drafting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "harness/draft/doubt.hpp"

namespace assay::draft {
namespace {

/// Rows that a kernel takes from its grid alone: each is a threadgroup of every case.
constexpr std::int64_t kLargestOfGrid = 64, kLargestThreads = 1024;

}  // namespace

unsigned Drafting::axes_of_grid() const {
  return std::max({1U, draft_.kernel.used_axes_of("thread_position_in_grid"),
                   draft_.kernel.used_axes_of("threadgroup_position_in_grid")});
}

std::array<std::string, 3> Drafting::spare_names(unsigned axes, bool in_threads) {
  if (axes >= 2) return {"N", "M", "B"};
  return in_threads ? std::array<std::string, 3>{"N", "M", "B"} : std::array<std::string, 3>{"M", "B", "H"};
}

std::string Drafting::unknown_name(const std::string& wanted) const {
  std::string name = wanted;
  for (int i = 2; known_names_.contains(name); ++i) name = fmt::format("{}{}", wanted, i);
  return name;
}

void Drafting::spare() {
  const auto names = spare_names(request_.axes, draft_.in_threads);
  constexpr std::array<std::pair<std::int64_t, std::int64_t>, 3> kThreadSizes = {
      {{96, 192}, {6, 12}, {3, 6}}};
  constexpr std::array<std::pair<std::int64_t, std::int64_t>, 3> kGroupSizes = {{{6, 12}, {5, 10}, {3, 6}}};
  for (unsigned axis = 0; axis < request_.axes; ++axis) {
    const std::string name = unknown_name(names[axis]);
    known_names_.insert(name);
    const auto& sizes = (draft_.in_threads ? kThreadSizes : kGroupSizes)[axis];
    request_.spare.push_back({name, sizes.first, sizes.second, false, true});
  }
}

void Drafting::settle_grid(const std::optional<Measured>& measured) {
  std::vector<std::string> grid = given_grid();
  if (grid.empty() && measured) grid = measured->grid;
  if (grid.empty()) {
    for (unsigned axis = 0; axis < request_.axes; ++axis) grid.push_back(request_.spare[axis].name);
    grid.resize(3, "1");
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    draft_.grid[axis] = grid[axis];
    for (const auto& name : names_in(grid[axis]))
      add_dimension(name, draft_.in_threads ? kLargestThreads : kLargestOfGrid);
  }
  if (told_.grid.empty())
    guess(fmt::format("the grid is [{}] {}; change it with --grid", fmt::join(grid, ", "),
                      draft_.in_threads ? "threads" : "threadgroups"));
  if (given_grid().empty() && measured) {
    for (const auto& [name, per] : measured->parts) {
      const auto& told = find_dimension(name)->sizes;
      if (told.multiple.value_or(1) % per == 0 || !told.values.empty()) continue;
      const auto line = fmt::format(
          "{0} has any size, and nothing in the kernel stops the last of ceil({0} / {1}) {2} at its end; if "
          "it is always a multiple of {1}, say --dim {0}={1}:{3}:{1}",
          name, per, draft_.in_threads ? "threads" : "threadgroups", 64 * per);
      doubt(draft_, Doubt::Of::multiple, name, line);
      draft_.doubts.back().of_multiple = per;
    }
  }
  const bool reads = draft_.in_threads || draft_.kernel.used_axes_of("threadgroup_position_in_grid") > 0;
  if (given_grid().empty() && reads && grid == std::vector<std::string>(3, "1"))
    draft_.idle = fmt::format(
        "the kernel reads its place in the grid, but one {} is all that was found to have something to do: "
        "say the grid with --grid, such as --grid 64",
        draft_.in_threads ? "thread" : "threadgroup");
}

void Drafting::find_strides() {
  if (!told_.grid.empty() || axes_of_grid() != 1) return;
  using Of = StrideClue::Of;
  for (const StrideClue& one : draft_.kernel.strides) {
    const bool unit = one.of == (draft_.in_threads ? Of::grid : Of::threadgroups);
    if (!unit || find_dimension(one.scalar) == nullptr) continue;
    text_grid_ = {one.scalar, "1", "1"};
    return guess(fmt::format("{} is how many {} there are, because they step over it", one.scalar,
                             draft_.in_threads ? "threads" : "threadgroups"));
  }
  const auto& threads = draft_.kernel.threads;
  if (draft_.in_threads && threads && threads->all && !told_.threads)
    text_grid_ = {std::to_string(threads->threads.x), "1", "1"};
}

}  // namespace assay::draft
