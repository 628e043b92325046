#include "cli/mutated_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "cli/case_runner.hpp"
#include "cli/mutant_code.hpp"
#include "harness/metal/lower.hpp"
#include "harness/metal/variants.hpp"
#include "properties/search.hpp"

namespace assay::cli {
namespace {

using verify::Verdict;

/// Cases of random inputs that the other criteria judge, and the most multiply-adds of one.
constexpr std::size_t kRandomCases = 6;
constexpr std::int64_t kRandomWork = std::int64_t{1} << 18;

std::int64_t work_of(const properties::Case& problem) {
  std::int64_t work = 1;
  for (const char* name : {"M", "N", "K"}) {
    const auto found = problem.dims.find(name);
    if (found != problem.dims.end()) work *= found->second;
  }
  return work;
}

// Of the cases with ordinary values (regime "random", or an operation's first where it has none of that
// name), the last few that are not too large: those have grown out of the edges.
std::vector<std::size_t> random_cases(const MutatedKernel& kernel) {
  const auto& operation = properties::find_operation(kernel.entry->operation);
  const auto& regimes = operation.declaration().regimes;
  const auto* ordinary = properties::find_named(regimes, "random");
  const std::string name = ordinary != nullptr ? ordinary->name : regimes.front().name;
  std::vector<std::size_t> found;
  for (std::size_t i = kernel.cases.size(); i-- > 0 && found.size() < kRandomCases;) {
    const auto& problem = kernel.cases[i].problem;
    if (problem.regime == name && work_of(problem) <= kRandomWork) found.push_back(i);
  }
  return found;
}

[[noreturn]] void refuse_kernel(const Judgement& judgement) {
  throw std::runtime_error(fmt::format("the kernel itself does not pass ({}: {}); make it right first",
                                       verify::name_of(judgement.verdict), judgement.summary));
}

}  // namespace

MutatedKernel read_kernel(const verify::KernelEntry& entry, mutate::OperatorSet operators) {
  MutatedKernel kernel;
  kernel.entry = &entry;
  const auto source = entry.kernel_source();
  kernel.text = metal::preprocess(source);
  kernel.tokens = metal::tokenize(kernel.text, source.path.string());
  const auto live = metal::live_tokens(kernel.tokens, {source.function, source.function_constants});
  kernel.mutations = operators(kernel.tokens, live);
  return kernel;
}

void make_cases(MutatedKernel& kernel, std::uint64_t cases, std::uint64_t seed) {
  const auto& entry = *kernel.entry;
  const auto& operation = properties::find_operation(entry.operation);
  const auto generator = operation.cases(properties::traits_of(entry));
  for (std::uint64_t i = 0; i < cases; ++i) {
    PreparedCase one;
    one.number = static_cast<std::int64_t>(i);
    one.problem = properties::case_at(generator, seed, i);
    one.made = operation.make_problem(one.problem);
    try {
      one.expected = operation.expect(one.made, entry.arithmetic);
    } catch (const properties::Unjudgeable&) {
      continue;
    }
    kernel.cases.push_back(std::move(one));
  }
  if (kernel.cases.empty()) throw std::runtime_error("nothing can be said about any case");
}

std::size_t first_cases(const MutatedKernel& kernel) { return std::min(kFirstCases, kernel.cases.size()); }

void prepare_first(MutatedKernel& kernel, std::uint64_t cases, std::uint64_t seed) {
  make_cases(kernel, cases, seed);
  kernel.random = random_cases(kernel);
  std::vector<std::size_t> first(first_cases(kernel));
  std::iota(first.begin(), first.end(), std::size_t{0});
  auto with_random = first;
  for (const auto index : kernel.random) {
    if (index >= first.size()) with_random.push_back(index);
  }
  auto fast = start_baseline(kernel, kFast, with_random), checked = start_baseline(kernel, kChecked, first);
  kernel.object_code = metal::object_code(kernel.entry->kernel_source(), kernel.text);
  take_baseline(kernel, kFast, with_random, std::move(fast));
  take_baseline(kernel, kChecked, first, std::move(checked));
}

void prepare_rest(MutatedKernel& kernel) {
  const auto fast_rest = cases_without_limit(kernel, kFast),
             checked_rest = cases_without_limit(kernel, kChecked);
  auto fast = start_baseline(kernel, kFast, fast_rest),
       checked = start_baseline(kernel, kChecked, checked_rest);
  take_baseline(kernel, kFast, fast_rest, std::move(fast));
  take_baseline(kernel, kChecked, checked_rest, std::move(checked));
  for (const auto numerics : kLoose) {
    const auto other =
        loosely_compiled(kernel.entry->kernel_source(), kernel.text, kernel.object_code, numerics);
    if (!other) continue;
    const auto loose =
        judge(kernel, {Mode::fast, numerics}, other, {0, (kernel.cases.size() + 1) / 2, false});
    if (loose.verdict != Verdict::pass) refuse_kernel(loose);
  }
  if (!kernel.entry->claims.empty()) {
    const auto claims = judge_claims(kernel, kernel.text);
    if (claims.verdict != Verdict::pass) refuse_kernel(claims);
  }
}

}  // namespace assay::cli
