// Kernels on the inputs of vectors that a program made which shares nothing with this one.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <tuple>

#include "harness/run/manifests.hpp"
#include "harness/run/test_devices.hpp"
#include "properties/cases/trial.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/reference/independent_vectors.hpp"

namespace assay::end_to_end {
namespace {

constexpr const char* kWeights[] = {"packed_indices", "scales", "grid", "su", "sv"};

Problem with_parameters(const golden::Dataset& vectors, const std::string& operation,
                        std::initializer_list<std::pair<const char*, const char*>> names) {
  Problem problem{.operation = operation, .dims = {}, .inputs = {}, .outputs = {}};
  for (const auto& [dimension, name] : names) {
    problem.dims[dimension] = static_cast<std::int64_t>(tests::parameter(vectors, name));
  }
  return problem;
}

std::size_t extent(const Problem& problem, const char* name) {
  return static_cast<std::size_t>(problem.dims.at(name));
}

Problem gemm_problem(const golden::Dataset& vectors) {
  Problem problem =
      with_parameters(vectors, "gemm_trellis",
                      {{"M", "M"}, {"N", "N"}, {"K", "K"}, {"group_size", "group_size"}, {"bits", "bits"}});
  problem.dims["n_levels"] = static_cast<std::int64_t>(vectors.find("grid")->element_count());
  problem.inputs.push_back(*vectors.find("A"));
  for (const char* name : kWeights) problem.inputs.push_back(*vectors.find(name));
  problem.outputs = {{"C", DType::f16, {extent(problem, "M"), extent(problem, "N")}}};
  return problem;
}

Problem dequantize_problem(const golden::Dataset& vectors) {
  Problem problem = with_parameters(vectors, "dequantize_trellis",
                                    {{"N", "N"}, {"K", "K"}, {"group_size", "group_size"}, {"bits", "bits"}});
  problem.dims["n_levels"] = static_cast<std::int64_t>(vectors.find("grid")->element_count());
  for (const char* name : kWeights) problem.inputs.push_back(*vectors.find(name));
  problem.outputs = {{"W", DType::f16, {extent(problem, "K"), extent(problem, "N")}}};
  return problem;
}

/// The experts' tensors of one name, one after the other.
Tensor stacked(const golden::Dataset& vectors, const std::string& projection, const std::string& name,
               std::size_t experts) {
  Tensor stack;
  for (std::size_t e = 0; e < experts; ++e) {
    const Tensor& one = *vectors.find(projection + "." + std::to_string(e) + "." + name);
    stack.dtype = one.dtype;
    stack.shape = one.shape;
    stack.data.insert(stack.data.end(), one.data.begin(), one.data.end());
  }
  stack.name = projection + "_" + name;
  stack.shape.insert(stack.shape.begin(), experts);
  return stack;
}

Problem moe_problem(const golden::Dataset& vectors) {
  Problem problem = with_parameters(vectors, "moe_swiglu_trellis",
                                    {{"M", "tokens"},
                                     {"N", "N"},
                                     {"K", "K"},
                                     {"intermediate", "intermediate"},
                                     {"num_experts", "experts"},
                                     {"top_k", "top_k"},
                                     {"group_size", "group_size"},
                                     {"bits", "bits"}});
  problem.dims["n_levels"] = static_cast<std::int64_t>(vectors.find("gate.0.grid")->element_count());
  for (const char* name : {"x", "expert_ids", "expert_probs"}) problem.inputs.push_back(*vectors.find(name));
  for (const char* projection : {"gate", "up", "down"}) {
    for (const char* name : kWeights) {
      problem.inputs.push_back(stacked(vectors, projection, name, extent(problem, "num_experts")));
    }
  }
  problem.outputs = {{"out", DType::f16, {extent(problem, "M"), extent(problem, "N")}}};
  return problem;
}

/// Packed 4-bit weights; those that have zero points have a tensor of them.
void add_packed_weights(const golden::Dataset& vectors, Problem& problem) {
  for (const auto& [name, theirs] :
       {std::pair{"B", "packed"}, std::pair{"scales", "scales"}, std::pair{"zeros", "zero_points"}}) {
    const Tensor* found = vectors.find(theirs);
    if (found == nullptr) continue;
    problem.inputs.push_back(*found);
    problem.inputs.back().name = name;
  }
}

Problem packed_problem(const golden::Dataset& vectors, const std::string& operation) {
  Problem problem =
      with_parameters(vectors, operation, {{"N", "N"}, {"K", "K"}, {"group_size", "group_size"}});
  add_packed_weights(vectors, problem);
  problem.outputs = {{"W", DType::f16, {extent(problem, "K"), extent(problem, "N")}}};
  return problem;
}

Problem packed_gemm_problem(const golden::Dataset& vectors, const std::string& operation) {
  Problem problem =
      with_parameters(vectors, operation, {{"M", "M"}, {"N", "N"}, {"K", "K"}, {"group_size", "group_size"}});
  problem.inputs.push_back(*vectors.find("A"));
  add_packed_weights(vectors, problem);
  problem.outputs = {{"C", DType::f16, {extent(problem, "M"), extent(problem, "N")}}};
  return problem;
}

/// The weights that the file says are right for a chain of roundings; nothing where it says none.
std::optional<Expectation> weights_of(const golden::Dataset& vectors, Precision dequantize) {
  const Tensor* weights = vectors.find("weights");
  if (weights == nullptr && dequantize == Precision::half_precision)
    weights = vectors.find("weights_half_chain");
  if (weights == nullptr) return std::nullopt;
  Expectation expected{.tensor = "W",
                       .value = {},
                       .low = {},
                       .high = {},
                       .signed_zero = true,
                       .bound = "the independent vectors"};
  for (const std::uint16_t half : weights->as<std::uint16_t>())
    expected.value.push_back(reference::half_to_double(half));
  expected.low = expected.high = expected.value;
  return expected;
}

/// The sums that the file has, give or take what adding up in floats in any order may do: of the sum of
/// magnitudes, K roundings of 2^-24 (docs/operations.md, "The forward error bound"), one of a half, and what
/// their own sums in float64 may be off by.
Expectation sums_of(const golden::Dataset& vectors) {
  const auto exact = tests::doubles(vectors, "C_exact"), magnitude = tests::doubles(vectors, "C_magnitude");
  const auto K = static_cast<double>(tests::parameter(vectors, "K"));
  const double bound = (K + 2) * (0x1p-24 + 0x1p-53) / (1 - K * 0x1p-24);
  Expectation expected{.tensor = "C",
                       .value = {exact.begin(), exact.end()},
                       .low = {},
                       .high = {},
                       .signed_zero = false,
                       .bound = "the independent vectors"};
  const auto rounded = [](double value) {
    return reference::half_to_double(reference::half_from_double(value));
  };
  for (std::size_t i = 0; i < exact.size(); ++i) {
    expected.low.push_back(rounded(exact[i] - bound * magnitude[i]));
    expected.high.push_back(rounded(exact[i] + bound * magnitude[i]));
  }
  return expected;
}

class IndependentVectors : public testing::TestWithParam<run::Mode> {};
INSTANTIATE_TEST_SUITE_P(Modes, IndependentVectors, testing::Values(run::Mode::fast, run::Mode::checked),
                         [](const auto& info) { return std::string(run::name_of(info.param)); });

void expect_pass(const std::string& prefix, const std::string& operation, run::Mode mode,
                 Problem (*problem_of)(const golden::Dataset&)) {
  std::size_t kernels = 0;
  for (const auto& entry : run::load_manifest((kSource / "kernels/kernels.toml").string())) {
    if (entry.operation != operation) continue;
    run::TestDevices devices(mode);
    const properties::Trial trial(entry, devices.devices());
    for (const auto& path : tests::independent_vectors(prefix)) {
      const auto result = trial.run(problem_of(golden::read_safetensors(path)));
      EXPECT_EQ(result.outcome.verdict, Verdict::pass)
          << entry.name << " " << path << ": " << result.outcome.summary;
      EXPECT_TRUE(result.telling) << path;
    }
    ++kernels;
  }
  EXPECT_GT(kernels, 0u);
}

TEST_P(IndependentVectors, TrellisWeights) {
  expect_pass("trellis_", "dequantize_trellis", GetParam(), dequantize_problem);
}
TEST_P(IndependentVectors, TrellisProducts) {
  expect_pass("gemm_trellis", "gemm_trellis", GetParam(), gemm_problem);
}
TEST_P(IndependentVectors, Experts) {
  expect_pass("moe_swiglu", "moe_swiglu_trellis", GetParam(), moe_problem);
}

class PackedVectors : public testing::TestWithParam<std::tuple<const char*, run::Mode>> {};
INSTANTIATE_TEST_SUITE_P(Formats, PackedVectors,
                         testing::Combine(testing::Values("fp4", "u4", "s4"),
                                          testing::Values(run::Mode::fast, run::Mode::checked)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  std::string(run::name_of(std::get<1>(info.param)));
                         });

/// Each kernel of the operation on each file, against the reference, and against what the file itself says.
void expect_packed(
    const std::string& prefix, const std::string& operation, run::Mode mode,
    Problem (*problem_of)(const golden::Dataset&, const std::string&),
    const std::function<std::optional<Expectation>(const golden::Dataset&, const Arithmetic&)>& theirs) {
  std::size_t kernels = 0, judged_by_files = 0;
  for (const auto& entry : run::load_manifest((kSource / "kernels/kernels.toml").string())) {
    if (entry.operation != operation) continue;
    run::TestDevices devices(mode);
    const properties::Trial trial(entry, devices.devices());
    for (const auto& path : tests::independent_vectors(prefix)) {
      const golden::Dataset vectors = golden::read_safetensors(path);
      const Problem problem = problem_of(vectors, operation);
      if (entry.unmet_requirement(problem.dims)) continue;
      const auto result = trial.run(problem);
      EXPECT_EQ(result.outcome.verdict, Verdict::pass)
          << entry.name << " " << path << ": " << result.outcome.summary;
      EXPECT_TRUE(result.telling) << path;
      ++kernels;
      const auto expected = theirs(vectors, entry.arithmetic);
      if (!expected) continue;
      const auto by_file = trial.run(problem, {*expected});
      EXPECT_EQ(by_file.outcome.verdict, Verdict::pass)
          << entry.name << " " << path << ", by the file: " << by_file.outcome.summary;
      ++judged_by_files;
    }
  }
  EXPECT_GT(kernels, 0u);
  EXPECT_GT(judged_by_files, 0u);
}

TEST_P(PackedVectors, WeightsAreThoseOfTheKernels) {
  const auto& [format, mode] = GetParam();
  expect_packed(fmt::format("dequant_{}_", format), fmt::format("dequantize_{}", format), mode,
                packed_problem, [](const auto& vectors, const Arithmetic& arithmetic) {
                  return weights_of(vectors, arithmetic.dequantize);
                });
}

// The sums are of weights of a chain in halves.
TEST_P(PackedVectors, ProductsAreThoseOfTheKernels) {
  const auto& [format, mode] = GetParam();
  expect_packed(fmt::format("gemm_{}_", format), fmt::format("gemm_{}", format), mode, packed_gemm_problem,
                [](const auto& vectors, const Arithmetic& arithmetic) -> std::optional<Expectation> {
                  if (arithmetic.dequantize != Precision::half_precision ||
                      arithmetic.accumulate != Precision::float_precision)
                    return std::nullopt;
                  return sums_of(vectors);
                });
}

}  // namespace
}  // namespace assay::end_to_end
