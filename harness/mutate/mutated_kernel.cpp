#include "harness/mutate/mutated_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/metal/compile/variants.hpp"
#include "harness/metal/text/live.hpp"
#include "harness/metal/text/outline_query.hpp"
#include "harness/metal/text/preprocess.hpp"
#include "harness/mutate/case_runner.hpp"
#include "harness/mutate/mutant_code.hpp"
#include "harness/run/ordinary_cases.hpp"
#include "harness/run/planned_cases.hpp"

namespace assay::mutate {
namespace {

/// Most faults show in the first few cases; what these let live costs seconds.
constexpr std::size_t kFirstCases = 30;

/// So many steps of loops every case of a mutant may take, and so many times as many as the kernel itself.
constexpr std::int64_t kFewestSteps = 20'000'000, kMoreSteps = 20;

/// Cases of random inputs that the other criteria judge, and the most multiply-adds of one.
constexpr std::size_t kRandomCases = 6;
constexpr std::int64_t kRandomWork = std::int64_t{1} << 18;

std::int64_t work_of(const properties::Case& test_case) {
  std::int64_t work = 1;
  for (const char* name : {"M", "N", "K"}) {
    const auto found = test_case.dims.find(name);
    if (found != test_case.dims.end()) work *= found->second;
  }
  return work;
}

// What the work of a case grows with: its sizes in whole tiles.
double cost_of(const KernelEntry& entry, const properties::Case& test_case) {
  const auto tiles = properties::traits_of(entry).tile;
  double cost = 1;
  for (const auto& one : properties::operation_of(entry).declaration().dimensions) {
    if (one.is_choice()) continue;
    const auto size = static_cast<double>(properties::dim(test_case.dims, one.name));
    const auto tile =
        static_cast<double>(one.tile == nullptr ? 1 : std::max<std::int64_t>(tiles.*one.tile, 1));
    cost *= std::ceil(size / tile) * tile;
  }
  return cost;
}

void cheapest_first(const MutatedKernel& kernel, std::vector<std::size_t>& some) {
  std::stable_sort(some.begin(), some.end(), [&](std::size_t a, std::size_t b) {
    return cost_of(*kernel.entry, kernel.cases[a].test_case) <
           cost_of(*kernel.entry, kernel.cases[b].test_case);
  });
}

// Of the cases with ordinary values (regime "random", or an operation's first where it has none of that
// name), the last few that are not too large: those have grown out of the edges. Those that cost least
// before.
std::vector<std::size_t> random_cases(const MutatedKernel& kernel) {
  const auto& operation = properties::operation_of(*kernel.entry);
  const auto& regimes = operation.declaration().regimes;
  const auto* ordinary = properties::find_named(regimes, "random");
  const std::string name = ordinary != nullptr ? ordinary->name : regimes.front().name;
  std::vector<std::size_t> found;
  for (std::size_t i = all_cases(kernel).size(); i-- > 0 && found.size() < kRandomCases;) {
    const auto& problem = kernel.cases[i].test_case;
    if (problem.regime == name && work_of(problem) <= kRandomWork) found.push_back(i);
  }
  cheapest_first(kernel, found);
  return found;
}

// Behind those that are drawn, numbered as `assay verify` numbers them in that mode.
void add_planned(MutatedKernel& kernel, std::uint64_t drawn) {
  for (const auto mode : {kFast, kChecked}) {
    auto number = static_cast<std::int64_t>(drawn);
    for (auto& test_case : run::planned_cases(*kernel.entry, mode, {}).cases) {
      kernel.planned[mode].push_back(kernel.cases.size());
      PreparedCase one;
      one.number = number++;
      one.test_case = std::move(test_case);
      kernel.cases.push_back(std::move(one));
    }
  }
}

}  // namespace

std::int64_t PreparedCase::step_limit(run::Mode mode) const {
  const auto own = own_steps.find(mode);
  return std::max(kFewestSteps, own == own_steps.end() ? 0 : kMoreSteps * own->second);
}

MutatedKernel read_kernel(const KernelEntry& entry, mutate::OperatorSet operators) {
  MutatedKernel kernel;
  kernel.entry = &entry;
  const auto source = entry.kernel_source();
  kernel.text = metal::preprocess(source);
  kernel.tokens = metal::tokenize(kernel.text, source.path.string());
  const auto outline = metal::outline_of(kernel.text, source, {.syntax = true});
  kernel.mutations = operators(kernel.tokens, metal::live_tokens(kernel.tokens, outline), outline.syntax);
  return kernel;
}

void make_cases(MutatedKernel& kernel, std::uint64_t cases, std::uint64_t seed) {
  const auto& entry = *kernel.entry;
  run::VerifyOptions options;
  options.cases = cases;
  options.seed = seed;
  const auto ordinary = run::ordinary_cases(entry, run::Mode::fast, options);
  for (std::uint64_t i = 0; i < cases; ++i) {
    PreparedCase one;
    one.number = static_cast<std::int64_t>(i);
    one.test_case = ordinary.at(i);
    kernel.cases.push_back(std::move(one));
  }
  for (std::size_t i = 0; i < kernel.cases.size(); ++i) {
    (i < kFirstCases ? kernel.first : kernel.later).push_back(i);
  }
  cheapest_first(kernel, kernel.later);
}

std::vector<std::size_t> all_cases(const MutatedKernel& kernel) {
  auto all = kernel.first;
  all.insert(all.end(), kernel.later.begin(), kernel.later.end());
  return all;
}

std::vector<std::size_t> half_of_cases(const MutatedKernel& kernel) {
  auto half = all_cases(kernel);
  const auto count = half.size();
  std::erase_if(half, [&](std::size_t i) { return 2 * i >= count + 1; });
  return half;
}

const Module& own_module(MutatedKernel& kernel, run::Mode mode) {
  auto& module = kernel.own[mode];
  if (!module) {
    auto compiled = counting_variants(kernel.entry->kernel_source(), {kernel.text}, mode)[0];
    if (!compiled.module) throw std::runtime_error(compiled.error);
    module = std::move(compiled.module);
  }
  return module;
}

void prepare(MutatedKernel& kernel, std::uint64_t cases, std::uint64_t seed, const process::Slots& slots) {
  const auto own = slots.take();
  make_cases(kernel, cases, seed);
  kernel.random = random_cases(kernel);
  add_planned(kernel, cases);
  auto wanted = kernel.first;
  for (const auto index : kernel.random) {
    if (index >= wanted.size()) wanted.push_back(index);
  }
  {
    const auto second = slots.try_take();  // both modes at once where one is free
    if (!run_baselines(kernel, {{kFast, wanted}, {kChecked, kernel.first}}, second ? 2 : 1))
      throw std::runtime_error("none of the cases has a right answer to compare with");
  }
  const auto source = kernel.entry->kernel_source();
  kernel.code = code_of(source, kernel.text, metal::Numerics::strict);
}

}  // namespace assay::mutate
