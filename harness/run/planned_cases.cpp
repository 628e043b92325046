#include "harness/run/planned_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "assay/device/registry.hpp"
#include "harness/verify/numbers.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/values_plan.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/large/length_plan.hpp"
#include "properties/large/models.hpp"
#include "properties/large/product_plan.hpp"
#include "properties/large/shape_cases.hpp"
#include "properties/large/share.hpp"
#include "properties/large/whole.hpp"
#include "properties/large/width_plan.hpp"
#include "properties/large/width_words.hpp"

namespace assay::run {
namespace {

/// Of an operation that comes with Assay: what its kernels are known to take.
constexpr std::size_t kLargestTensor = std::size_t{8} << 30;

/// A threadgroup that works through more would take seconds: a prompt, where each has all of it.
constexpr std::int64_t kMostWork = 1 << 18;

/// The same of a case that goes past a width: some seconds of either mode.
constexpr std::int64_t kMostFast = std::int64_t{1} << 32, kMostChecked = std::int64_t{1} << 20;

bool takes_moments(const KernelEntry& entry, const properties::Operation& operation,
                   const properties::Case& test_case) {
  if (!properties::can_run(entry, operation, test_case)) return false;
  const auto share = properties::Share::of(entry, operation, test_case.dims);
  return !share || properties::work_of_threadgroup(operation, test_case.dims, *share) <= kMostWork;
}

}  // namespace

PlannedCases planned_cases(const KernelEntry& entry, Mode mode, const VerifyOptions& options) {
  const bool asked = options.planned && !options.shapes.asked() && !options.exhaustive && !options.laws_alone;
  if (!asked || numerics_of(mode) != Numerics::strict) return {};
  const auto& operation = properties::operation_of(entry);
  auto values = properties::plan_values(operation, properties::traits_of(entry));
  PlannedCases planned{std::move(values.cases), std::move(values.wanted), {}};
  const auto device = device::make_device(options.device, {});
  const auto space = operation.cases(properties::traits_of(entry));
  for (const Dims& shape : entry.shapes) {
    for (auto& test_case : properties::shape_cases(entry, operation, space, shape, options.budget)) {
      const bool large = properties::is_large(operation.declaration(), test_case.dims) &&
                         !properties::runs_whole(operation.declaration(), test_case);
      if (!large || device->capabilities().samples) planned.cases.push_back(std::move(test_case));
    }
    planned.wanted.push_back(properties::shape_tag(shape));
  }
  if (!device->capabilities().samples) return planned;
  const std::int64_t most_work = mode == Mode::checked ? kMostChecked : kMostFast;
  const std::size_t most_bytes = device->limits().buffer_bytes;
  auto plan = properties::plan_widths(
      entry, operation, entry.stated ? most_bytes : std::min(most_bytes, kLargestTensor), most_work);
  for (auto& test_case : properties::popular_cases(operation, space, mode == Mode::checked)) {
    if (takes_moments(entry, operation, test_case)) plan.cases.push_back(std::move(test_case));
  }
  if (mode == Mode::fast) {
    for (const auto& more : {properties::plan_long_sizes(entry, operation),
                             properties::plan_lengths(entry, operation, plan.cases),
                             properties::plan_products(entry, operation)}) {
      plan.cases.insert(plan.cases.end(), more.cases.begin(), more.cases.end());
      plan.wanted.insert(plan.wanted.end(), more.wanted.begin(), more.wanted.end());
    }
  }
  for (auto& test_case : plan.cases) {
    if (properties::is_large(operation.declaration(), test_case.dims)) test_case.budget = options.budget;
    planned.cases.push_back(std::move(test_case));
  }
  planned.wanted.insert(planned.wanted.end(), plan.wanted.begin(), plan.wanted.end());
  planned.dear = std::move(plan.dear);
  return planned;
}

std::string unseen_widths(const KernelEntry& entry, const VerifyOptions& options) try {
  const auto& operation = properties::operation_of(entry);
  const auto device = device::make_device(options.device, {});
  if (!entry.stated || !operation.has_answers() || !device->capabilities().samples || !options.planned)
    return "";
  const auto lacks = properties::what_large_cases_lack(entry, operation);
  if (!lacks.empty())
    return "no large cases, so an index that goes wrong past 2^24 elements, or past 31 bits, may go "
           "unseen: " +
           lacks;
  auto plan = properties::plan_widths(entry, operation, device->limits().buffer_bytes, kMostFast);
  for (const auto& tag : properties::plan_lengths(entry, operation, plan.cases).wanted) plan.dear.erase(tag);
  if (plan.dear.empty()) return "";
  // The widest of those that nothing reaches.
  const auto bits = [](const auto& dear) { return std::stoi(dear.first.substr(dear.first.find('^') + 1)); };
  const auto widest = std::max_element(plan.dear.begin(), plan.dear.end(),
                                       [&](const auto& a, const auto& b) { return bits(a) < bits(b); });
  const auto& [name, size] = widest->second;
  return fmt::format(
      "no large case takes {}: that takes {} = {}, for which no run has the time; if {} is bounded, say so "
      "in "
      "requires ({}_max)",
      widest->first, name, grouped(size), name, name);
} catch (const std::exception&) {  // of an entry that is told to be wrong when it is run
  return "";
}

}  // namespace assay::run
