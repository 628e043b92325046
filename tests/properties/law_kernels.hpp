// Kernels to hold laws against, and counting the cases that break them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "properties/cases/search.hpp"
#include "properties/laws/check_law.hpp"
#include "properties/laws/law.hpp"
#include "reference/half.hpp"

namespace assay::properties::laws::testing {

/// Outputs of a problem, judged by nobody.
using Kernel = std::function<std::vector<Tensor>(const Problem&)>;

inline void put(Tensor& tensor, std::size_t i, double value) {
  switch (tensor.dtype) {
    case DType::f16:
      tensor.as<std::uint16_t>()[i] = reference::half_from_double(value);
      break;
    case DType::f32:
      tensor.as<float>()[i] = static_cast<float>(value);
      break;
    case DType::u32:
      tensor.as<std::uint32_t>()[i] = static_cast<std::uint32_t>(value);
      break;
    default:
      tensor.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(value);
  }
}

/// The worst of right kernels: of all right answers it gives one end or the other, as it likes at each
/// launch.
inline Kernel wavering(const Operation& operation) {
  return [&operation, launch = std::uint64_t{0}](const Problem& problem) mutable {
    const Draw draw(++launch, "wavering");
    std::vector<Tensor> outputs;
    const auto expected = operation.expect(problem, {});
    for (const OutputSpec& spec : problem.outputs) {
      Tensor& tensor = outputs.emplace_back(assay::make_tensor(spec.name, spec.dtype, spec.shape));
      const auto right = std::find_if(expected.begin(), expected.end(),
                                      [&](const auto& one) { return one.tensor == spec.name; });
      for (std::size_t i = 0; i < tensor.element_count(); ++i) {
        put(tensor, i, (draw.words(i)[0] & 1) != 0 ? right->low[i] : right->high[i]);
      }
    }
    return outputs;
  };
}

inline KernelEntry entry_of(const Operation& operation) {
  KernelEntry entry;
  entry.operation = operation.name();
  return entry;
}

inline LawResult check_law(const Law& law, const Operation& operation, const KernelEntry& entry,
                           const Case& test_case, const Kernel& kernel) {
  const Problem problem = operation.make_problem(test_case);
  const auto outputs = kernel(problem);
  const auto expected = operation.expect(problem, {});
  return laws::check_law(law, {operation, entry, problem, Draw(test_case.seed, law.name)},
                         {outputs, expected}, [&](const Problem& other) {
                           return RunResult{.report = {}, .outputs = kernel(other), .changed_inputs = {}};
                         });
}

inline CaseSpace small_cases(const Operation& operation) {
  return operation.cases({.tile = {8, 8, 8}, .requirements = {}, .arithmetic = {}},
                         {.largest = 1 << 12, .least = 1 << 9, .longest = 0});
}

/// How many of the first cases break a law, by its name; and in `asked` how many claims were made.
inline std::map<std::string, int> broken_by(const Operation& operation, const Kernel& kernel,
                                            std::uint64_t cases,
                                            std::map<std::string, std::size_t>* asked = nullptr) {
  const auto drawn = small_cases(operation);
  const KernelEntry entry = entry_of(operation);
  std::map<std::string, int> broken;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Case test_case = case_at(drawn, 7, i);
    for (const Law& law : laws_of(operation)) {
      const LawResult result = check_law(law, operation, entry, test_case, kernel);
      if (asked != nullptr) (*asked)[law.name] += result.claims;
      broken[law.name] += result.outcome.verdict == Verdict::pass ? 0 : 1;
      if (result.outcome.verdict != Verdict::pass && asked != nullptr) {
        ADD_FAILURE() << to_line(test_case) << "\n" << result.outcome.summary << result.details;
      }
    }
  }
  return broken;
}

}  // namespace assay::properties::laws::testing
