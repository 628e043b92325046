// The bound, step by step. u is the unit roundoff, gamma_n = n u / (1 - n u), and a sum of n products
// computed in any order is within gamma_n * sum|terms| of the exact one (bound.hpp). Each step takes the
// radii of the one before it; a radius is that of what the kernel holds, around what the reals give.
//
// 1. Sums of gate and up: exact sums over halves, radius gamma_K * sum|x w|.
// 2. silu: |silu'| <= 1.1 everywhere (its largest value is 1.0998, near z = 2.4) and at most (1 + |z|) exp(z)
//    below 0, so a sum that is off by r gives at most that times r. To that comes the error of computing it;
//    carried_silu has it.
// 3. Hidden: (s + ds)(v + dv)(1 + u), then one rounding to half where the kernel stores halves. Rounding is
//    monotone, so both ends are rounded: where they meet, the hidden value is exact.
// 4. Sum of down: sum (h + dh) w, so sum|dh w| + gamma_I * sum(|h| + |dh|)|w|.
// 5. Weighted sum of top_k products p y: sum|p dy| + gamma_(top_k + 1) * sum|p|(|y| + |dy|), and a rounding
// to
//    half, which is monotone again.
//
// Underflow: a product or quotient of floats may lose 2^-149, or 2^-126 where subnormals are flushed. One
// such loss a term is kTiny, far below the smallest half.

#include "reference/moe.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "reference/gemm.hpp"
#include "reference/half.hpp"
#include "reference/shape.hpp"

namespace assay::reference {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = 0x1p-118;
constexpr double kSteepestSilu = 1.1;
constexpr double kSmallestNormalHalf = 0x1p-14;
/// Relative error of the few operations in double that a value here has behind it.
constexpr double kOwn = 0x1p-49;

/// How steep silu is up to z + r. silu'(z) = s (1 + z (1 - s)) with s = 1 / (1 + exp(-z)) < exp(z), so below
/// 0 it is at most (1 + |z|) exp(z), which only grows towards 0.
double steepness(double highest) {
  return highest < 0 ? std::min(kSteepestSilu, (1.0 - highest) * std::exp(highest)) : kSteepestSilu;
}

double silu(double z) { return z / (1.0 + std::exp(-z)); }

double gamma(std::size_t terms, double unit_roundoff) {
  return ForwardErrorBound(terms, unit_roundoff).gamma();
}

/// Where one of the two is infinite.
Carried infinite_product(const Carried& a, const Carried& b) {
  for (const Carried& one : {a, b}) {
    if (std::fabs(one.value) <= one.radius)
      throw std::domain_error("hidden: silu(gate) * up is infinite, or NaN");
  }
  return {a.value * b.value, 0};
}

Carried hidden_value(const Carried& gate, const Carried& up, const MoeArithmetic& arithmetic, bool flushed) {
  if (std::isnan(gate.value) || std::isnan(up.value)) return {kNan, 0};
  // silu of infinity is infinity, and nothing beside an infinite sum has a share in it.
  const Carried s = std::isinf(gate.value) ? gate : carried_silu(gate, arithmetic.unit_roundoff);
  if (std::isinf(s.value) || std::isinf(up.value)) return infinite_product(s, up);
  const double value = s.value * up.value;
  const double largest = (std::fabs(s.value) + s.radius) * (std::fabs(up.value) + up.radius);
  const double radius = (largest - std::fabs(value)) + largest * (arithmetic.unit_roundoff + kOwn) + kTiny;
  if (!(largest + radius < kHalfMax)) {
    throw std::domain_error("hidden: silu(gate) * up may be " + std::to_string(largest) +
                            ", which overflows half");
  }
  if (!arithmetic.half_hidden) return {value, radius};
  double low = round_to_half(value - radius), high = round_to_half(value + radius);
  if (flushed && low > 0 && low < kSmallestNormalHalf) low = 0;
  if (flushed && high < 0 && high > -kSmallestNormalHalf) high = 0;
  return {(low + high) / 2, (high - low) / 2};  // halves: both exact
}

/// How far flushed subnormals may take the sums x W [rows, columns] from what they are, term by term.
std::vector<double> flushed_terms(std::size_t rows, std::size_t K, std::size_t columns,
                                  std::span<const std::uint16_t> x, std::span<const std::uint16_t> kept,
                                  std::span<const std::uint16_t> flushed) {
  std::vector<double> off(rows * columns);
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint16_t factor = x[row * K + k];
      if (!half_is_finite(factor)) continue;
      const double a = std::fabs(half_to_double(factor));
      const bool or_nothing = half_is_subnormal(factor);
      for (std::size_t n = 0; n < columns; ++n) {
        const std::uint16_t w = kept[k * columns + n], other = flushed[k * columns + n];
        if (!or_nothing && w == other && !half_is_subnormal(w)) continue;
        if (half_is_finite(w)) off[row * columns + n] += a * std::fabs(half_to_double(w));
      }
    }
  }
  return off;
}

/// The rows of x that go to one expert, in order; [count, K].
std::vector<std::uint16_t> gathered(const MoeProblem& problem, const std::vector<std::size_t>& tokens) {
  std::vector<std::uint16_t> rows;
  for (const std::size_t token : tokens) {
    const auto row = problem.x.subspan(token * problem.K, problem.K);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

std::vector<std::size_t> tokens_of(const MoeProblem& problem, std::size_t expert) {
  std::vector<std::size_t> tokens;
  for (std::size_t token = 0; token < problem.tokens; ++token) {
    const auto ids = problem.expert_ids.subspan(token * problem.top_k, problem.top_k);
    if (std::find(ids.begin(), ids.end(), expert) != ids.end()) tokens.push_back(token);
  }
  return tokens;
}

/// down(silu(gate x) * (up x)) of one expert for some tokens, [tokens, N].
struct ExpertOutput {
  std::vector<double> exact;     ///< in the reals
  std::vector<Carried> carried;  ///< around the hidden values that the kernel has
};

class Chain {
 public:
  Chain(const MoeProblem& problem, const MoeArithmetic& arithmetic)
      : problem_(problem),
        arithmetic_(arithmetic),
        gamma_k_(gamma(problem.K, arithmetic.unit_roundoff)),
        gamma_i_(gamma(problem.intermediate, arithmetic.unit_roundoff)) {}

  ExpertOutput run(const ExpertWeights& weights, const ExpertWeights* flushed,
                   const std::vector<std::size_t>& tokens) const {
    const std::size_t I = problem_.intermediate, N = problem_.N, rows = tokens.size();
    const auto x = gathered(problem_, tokens);
    const GemmSums gate = gemm_sums(rows, I, problem_.K, x, weights.gate);
    const GemmSums up = gemm_sums(rows, I, problem_.K, x, weights.up);
    std::vector<double> off_gate(rows * I), off_up(rows * I);
    if (flushed != nullptr) {
      off_gate = flushed_terms(rows, problem_.K, I, x, weights.gate, flushed->gate);
      off_up = flushed_terms(rows, problem_.K, I, x, weights.up, flushed->up);
    }
    ExpertOutput output{std::vector<double>(rows * N), std::vector<Carried>(rows * N)};
    std::vector<double> magnitude(N);
    for (std::size_t row = 0; row < rows; ++row) {
      std::fill(magnitude.begin(), magnitude.end(), 0.0);
      Carried* const y = output.carried.data() + row * N;
      for (std::size_t j = 0; j < I; ++j) {
        Carried g = sum_at(gate, row * I + j, "gate"), v = sum_at(up, row * I + j, "up");
        g.radius += off_gate[row * I + j];
        v.radius += off_up[row * I + j];
        const Carried h = hidden_value(g, v, arithmetic_, flushed != nullptr);
        const double exact = silu(g.value) * v.value;
        for (std::size_t n = 0; n < N; ++n) {
          const double w = half_to_double(weights.down[j * N + n]);
          output.exact[row * N + n] += exact * w;
          y[n].value += h.value * w;
          y[n].radius += h.radius * std::fabs(w);
          if (flushed != nullptr && may_be_zero(weights.down[j * N + n], flushed->down[j * N + n]))
            y[n].radius += (std::fabs(h.value) + h.radius) * std::fabs(w);
          magnitude[n] += (std::fabs(h.value) + h.radius) * std::fabs(w);
        }
      }
      // The sums here are of doubles: gamma_I of those comes on top, for the sum and for the radius.
      const double own = static_cast<double>(I + 2) * 0x1p-52;
      for (std::size_t n = 0; n < N; ++n) {
        y[n].radius += (gamma_i_ + own) * magnitude[n] + kTiny;
        if (std::isinf(y[n].value)) y[n].radius = 0;
      }
    }
    return output;
  }

 private:
  static bool may_be_zero(std::uint16_t kept, std::uint16_t flushed) {
    return kept != flushed || half_is_subnormal(kept);
  }

  Carried sum_at(const GemmSums& sums, std::size_t i, const char* name) const {
    if (sums.sum[i] < 0 && std::isinf(sums.sum[i]) && std::string_view(name) == "gate")
      throw std::domain_error("gate: a sum is -infinity; what silu makes of it is not specified");
    if (std::isinf(sums.sum[i])) return {sums.sum[i], 0};
    if (std::isnan(sums.sum[i])) return {kNan, 0};
    return {sums.sum[i], (gamma_k_ + kOwn) * sums.magnitude[i]};
  }

  const MoeProblem& problem_;
  const MoeArithmetic& arithmetic_;
  double gamma_k_, gamma_i_;
};

}  // namespace

// With e = exp(-z), the kernel's quotient is z / ((1 + e (1 + d1)) (1 + d2)) * (1 + d3). Metal's accuracy
// tables (Apple's Metal Shading Language Specification, "Numerical Compliance") give, in ulp of at most 2 u
// relative: exp 4 with precise math and 3 + floor(|2 x|) with fast math, x / y correctly rounded and 2.5. So
// |d1| <= (4 + 2|z|) 2 u, |d2| <= u, |d3| <= 5 u. Of d1 only its share e / (1 + e) = 1 / (1 + exp(z)) reaches
// the sum, which is largest where z is smallest. Below z = -87, where exp leaves the range for which the
// tables vouch, silu itself is less than 2^-118 = kTiny and whatever is computed lies between it and 0.
Carried carried_silu(const Carried& sum, double unit_roundoff) {
  const double z = sum.value, lowest = z - sum.radius, u = unit_roundoff;
  const double from_sum = steepness(z + sum.radius) * (1.0 + kOwn) * sum.radius;
  const double exp_error = (4.0 + 2.0 * (std::fabs(z) + sum.radius)) * 2.0 * u / (1.0 + std::exp(lowest));
  const double relative = exp_error + u + 5.0 * u;
  if (lowest > -87.0 && !(relative < 0.25)) {
    throw std::domain_error("silu: its error bound is void for a sum of " + std::to_string(z));
  }
  const double computed = relative < 0.25 ? relative / (1.0 - relative) + kOwn : 1.0;
  return {silu(z), from_sum + computed * (std::fabs(silu(z)) + from_sum) + kTiny};
}

void check_moe(const MoeProblem& problem) {
  check_positive("tokens", problem.tokens);
  check_positive("K", problem.K);
  check_positive("intermediate", problem.intermediate);
  check_positive("N", problem.N);
  check_positive("top_k", problem.top_k);
  check_positive("num_experts", problem.experts.size());
  check_elements("x", problem.x.size(), problem.tokens, problem.K, "tokens x K");
  check_elements("expert_ids", problem.expert_ids.size(), problem.tokens, problem.top_k, "tokens x top_k");
  check_elements("expert_probs", problem.expert_probs.size(), problem.tokens, problem.top_k,
                 "tokens x top_k");
  for (std::size_t i = 0; i < problem.expert_ids.size(); ++i) {
    if (problem.expert_ids[i] >= problem.experts.size()) continue;  // no expert: it counts for nothing
    if (!std::isfinite(problem.expert_probs[i])) {
      throw std::invalid_argument("expert_probs: element (" + std::to_string(i / problem.top_k) + ", " +
                                  std::to_string(i % problem.top_k) + ") is " +
                                  std::to_string(problem.expert_probs[i]) + ", must be finite");
    }
  }
  for (const ExpertWeights& expert : problem.experts) {
    check_elements("gate", expert.gate.size(), problem.K, problem.intermediate, "K x intermediate");
    check_elements("up", expert.up.size(), problem.K, problem.intermediate, "K x intermediate");
    check_elements("down", expert.down.size(), problem.intermediate, problem.N, "intermediate x N");
  }
}

MoeResult moe_swiglu(const MoeProblem& problem, const MoeArithmetic& arithmetic) {
  check_moe(problem);
  const std::size_t N = problem.N, elements = checked_product("out", problem.tokens, N);
  const Chain chain(problem, arithmetic);
  const double gamma_slots = gamma(problem.top_k + 1, arithmetic.unit_roundoff);
  MoeResult result{std::vector<double>(elements), std::vector<Interval>(elements)};
  std::vector<Carried> sums(elements);
  for (std::size_t expert = 0; expert < problem.experts.size(); ++expert) {
    const auto tokens = tokens_of(problem, expert);
    if (tokens.empty()) continue;
    const ExpertWeights* flushed = problem.flushed.empty() ? nullptr : &problem.flushed[expert];
    const ExpertOutput output = chain.run(problem.experts[expert], flushed, tokens);
    for (std::size_t row = 0; row < tokens.size(); ++row) {
      for (std::size_t slot = 0; slot < problem.top_k; ++slot) {
        const std::size_t route = tokens[row] * problem.top_k + slot;
        if (problem.expert_ids[route] != expert) continue;
        const double p = problem.expert_probs[route];
        for (std::size_t n = 0; n < N; ++n) {
          const Carried& y = output.carried[row * N + n];
          Carried& sum = sums[tokens[row] * N + n];
          sum.value += p * y.value;
          sum.radius +=
              std::fabs(p) * (y.radius + (gamma_slots + kOwn) * (std::fabs(y.value) + y.radius)) + kTiny;
          if (flushed != nullptr && std::fabs(p) < FLT_MIN)
            sum.radius += std::fabs(p) * (std::fabs(y.value) + y.radius);
          result.value[tokens[row] * N + n] += p * output.exact[row * N + n];
        }
      }
    }
  }
  for (std::size_t i = 0; i < elements; ++i) {
    Carried& sum = sums[i];
    if (std::isinf(sum.value)) sum.radius = 0;
    result.right[i] = {round_to_half(sum.value - sum.radius), round_to_half(sum.value + sum.radius)};
  }
  return result;
}

}  // namespace assay::reference
