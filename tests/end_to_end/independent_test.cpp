// Kernels on the inputs of vectors that a program made which shares nothing with this one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

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

}  // namespace
}  // namespace assay::end_to_end
