#include "harness/mutate/repair_run.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "harness/mutate/case_runner.hpp"
#include "harness/process/batches.hpp"

namespace assay::mutate {
namespace {

/// Changes that are compiled together.
constexpr std::size_t kRepairsOfBatch = 16;
/// Processor time of the compiler, for a batch.
constexpr rlim_t kCompile_s = 60;

constexpr std::array<run::Mode, 4> kModes = {kFast, kChecked, run::Mode::contracted, run::Mode::reassociated};

struct RejectedBy {
  run::Mode mode;
  Judgement judgement;
  std::size_t index() const { return static_cast<std::size_t>(std::max<std::int64_t>(0, judgement.case_)); }
};

// The first mode, and in it the first case, that rejects the kernel itself.
std::optional<RejectedBy> first_failure(const MutatedKernel& kernel) {
  for (const run::Mode mode : kModes) {
    const auto compiled = counting_variants(kernel.entry->kernel_source(), {kernel.text}, mode);
    if (!compiled[0].module) throw std::runtime_error(compiled[0].error);
    const auto judgement = judge(kernel, mode, compiled[0].module, all_cases(kernel));
    if (judgement.verdict == Verdict::error) throw std::runtime_error(judgement.summary);
    if (judgement.verdict != Verdict::pass) return RejectedBy{mode, judgement};
  }
  return std::nullopt;
}

bool passes(const MutatedKernel& kernel, run::Mode mode, const Module& module,
            const std::vector<std::size_t>& cases) {
  return judge(kernel, mode, module, cases).verdict == Verdict::pass;
}

// In a child: sends {"index", "right"} for each change. `thorough`: all cases in every mode.
void try_changes(const MutatedKernel& kernel, const RejectedBy& failure, bool thorough,
                 const process::Batch& batch, const process::Reporter& reporter) {
  std::vector<std::string> texts;
  for (const auto index : batch) texts.push_back(mutate::apply(kernel.tokens, kernel.mutations[index]));
  std::vector<bool> right(batch.size(), true);
  const auto try_in = [&](run::Mode mode, const std::vector<std::size_t>& cases) {
    const auto compiled = [&] {
      const TimeForPrograms limit(kCompile_s);
      return counting_variants(kernel.entry->kernel_source(), texts, mode);
    }();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      right[i] = right[i] && compiled[i].module &&
                 passes(kernel, mode, compiled[i].module, {failure.index()}) &&
                 passes(kernel, mode, compiled[i].module, cases);
    }
  };
  if (thorough) {
    for (const run::Mode mode : kModes) try_in(mode, all_cases(kernel));
  } else {
    try_in(failure.mode, kernel.first);
  }
  for (std::size_t i = 0; i < batch.size(); ++i)
    reporter.send({{"index", batch[i]}, {"right", bool(right[i])}});
}

}  // namespace

Repairs find_repairs(const KernelEntry& entry, const RepairOptions& options,
                     const std::function<void(std::size_t, std::size_t)>& step) {
  auto kernel = read_kernel(entry, mutate::repairs_of);
  make_cases(kernel, options.cases, options.seed);
  const auto failure = first_failure(kernel);
  Repairs repairs;
  if (!failure) return repairs;
  repairs.verdict = assay::name_of(failure->judgement.verdict);
  repairs.mode = name_of(failure->mode);
  repairs.case_ = kernel.cases.at(failure->index()).number;
  repairs.tried = kernel.mutations.size();

  std::vector<std::size_t> open(kernel.mutations.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  const process::Slots slots(options.jobs);
  for (const bool thorough : {false, true}) {
    std::vector<std::size_t> right;
    std::size_t done = 0;
    const auto work = [&](const process::Batch& batch, const process::Reporter& reporter) {
      try_changes(kernel, *failure, thorough, batch, reporter);
    };
    process::run_in_batches(slots, open, kRepairsOfBatch, work, [&](const nlohmann::json& message) {
      if (message.at("right").get<bool>()) right.push_back(message.at("index").get<std::size_t>());
      if (!thorough) step(++done, kernel.mutations.size());
    });
    open = std::move(right);
  }
  std::sort(open.begin(), open.end());
  mutate::SourceLines lines(kernel.tokens);
  for (const auto index : open) repairs.found.push_back(lines.of(kernel.mutations[index]));
  return repairs;
}

}  // namespace assay::mutate
