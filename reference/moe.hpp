// A mixture of experts with SwiGLU (docs/operations.md, "Mixture of experts"):
//
//   out[t] = sum over slots s of prob[t,s] * down_e(silu(gate_e x[t]) * (up_e x[t])),   e = expert_ids[t,s],
//
// with silu(z) = z / (1 + exp(-z)), over half activations and exactly rounded half weights. What is right for
// a kernel is carried through the chain; moe.cpp derives each step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/bound.hpp"

namespace assay::reference {

/// Halves, row-major.
struct ExpertWeights {
  std::vector<std::uint16_t> gate;  ///< [K, intermediate]
  std::vector<std::uint16_t> up;    ///< [K, intermediate]
  std::vector<std::uint16_t> down;  ///< [intermediate, N]
};

struct MoeProblem {
  std::size_t tokens = 0, K = 0, intermediate = 0, N = 0, top_k = 0;
  std::span<const std::uint16_t> x;           ///< halves [tokens, K]
  std::span<const std::uint32_t> expert_ids;  ///< [tokens, top_k]: an index into `experts`, or past it: none
  std::span<const float> expert_probs;  ///< [tokens, top_k], of any sign; finite where there is an expert
  std::span<const ExpertWeights> experts;
  /// What the weights are where subnormals are flushed to zero, which a kernel may do with all others too;
  /// empty where they are kept.
  std::span<const ExpertWeights> flushed = {};
};

/// How a kernel computes.
struct MoeArithmetic {
  double unit_roundoff = kFloatUnitRoundoff;  ///< of all sums, products and of silu
  bool half_hidden = true;                    ///< silu(gate) * up is rounded to half before it is multiplied
};

/// Throws std::invalid_argument that names the first field that is not as MoeProblem says: a probability that
/// is not finite, a size of zero or one that does not match.
void check_moe(const MoeProblem& problem);

struct MoeResult {
  std::vector<double> value;    ///< [tokens, N]: the result in the reals, to double precision
  std::vector<Interval> right;  ///< [tokens, N]: the halves that a kernel of this arithmetic may give
};

/// A slot without an expert counts for nothing, whatever its probability; a token without any gives 0.
/// Weights may be anything in experts that no token goes to, and NaN in others. Right for every order of
/// summation and for exp and division as Metal's fast or precise math has them. A token with a NaN in x gives
/// NaN everywhere. Throws as check_moe, and std::domain_error where nothing can be said: a void bound, a
/// hidden value that overflows, an infinite sum of gate or up.
MoeResult moe_swiglu(const MoeProblem& problem, const MoeArithmetic& arithmetic);

/// A number and how far from it a kernel's may be. NaN is a value like any other, with radius 0.
struct Carried {
  double value = 0;
  double radius = 0;
};

/// What a kernel may compute for silu of a sum that is `sum.radius` from `sum.value`.
Carried carried_silu(const Carried& sum, double unit_roundoff);

}  // namespace assay::reference
