#include "tests/dispatch/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "harness/verify/numbers.hpp"
#include "kernels/host/trellis_kernels.hpp"

namespace assay::tests {
namespace {

// A K tile's figures do not depend on the size of the problem: they are counted on two tiles a side at most.
constexpr std::size_t kCountedSide = 128, kCountedK = 256, kGroupSize = 32;
constexpr double kDepth = 32;  // of K, for which figures of K tiles are given

host::GemmProblem problem_of(const DispatchRule& rule) {
  const auto format = rule.weights == Weights::u4 ? host::WeightFormat::u4 : host::WeightFormat::fp4;
  return {format, rule.M, rule.N, rule.K, kGroupSize};
}

device::Limits limits_of(const DispatchRule& rule) {
  device::Limits limits;
  limits.threadgroup_memory_bytes = rule.core_bytes;
  return limits;
}

/// 12,345.6
std::string shown(double value) {
  const auto tenths = static_cast<std::uint64_t>(std::llround(value * 10));
  const std::string whole = grouped(tenths / 10);
  return tenths % 10 == 0 ? whole : fmt::format("{}.{}", whole, tenths % 10);
}

std::string problem_text(const DispatchRule& rule) {
  std::string text = fmt::format("{} x {} x {}", shown(static_cast<double>(rule.M)),
                                 shown(static_cast<double>(rule.N)), shown(static_cast<double>(rule.K)));
  if (rule.weights == Weights::u4) text += ", U4";
  if (rule.weights == Weights::trellis) text += ", trellis";
  if (rule.core_bytes != 32'768)
    text += fmt::format(", {} bytes a core", shown(static_cast<double>(rule.core_bytes)));
  return text;
}

double threadgroups_of(const host::KernelDescription& kernel, const DispatchRule& rule) {
  const auto choice = host::choose_kernel(problem_of(rule), limits_of(rule));
  if (host::find_kernel(host::WeightFormat::fp4, choice.role) == &kernel) {
    const auto grid = host::grid_of(choice, problem_of(rule));
    return static_cast<double>(grid.x) * grid.y * grid.z;
  }
  const auto tiles = [](std::size_t size, std::size_t tile) { return (size + tile - 1) / tile; };
  return static_cast<double>(tiles(rule.M, kernel.tile_m) * tiles(rule.N, kernel.tile_n));
}

/// "1 for 8"
std::string compared(const DispatchCount& ours, const DispatchCount& theirs) {
  return fmt::format("{} ({} for {})", ours.name, shown(ours.value), shown(theirs.value));
}

std::string joined(const std::vector<std::string>& parts) {
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

/// Calls `use(number, rule, what it wants)` for each rule that the host does not follow.
template <class Use>
void for_departures(std::span<const DispatchRule> rules, Use&& use) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (follows(rules[i])) continue;
    const auto* wanted = launchable(rules[i].wants);
    if (wanted == nullptr) throw std::invalid_argument(fmt::format("no kernel {}", rules[i].wants));
    use(i + 1, rules[i], *wanted);
  }
}

}  // namespace

const host::KernelDescription* launchable(std::string_view name) {
  std::vector<const host::KernelDescription*> all = {&host::trellis_prefill_kernel(),
                                                     &host::trellis_decode_kernel()};
  for (const auto format : {host::WeightFormat::fp4, host::WeightFormat::u4, host::WeightFormat::s4}) {
    for (const auto role : host::kKernelRoles) {
      if (const auto* kernel = host::find_kernel(format, role)) all.push_back(kernel);
    }
  }
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto* kernel) { return kernel->name == name; });
  return found == all.end() ? nullptr : *found;
}

const host::KernelDescription& taken(const DispatchRule& rule) {
  if (rule.weights == Weights::trellis) {
    return host::choose_trellis_kernel({rule.M, rule.N, rule.K, kGroupSize, 4}, limits_of(rule));
  }
  const auto problem = problem_of(rule);
  return *host::find_kernel(problem.format, host::choose_kernel(problem, limits_of(rule)).role);
}

bool follows(const DispatchRule& rule) {
  const auto& kernel = taken(rule);
  return kernel.name == rule.wants || fmt::format("K tiles of {}", kernel.tile_k) == rule.wants;
}

DispatchCounter::DispatchCounter()
    : manifest_(assay::read_manifest(std::filesystem::path(ASSAY_SOURCE_DIR) / "kernels/kernels.toml")) {}

std::vector<DispatchCount> DispatchCounter::count(const host::KernelDescription& kernel,
                                                  const DispatchRule& rule) {
  const auto M = static_cast<std::int64_t>(std::min(rule.M, kCountedSide));
  const auto N = static_cast<std::int64_t>(std::min(rule.N, kCountedSide));
  auto& figures = counted_[{std::string(kernel.name), M, N}];
  if (figures.empty()) {
    const auto entry = std::find_if(manifest_.begin(), manifest_.end(),
                                    [&](const auto& candidate) { return candidate.name == kernel.name; });
    const auto K = static_cast<std::int64_t>(kCountedK);
    figures =
        profile::Profiler(*entry)
            .count({{"M", M}, {"N", N}, {"K", K}, {"group_size", static_cast<std::int64_t>(kGroupSize)}})
            .figures;
  }
  const auto whole = [&](std::string_view name) { return figures.at(std::string(name)).high; };
  const auto deep = [&](std::string_view name) { return whole(name) * kDepth / kernel.tile_k; };
  const double threadgroups = threadgroups_of(kernel, rule);
  const double loaded = deep("loaded_bytes_per_k_tile_of_A") + deep("loaded_bytes_per_k_tile_of_B") +
                        deep("loaded_bytes_per_k_tile_of_scales");
  const std::size_t padding = (kernel.tile_m - rule.M % kernel.tile_m) % kernel.tile_m;
  return {{"threadgroup bytes", whole("threadgroup_bytes"), -1},
          {"threadgroups a core holds", whole("occupancy"), 1},
          {"threadgroups", threadgroups, 0},
          {"threadgroups at a time", std::min(threadgroups, host::kDefaultCores * whole("occupancy")), 1},
          {"rows of padding", static_cast<double>(padding), -1},
          {"loads of a word of B", whole("loads_of_B"), -1},
          {"bytes a transaction of A", whole("bytes_per_transaction_of_A"), 1},
          {"bytes a transaction of B", whole("bytes_per_transaction_of_B"), 1},
          {"bytes loaded", loaded, -1},
          {"threadgroup barriers", deep("threadgroup_barriers_per_k_tile"), -1},
          {"simdgroup barriers", deep("simdgroup_barriers_per_k_tile"), -1},
          {"matrix operations", deep("matrix_operations_per_k_tile"), -1}};
}

std::string rules_table(std::span<const DispatchRule> rules) {
  std::string text =
      "| | document | what it says | M x N x K | it wants | we take | |\n|--:|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const auto& rule = rules[i];
    const bool kernel = launchable(rule.wants) != nullptr;
    text += fmt::format("| {} | {}, {} | {} | {} | {} | `{}` | {} |\n", i + 1, rule.document, rule.section,
                        rule.says, problem_text(rule),
                        kernel ? fmt::format("`{}`", rule.wants) : std::string(rule.wants), taken(rule).name,
                        follows(rule) ? "the same" : "**differs**");
  }
  return text;
}

std::string counts_table(std::span<const DispatchRule> rules, DispatchCounter& counter) {
  std::string head = "| rule | | kernel |", line = "|--:|---|---|", text;
  for_departures(rules, [&](std::size_t number, const DispatchRule& rule,
                            const host::KernelDescription& wanted) {
    for (const auto* kernel : {&wanted, &taken(rule)}) {
      const auto counts = counter.count(*kernel, rule);
      if (text.empty()) {
        for (const auto& count : counts) {
          head += fmt::format(" {} |", count.name);
          line += "--:|";
        }
      }
      text += fmt::format("| {} | {} | `{}` |", number, kernel == &wanted ? "wanted" : "taken", kernel->name);
      for (const auto& count : counts) text += fmt::format(" {} |", shown(count.value));
      text += "\n";
    }
  });
  return head + "\n" + line + "\n" + text;
}

std::string reasons_table(std::span<const DispatchRule> rules, DispatchCounter& counter) {
  std::string text = "| rule | taken for wanted | in favour | against | why |\n|--:|---|---|---|---|\n";
  for_departures(rules,
                 [&](std::size_t number, const DispatchRule& rule, const host::KernelDescription& wanted) {
                   const auto ours = counter.count(taken(rule), rule), theirs = counter.count(wanted, rule);
                   std::vector<std::string> in_favour, against;
                   for (std::size_t i = 0; i < ours.size(); ++i) {
                     const double gain = (ours[i].value - theirs[i].value) * ours[i].better;
                     if (gain != 0) (gain > 0 ? in_favour : against).push_back(compared(ours[i], theirs[i]));
                   }
                   text += fmt::format("| {} | `{}` for `{}` | {} | {} | {} |\n", number, taken(rule).name,
                                       wanted.name, joined(in_favour), joined(against), rule.why);
                 });
  return text;
}

}  // namespace assay::tests
