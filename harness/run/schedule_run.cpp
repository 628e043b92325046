#include "harness/run/schedule_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <set>

#include "harness/device/planned_schedule.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/run/cause.hpp"
#include "harness/simulator/exploration.hpp"
#include "harness/verify/launch_sizes.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/report.hpp"
#include "properties/cases/flushing.hpp"
#include "properties/cases/search.hpp"
#include "properties/large/large_problem.hpp"

namespace assay::run {
namespace {

using properties::Case;
using properties::Dimension;

constexpr std::uint64_t kFewest = 2, kMost = 4;  // threadgroups of a problem
constexpr std::array kCrowds = {std::int64_t{8}, std::int64_t{17}, std::int64_t{device::kMostInFlight}};
constexpr std::uint64_t kMostPaired = 8;  // threadgroups each two of which are neighbours in some order
// Of the drawn cases, those that are run one threadgroup at a time.
constexpr std::uint64_t kFirst = 3, kEvery = 13;
constexpr std::size_t kMostTrimmed = 64;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::uint64_t threadgroup_count(const KernelEntry& entry, const Problem& problem) {
  device::Dispatch launch;
  launch.grid = grid_of(entry, problem);
  launch.grid_in_threads = entry.grid.in_threads;
  launch.threads_per_threadgroup = entry.threads_per_threadgroup;
  const auto count = device::threadgroups_of(launch);
  return std::uint64_t{count.x} * count.y * count.z;
}

/// The values of a dimension that problems are made of: whole rounds of what threadgroups share.
std::vector<std::int64_t> values_of(const Dimension& one, const Tile& tile, bool shared) {
  if (one.cuts_sums) return {2, 3, 4};
  if (one.shares_work) return {2, 3, 4};
  if (one.is_choice() || one.reduced) return {};
  const std::int64_t side = one.tile == nullptr ? 1 : std::max<std::int64_t>(1, tile.*one.tile);
  std::vector<std::int64_t> tiles = {1, side + 1};
  if (!shared) tiles.push_back(2 * side + 1);
  return tiles;
}

/// Of each dimension one value, in every way.
std::vector<Dims> wanted_dims(const properties::OperationDeclaration& declaration, const Tile& tile) {
  const auto& all = declaration.dimensions;
  const bool shared = std::any_of(all.begin(), all.end(), [](const auto& one) { return one.shares_work; });
  std::vector<Dims> wanted = {{}};
  std::string cut;
  for (const Dimension& one : all) {
    if (one.cuts_sums) cut = one.name;
    const auto values = values_of(one, tile, shared);
    if (values.empty() || wanted.size() * values.size() > 128) continue;
    std::vector<Dims> longer;
    for (const std::int64_t value : values) {
      for (Dims dims : wanted) {
        dims[one.name] = value;
        longer.push_back(std::move(dims));
      }
    }
    wanted = std::move(longer);
  }
  for (const Dimension& one : all) {
    if (!one.reduced || one.is_choice() || one.tile == nullptr || cut.empty()) continue;
    for (Dims& dims : wanted) dims[one.name] = dims[cut] * (tile.*one.tile);  // a tile a slice
  }
  return wanted;
}

/// Where threadgroups do not follow tiles: one size after another, doubled.
std::vector<Dims> doubled_dims(const properties::OperationDeclaration& declaration) {
  std::vector<Dims> wanted;
  for (const Dimension& one : declaration.dimensions) {
    if (one.is_choice()) continue;
    for (std::int64_t size = 2; size <= 16384; size *= 2) wanted.push_back({{one.name, size}});
  }
  return wanted;
}

/// So many rounds of what is shared out, or so many tiles of one size.
std::vector<Dims> crowded_dims(const properties::OperationDeclaration& declaration, const Tile& tile,
                               std::int64_t crowd) {
  const auto side_of = [&](const Dimension& one) {
    return one.tile == nullptr ? 1 : std::max<std::int64_t>(1, tile.*one.tile);
  };
  Dims shared;
  std::vector<Dims> wanted;
  const bool cut = std::any_of(declaration.dimensions.begin(), declaration.dimensions.end(),
                               [](const Dimension& one) { return one.cuts_sums; });
  for (const Dimension& one : declaration.dimensions) {
    if (one.cuts_sums || one.shares_work) {
      shared[one.name] = crowd;
    } else if (!one.is_choice() && one.reduced && cut) {
      shared[one.name] = crowd * side_of(one);
    } else if (!one.is_choice() && !one.reduced) {
      wanted.push_back({{one.name, crowd * side_of(one)}});
    }
  }
  if (!shared.empty()) wanted.insert(wanted.begin(), shared);
  return wanted;
}

/// Finds small problems of a kernel by how many threadgroups they take.
class Problems {
 public:
  explicit Problems(const KernelEntry& entry)
      : entry_(entry),
        operation_(properties::operation_of(entry)),
        space_(operation_.cases(properties::traits_of(entry))) {}

  /// The case of `dims`, or next to them, where it is new, small, and has from `fewest` to `most`
  /// threadgroups.
  bool add(const Dims& dims, std::uint64_t fewest, std::uint64_t most) {
    const auto exactly = space_.at(dims);
    Case one = exactly ? *exactly : space_.nearest(dims);
    space_.set_regime(one, "exact");
    if (!known_.insert(properties::to_line(one)).second) return false;
    if (properties::is_large(operation_.declaration(), one.dims)) return false;
    const auto count = threadgroup_count(entry_, operation_.make_problem(one));
    if (count < fewest || count > most) return false;
    cases_.push_back(std::move(one));
    return true;
  }
  const properties::OperationDeclaration& declaration() const { return operation_.declaration(); }
  std::vector<Case> take() { return std::move(cases_); }
  bool empty() const { return cases_.empty(); }

 private:
  const KernelEntry& entry_;
  const properties::Operation& operation_;
  properties::CaseSpace space_;
  std::set<std::string> known_;
  std::vector<Case> cases_;
};

/// Orders that need no tree of decisions. `number`: of the case, so that of few threadgroups each case has
/// others ahead and behind; crowds have all of these.
std::vector<std::string> plain_orders(std::uint64_t threadgroups, std::uint64_t number) {
  std::vector<std::string> orders = {"one_by_one", "backwards", "lock_step"};
  for (const std::uint64_t i : {0U, 1U, 2U}) {
    const std::uint64_t which = i * (threadgroups - 1) / 2;  // the first, one in the middle, the last
    if (threadgroups <= kMost && i != number % 3) continue;
    orders.push_back(fmt::format("ahead:{}", which));
    orders.push_back(fmt::format("behind:{}", which));
  }
  if (threadgroups <= kMost) return orders;  // few are explored
  for (const int after : {1, 2, 3, 4}) {     // in the middle of what they do
    orders.push_back(fmt::format("ahead:{}:{}", threadgroups - 1, after));
    orders.push_back(fmt::format("behind:0:{}", after));
  }
  if (threadgroups > kMostPaired) return orders;
  for (std::uint64_t zigzag = 0; zigzag < (threadgroups + 1) / 2; ++zigzag)
    orders.push_back(fmt::format("zigzag:{}", zigzag));
  return orders;
}

}  // namespace

std::vector<Case> meeting_cases(const KernelEntry& entry) {
  Problems problems(entry);
  const Tile tile = properties::traits_of(entry).tile;
  for (const Dims& dims : wanted_dims(problems.declaration(), tile)) problems.add(dims, kFewest, kMost);
  if (!problems.empty()) return problems.take();
  for (const Dims& dims : doubled_dims(problems.declaration())) problems.add(dims, kFewest, kMost);
  return problems.take();
}

std::vector<Case> crowded_cases(const KernelEntry& entry) {
  Problems problems(entry);
  const Tile tile = properties::traits_of(entry).tile;
  for (const std::int64_t crowd : kCrowds) {
    for (const Dims& dims : crowded_dims(problems.declaration(), tile, crowd))
      problems.add(dims, kMost + 1, device::kMostInFlight);
  }
  if (!problems.empty()) return problems.take();
  for (const Dims& dims : doubled_dims(problems.declaration()))
    problems.add(dims, kMost + 1, device::kMostInFlight);
  return problems.take();
}

ScheduleRun::ScheduleRun(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                         const VerifyOptions& options, const process::Reporter& reporter)
    : loaded_(loaded), entry_(entry), mode_(mode), options_(options), reporter_(reporter) {}

bool ScheduleRun::asked() const {
  if (mode_ != Mode::checked) return false;
  if (options_.schedules.all) return true;
  const auto* module = loaded_.devices->module();
  return options_.planned && !options_.shapes.asked() && !options_.counted && module != nullptr &&
         module->has_atomics();
}

bool ScheduleRun::late() const {
  return options_.schedules.seconds > 0 && now_s() - began_s_ > options_.schedules.seconds;
}

void ScheduleRun::announce(const Case& test_case) const {
  reporter_.send({{"type", "case"}, {"index", index_}, {"line", properties::to_line(test_case)}});
}

properties::TrialResult ScheduleRun::run(const Case& test_case) {
  announce(test_case);
  return loaded_.trial->run(test_case);
}

std::optional<Finding> ScheduleRun::run(std::uint64_t cases_run) {
  if (!asked()) return std::nullopt;
  index_ = cases_run;
  began_s_ = now_s();
  const auto& declaration = loaded_.trial->operation().declaration();
  const auto problems = meeting_cases(entry_);
  const auto space = loaded_.trial->cases();
  std::vector<Case> alone = problems;
  if (!options_.schedules.all) {
    for (const Case& one : crowded_cases(entry_)) alone.push_back(one);
  }
  for (std::uint64_t i = kFirst; i < options_.cases && !options_.schedules.all; i += kEvery) {
    alone.push_back(properties::case_at(space, options_.seed, options_.first_case + i));
    if (properties::is_large(declaration, alone.back().dims)) alone.pop_back();
  }
  for (const Case& one : alone) {
    if (auto found = in_plain_orders(one)) return found;
  }
  for (const Case& one : problems) {
    if (auto found = explore(one)) return found;
  }
  text_ = describe();
  return std::nullopt;
}

Finding ScheduleRun::rejected(const Case& test_case, const properties::TrialResult& result) const {
  auto report = report_of(*loaded_.trial, entry_, mode_, test_case, result);
  report.cases_run = index_;
  // No diagnosis: it would ask for other schedules than the one that matters.
  return {std::move(report), std::nullopt, index_,
          fmt::format(
              "It takes this order of threadgroups to show the fault: see `schedule` in the replay line{}.\n",
              schedules_ == 0 ? "" : fmt::format(" ({} other orders were right)", grouped(schedules_)))};
}

std::optional<Finding> ScheduleRun::in_plain_orders(const Case& test_case) {
  Case ordered = test_case;
  const auto& operation = loaded_.trial->operation();
  Problem problem = operation.make_problem(test_case);
  const auto expected = properties::right_answers(operation, problem, loaded_.trial->arithmetic());
  for (const std::string& order : plain_orders(threadgroup_count(entry_, problem), ordered_++)) {
    ordered.schedule = order;
    announce(ordered);
    problem.planned = std::make_shared<device::PlannedSchedule>(device::schedule_of(order));
    const auto result = loaded_.trial->run(problem, expected);
    if (result.outcome.verdict == Verdict::pass || result.outcome.verdict == Verdict::vacuous) continue;
    return rejected(ordered, result);
  }
  return std::nullopt;
}

// The shortest beginning that fails: behind it threadgroups go on one after the other.
Finding ScheduleRun::rejected_early(const Case& test_case, std::vector<device::Decision> decisions,
                                    const properties::TrialResult& result) {
  Case shortest = test_case;
  shortest.schedule = device::to_text(decisions);
  for (std::size_t length = 1; length < std::min(decisions.size(), kMostTrimmed); ++length) {
    Case shorter = test_case;
    shorter.schedule = device::to_text(std::span(decisions).first(length));
    const auto again = run(shorter);
    if (again.outcome.verdict == result.outcome.verdict) return rejected(shorter, again);
  }
  return rejected(shortest, result);
}

std::optional<Finding> ScheduleRun::explore(const Case& test_case) {
  const auto& operation = loaded_.trial->operation();
  Explored explored{test_case};
  const auto exploration = std::make_shared<simulator::Exploration>();
  Problem problem = operation.make_problem(test_case);
  problem.planned = {exploration, &exploration->schedule()};
  const auto expected = properties::right_answers(operation, problem, loaded_.trial->arithmetic());
  std::uint64_t launches = 0, steps = 0;
  for (;;) {
    announce(test_case);
    const auto result = loaded_.trial->run(problem, expected);
    ++launches;
    if (exploration->diverged()) {
      explored.why = "the kernel took other steps when the same schedule was repeated";
      break;
    }
    if (!exploration->redundant() && result.outcome.verdict != Verdict::pass) {
      schedules_ += exploration->schedules();
      return rejected_early(test_case, exploration->decisions(), result);
    }
    steps += exploration->decisions().size();
    if (!exploration->advance()) {
      explored.whole = true;
      break;
    }
    if (!options_.schedules.all && (launches >= kMostSchedules || steps >= kMostSteps)) {
      explored.why = "ask for more with --schedules all";
      break;
    }
    if (late()) {
      explored.why = fmt::format("{} s have passed", options_.schedules.seconds);
      break;
    }
  }
  explored.schedules = exploration->schedules();
  schedules_ += explored.schedules;
  explored_.push_back(std::move(explored));
  return std::nullopt;
}

std::string ScheduleRun::describe() const {
  if (explored_.empty()) {
    return fmt::format("{}: no schedules were explored, since no small problem has {} to {} threadgroups\n",
                       entry_.name, kFewest, kMost);
  }
  const auto whole =
      std::count_if(explored_.begin(), explored_.end(), [](const auto& one) { return one.whole; });
  const auto problems = std::ssize(explored_);
  std::string text = fmt::format(
      "{}: explored {} schedules of {} with {} to {} threadgroups: {}\n", entry_.name, grouped(schedules_),
      problems == 1 ? "1 problem" : fmt::format("{} problems", problems), kFewest, kMost,
      whole == problems ? "all that exist" : fmt::format("all that exist for {} of the problems", whole));
  for (const Explored& one : explored_) {
    if (one.whole && !options_.schedules.all) continue;
    text += fmt::format("{:>12}  {}{}\n", grouped(one.schedules), to_text(one.problem.dims),
                        one.whole ? "" : fmt::format(": not all ({})", one.why));
  }
  return text;
}

}  // namespace assay::run
