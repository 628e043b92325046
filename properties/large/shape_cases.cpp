#include "properties/large/shape_cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "harness/verify/report.hpp"
#include "harness/verify/shown.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/large/share.hpp"
#include "properties/large/whole.hpp"

namespace assay::properties {
namespace {

constexpr std::uint64_t kSchedules = 8;

}  // namespace

bool can_run(const KernelEntry& entry, const Operation& operation, const Case& test_case) {
  return !is_large(operation.declaration(), test_case.dims) ||
         runs_whole(operation.declaration(), test_case) ||
         (can_make_large(operation, test_case.dims) &&
          Share::of(entry, operation, test_case.dims).has_value());
}

std::vector<Case> shape_cases(const KernelEntry& entry, const Operation& operation, const CaseSpace& space,
                              const Dims& dims, std::uint64_t budget) {
  for (const auto& [name, value] : dims) {
    if (find_named(operation.declaration().dimensions, name) == nullptr)
      throw std::invalid_argument(fmt::format("{} has no dimension {}", operation.name(), shown(name)));
  }
  auto test_case = space.at(dims);
  if (!test_case) throw std::invalid_argument(fmt::format("the kernel does not take {}", to_text(dims)));
  test_case->budget = budget;
  operation.check_case(*test_case);
  if (!can_run(entry, operation, *test_case)) {
    throw std::invalid_argument(fmt::format(
        "{} is too large to be run whole with a budget of {}, and no sample can be run: the grid does "
        "not say which threadgroup stores what",
        to_text(dims), budget));
  }
  std::vector<Case> cases = {*test_case, *test_case};
  space.set_regime(cases.back(), "random");
  if (cases.front() == cases.back()) cases.pop_back();
  if (Share::of(entry, operation, test_case->dims)) return cases;
  // Threadgroups meet: what one of them does to another hangs on their order, which follows from the seed.
  const std::size_t kinds = cases.size();
  for (std::uint64_t seed = 1; seed < kSchedules; ++seed) {
    cases.push_back(cases[seed % kinds]);
    cases.back().seed = test_case->seed + seed;
  }
  return cases;
}

void check_shapes(const KernelEntry& entry, const Operation& operation) {
  if (entry.shapes.empty()) return;
  const CaseSpace space = operation.cases(traits_of(entry));
  for (std::size_t i = 0; i < entry.shapes.size(); ++i) {
    try {
      shape_cases(entry, operation, space, entry.shapes[i]);
    } catch (const std::invalid_argument& none) {
      throw entry.error(fmt::format("shapes[{}]", i),
                        fmt::format("{}; change it or leave it out", none.what()));
    }
  }
}

std::string shape_tag(const Dims& shape) {
  std::vector<std::string> sizes;
  for (const auto& [name, value] : shape) sizes.push_back(fmt::format("{}={}", name, value));
  return fmt::format("shape {}", fmt::join(sizes, " "));
}

std::vector<std::string> shape_tags(const KernelEntry& entry, const Dims& dims) {
  std::vector<std::string> tags;
  for (const Dims& shape : entry.shapes) {
    const bool of = std::all_of(shape.begin(), shape.end(), [&](const auto& size) {
      const auto found = dims.find(size.first);
      return found != dims.end() && found->second == size.second;
    });
    if (of) tags.push_back(shape_tag(shape));
  }
  return tags;
}

}  // namespace assay::properties
