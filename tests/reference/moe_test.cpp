// What is right for a layer of experts: independent vectors, kernels in plain float that must be accepted,
// and what must be refused.
#include "reference/moe.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include "reference/half.hpp"
#include "reference/trellis.hpp"
#include "tests/reference/independent_vectors.hpp"

namespace assay::reference {
namespace {

using Halves = std::vector<std::uint16_t>;

std::vector<std::uint16_t> weights_of(const golden::Dataset& vectors, const std::string& name, std::size_t K,
                                      std::size_t N) {
  return dequantize_trellis({K, N, tests::parameter(vectors, "group_size"),
                             static_cast<unsigned>(tests::parameter(vectors, "bits")),
                             tests::elements<std::uint8_t>(vectors, name + ".packed_indices", DType::u8),
                             tests::floats(vectors, name + ".scales"), tests::floats(vectors, name + ".grid"),
                             tests::floats(vectors, name + ".su"), tests::floats(vectors, name + ".sv")});
}

struct Layer {
  MoeProblem problem;
  std::vector<ExpertWeights> experts;
};

Layer layer_of(const golden::Dataset& vectors) {
  Layer layer;
  MoeProblem& problem = layer.problem;
  problem.tokens = tests::parameter(vectors, "tokens");
  problem.K = tests::parameter(vectors, "K");
  problem.intermediate = tests::parameter(vectors, "intermediate");
  problem.N = tests::parameter(vectors, "N");
  problem.top_k = tests::parameter(vectors, "top_k");
  problem.x = tests::halves(vectors, "x");
  problem.expert_ids = tests::elements<std::uint32_t>(vectors, "expert_ids", DType::u32);
  problem.expert_probs = tests::floats(vectors, "expert_probs");
  for (std::size_t e = 0; e < tests::parameter(vectors, "experts"); ++e) {
    const auto projection = [&](const char* name, std::size_t rows, std::size_t columns) {
      return weights_of(vectors, name + ("." + std::to_string(e)), rows, columns);
    };
    layer.experts.push_back({projection("gate", problem.K, problem.intermediate),
                             projection("up", problem.K, problem.intermediate),
                             projection("down", problem.intermediate, problem.N)});
  }
  return layer;
}

TEST(MoeSwiglu, AgreesWithIndependentVectors) {
  for (const auto& path : tests::independent_vectors("moe_swiglu")) {
    SCOPED_TRACE(path);
    const auto vectors = golden::read_safetensors(path);
    Layer layer = layer_of(vectors);
    layer.problem.experts = layer.experts;
    const auto exact = tests::doubles(vectors, "out_exact");
    const double largest = std::fabs(*std::max_element(
        exact.begin(), exact.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); }));
    const MoeResult in_float = moe_swiglu(layer.problem, {.half_hidden = false});
    const MoeResult in_half = moe_swiglu(layer.problem, {});
    ASSERT_EQ(exact.size(), in_float.value.size());
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_NEAR(in_float.value[i], exact[i], largest * 1e-13) << i;
      // A kernel without error is right where nothing is rounded on the way.
      EXPECT_TRUE(in_float.right[i].contains(round_to_half(exact[i]))) << i;
      // Rounding 48 hidden values to half moves a sum by less than 2^-11 of their products' magnitude.
      EXPECT_NEAR(in_half.right[i].low, exact[i], largest * 0x1p-8) << i;
      EXPECT_LE(in_half.right[i].high - in_half.right[i].low, largest * 0x1p-8) << "hardly a bound";
    }
  }
}

Halves random_halves(std::mt19937& random, std::size_t count, double scale) {
  std::normal_distribution<double> normal(0.0, scale);
  Halves drawn(count);
  for (auto& half : drawn) half = half_from_double(normal(random));
  return drawn;
}

/// A layer that owns its inputs.
struct OwnedLayer {
  Halves x;
  std::vector<std::uint32_t> ids;
  std::vector<float> probs;
  std::vector<ExpertWeights> experts;
  MoeProblem sizes;

  OwnedLayer(std::size_t tokens, std::size_t K, std::size_t I, std::size_t N, std::size_t count,
             std::size_t top_k, std::uint32_t seed, double gate_scale = 0.3) {
    std::mt19937 random(seed);
    sizes = {.tokens = tokens,
             .K = K,
             .intermediate = I,
             .N = N,
             .top_k = top_k,
             .x = {},
             .expert_ids = {},
             .expert_probs = {},
             .experts = {}};
    x = random_halves(random, tokens * K, 1.0);
    for (std::size_t i = 0; i < tokens * top_k; ++i) {
      ids.push_back(static_cast<std::uint32_t>(random() % count));
      probs.push_back(static_cast<float>(random() % 1000 + 1) / 1000.0F);
    }
    for (std::size_t e = 0; e < count; ++e) {
      experts.push_back({random_halves(random, K * I, gate_scale), random_halves(random, K * I, 0.3),
                         random_halves(random, I * N, 0.3)});
    }
  }

  MoeProblem problem() const {
    MoeProblem whole = sizes;
    whole.x = x;
    whole.expert_ids = ids;
    whole.expert_probs = probs;
    whole.experts = experts;
    return whole;
  }
};

/// Sums of products in float, in the order given.
float dot(std::size_t count, const std::vector<std::size_t>& order,
          const std::function<float(std::size_t)>& a, const std::function<float(std::size_t)>& b) {
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += a(order[i]) * b(order[i]);
  return sum;
}

/// A kernel as one would write it in scalar code. `exp_error` is relative.
Halves scalar_kernel(const MoeProblem& p, bool half_hidden, std::mt19937& random, float exp_error) {
  const auto shuffled = [&](std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    return order;
  };
  const auto over_k = shuffled(p.K), over_i = shuffled(p.intermediate);
  Halves out(p.tokens * p.N);
  for (std::size_t t = 0; t < p.tokens; ++t) {
    std::vector<float> totals(p.N, 0.0F);
    for (std::size_t slot = 0; slot < p.top_k; ++slot) {
      const ExpertWeights& expert = p.experts[p.expert_ids[t * p.top_k + slot]];
      std::vector<float> hidden(p.intermediate);
      for (std::size_t j = 0; j < p.intermediate; ++j) {
        const auto x = [&](std::size_t k) { return half_to_float(p.x[t * p.K + k]); };
        const auto column = [&](const Halves& w) {
          return [&, j](std::size_t k) { return half_to_float(w[k * p.intermediate + j]); };
        };
        const float gate = dot(p.K, over_k, x, column(expert.gate)),
                    up = dot(p.K, over_k, x, column(expert.up));
        const float e = std::exp(-gate) * (1.0F + exp_error);
        hidden[j] = gate / (1.0F + e) * up;
        if (half_hidden) hidden[j] = half_to_float(half_from_float(hidden[j]));
      }
      for (std::size_t n = 0; n < p.N; ++n) {
        totals[n] += p.expert_probs[t * p.top_k + slot] *
                     dot(
                         p.intermediate, over_i, [&](std::size_t j) { return hidden[j]; },
                         [&](std::size_t j) { return half_to_float(expert.down[j * p.N + n]); });
      }
    }
    for (std::size_t n = 0; n < p.N; ++n) out[t * p.N + n] = half_from_float(totals[n]);
  }
  return out;
}

std::size_t count_rejected(const MoeResult& result, const Halves& out) {
  std::size_t rejected = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    rejected += result.right[i].contains(half_to_double(out[i])) ? 0 : 1;
  }
  return rejected;
}

RC_GTEST_PROP(MoeSwigluProperty, AcceptsScalarKernelsInAnyOrder, (std::uint32_t seed)) {
  const auto size = rc::gen::inRange<std::size_t>(1, 40);
  const bool half_hidden = *rc::gen::arbitrary<bool>();
  const double gate_scale = *rc::gen::element(0.01, 0.3, 10.0);
  const OwnedLayer layer(*rc::gen::inRange<std::size_t>(1, 5), *size, *size,
                         *rc::gen::inRange<std::size_t>(1, 9), *rc::gen::inRange<std::size_t>(1, 5),
                         *rc::gen::inRange<std::size_t>(1, 4), seed, gate_scale);
  std::mt19937 random(seed + 1);
  const MoeProblem problem = layer.problem();
  const MoeResult right = moe_swiglu(problem, {.half_hidden = half_hidden});
  for (const float exp_error : {0.0F, 0x1p-22F, -0x1p-22F}) {
    RC_ASSERT(count_rejected(right, scalar_kernel(problem, half_hidden, random, exp_error)) == 0U);
  }
}

TEST(MoeSwiglu, TellsAHalfHiddenVectorFromAFloatOne) {
  const OwnedLayer layer(4, 32, 64, 64, 2, 2, 7);
  std::mt19937 random(1);
  const MoeProblem problem = layer.problem();
  EXPECT_GT(
      count_rejected(moe_swiglu(problem, {.half_hidden = false}), scalar_kernel(problem, true, random, 0)),
      20U);
}

TEST(MoeSwiglu, ANanStaysInItsToken) {
  OwnedLayer layer(3, 5, 7, 9, 2, 1, 3);
  layer.x[1 * 5 + 2] = kHalfQuietNan;
  const MoeResult result = moe_swiglu(layer.problem(), {});
  for (std::size_t i = 0; i < 27; ++i) EXPECT_EQ(std::isnan(result.right[i].low), i / 9 == 1) << i;
}

// Infinity in x, in a column of up, and neither; down of one sign, of both, and 0.
TEST(MoeSwiglu, InfinityComesOutAsInfinityOrAsNan) {
  const auto fill = [](std::vector<std::uint16_t>& weights, double value) {
    std::fill(weights.begin(), weights.end(), half_from_double(value));
  };
  for (const bool in_x : {true, false}) {
    OwnedLayer layer(1, 4, 4, 3, 1, 1, 3);
    std::fill(layer.x.begin(), layer.x.end(), half_from_double(1));
    fill(layer.experts[0].gate, 1);
    fill(layer.experts[0].up, 1);
    fill(layer.experts[0].down, 1);
    (in_x ? layer.x[1] : layer.experts[0].up[2]) = kHalfInfinity;
    layer.experts[0].down[3 * 2 + 1] = half_from_double(-1);  // of the hidden value that is infinite in both
    layer.experts[0].down[3 * 2 + 2] = 0;
    for (const bool half_hidden : {false, true}) {
      const auto right = moe_swiglu(layer.problem(), {.half_hidden = half_hidden}).right;
      EXPECT_EQ(right[0].low, HUGE_VAL);
      EXPECT_EQ(right[0].high, HUGE_VAL);
      EXPECT_TRUE(in_x ? std::isnan(right[1].low) : right[1].high == -HUGE_VAL);
      EXPECT_TRUE(std::isnan(right[2].low));
    }
  }
}

TEST(MoeSwiglu, WhatNothingCanBeSaidOfIsNoResult) {
  OwnedLayer infinite(1, 2, 2, 2, 1, 1, 3);
  infinite.x[0] = kHalfInfinity;
  std::fill(infinite.experts[0].gate.begin(), infinite.experts[0].gate.end(), half_from_double(-1));
  EXPECT_THROW(moe_swiglu(infinite.problem(), {}), std::domain_error) << "silu of -infinity";
  OwnedLayer large(1, 2, 2, 2, 1, 1, 3);
  std::fill(large.x.begin(), large.x.end(), half_from_double(30000));
  std::fill(large.experts[0].gate.begin(), large.experts[0].gate.end(), half_from_double(100));
  std::fill(large.experts[0].up.begin(), large.experts[0].up.end(), half_from_double(100));
  EXPECT_THROW(moe_swiglu(large.problem(), {}), std::domain_error);
}

// Every z from where exp overflows to where silu is the identity, under the errors that Metal's tables allow:
// exp off by 3 + floor(|2 z|) ulp, the quotient by 2.5.
RC_GTEST_PROP(CarriedSilu, HoldsWhateverMetalsTablesAllow, ()) {
  const auto z = static_cast<float>(*rc::gen::inRange(-1000000, 1000000)) * 0x1p-13F;
  const Carried carried = carried_silu({static_cast<double>(z), 0.0}, kFloatUnitRoundoff);
  const double ulps = 3.0 + std::floor(2.0 * std::fabs(static_cast<double>(z)));
  for (const double sign : {-1.0, 0.0, 1.0}) {
    for (const double quotient_sign : {-1.0, 0.0, 1.0}) {
      const auto e = static_cast<float>(std::exp(-static_cast<double>(z)) * (1.0 + sign * ulps * 0x1p-23));
      const float silu = z / (1.0F + e);
      const double got = static_cast<double>(silu) * (1.0 + quotient_sign * 2.0 * 0x1p-23);
      RC_ASSERT(std::fabs(got - carried.value) <= carried.radius);
    }
  }
  RC_ASSERT(carried.radius <= std::max(std::fabs(carried.value) * 0x1p-13, 0x1p-117));
}

TEST(CarriedSilu, IsSteeperThanOneNowhereByMoreThanATenth) {
  double steepest = 0;
  for (int i = -20 * 1024; i < 20 * 1024; ++i) {
    const double z = i * 0x1p-10;
    const double s = 1.0 / (1.0 + std::exp(-z));
    steepest = std::max(steepest, std::fabs(s * (1.0 + z * (1.0 - s))));
  }
  EXPECT_LT(steepest, 1.1);
  EXPECT_GT(steepest, 1.099);
}

TEST(CarriedSilu, IsNowhereSteeperBelowZeroThanWhatItsBoundTakes) {
  for (int i = -30 * 256; i < 0; ++i) {
    const double z = i * 0x1p-8;
    const double s = 1.0 / (1.0 + std::exp(-z)), slope = std::fabs(s * (1.0 + z * (1.0 - s)));
    EXPECT_LE(slope, (1.0 - z) * std::exp(z)) << z;
  }
}

// Slots that are padded name no expert, and hold anything as its probability.
TEST(MoeSwiglu, ASlotWithoutAnExpertCountsForNothing) {
  OwnedLayer layer(3, 5, 7, 9, 2, 2, 3), none(3, 5, 7, 9, 2, 2, 3);
  layer.probs[3] = 0;
  none.ids[3] = 0xFFFFFFFF;
  none.probs[3] = std::numeric_limits<float>::quiet_NaN();
  const auto right = moe_swiglu(layer.problem(), {}), padded = moe_swiglu(none.problem(), {});
  for (std::size_t i = 0; i < right.value.size(); ++i) EXPECT_EQ(padded.value[i], right.value[i]) << i;
}

TEST(MoeSwiglu, RefusesEachDefectAndNamesTheField) {
  const auto refusal = [](const std::function<void(OwnedLayer&)>& spoil) -> std::string {
    OwnedLayer layer(3, 5, 7, 9, 2, 2, 3);
    spoil(layer);
    try {
      moe_swiglu(layer.problem(), {});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal([](OwnedLayer&) {}), "accepted");
  EXPECT_EQ(refusal([](OwnedLayer& l) { l.ids[3] = 2; }), "accepted");  // no expert
  EXPECT_EQ(refusal([](OwnedLayer& l) { l.probs[5] = std::numeric_limits<float>::quiet_NaN(); }),
            "expert_probs: element (2, 1) is nan, must be finite");
  for (const auto& [field, spoil] : std::vector<std::pair<std::string, std::function<void(OwnedLayer&)>>>{
           {"tokens", [](OwnedLayer& l) { l.sizes.tokens = 0; }},
           {"K", [](OwnedLayer& l) { l.sizes.K = 0; }},
           {"intermediate", [](OwnedLayer& l) { l.sizes.intermediate = 0; }},
           {"N", [](OwnedLayer& l) { l.sizes.N = 0; }},
           {"top_k", [](OwnedLayer& l) { l.sizes.top_k = 0; }},
           {"num_experts", [](OwnedLayer& l) { l.experts.clear(); }},
           {"x", [](OwnedLayer& l) { l.x.pop_back(); }},
           {"expert_ids", [](OwnedLayer& l) { l.ids.pop_back(); }},
           {"expert_probs", [](OwnedLayer& l) { l.probs.pop_back(); }},
           {"gate", [](OwnedLayer& l) { l.experts[1].gate.pop_back(); }},
           {"up", [](OwnedLayer& l) { l.experts[0].up.pop_back(); }},
           {"down", [](OwnedLayer& l) { l.experts[1].down.push_back(0); }}}) {
    EXPECT_EQ(refusal(spoil).find(field + ":"), 0U) << field << ": " << refusal(spoil);
  }
}

}  // namespace
}  // namespace assay::reference
