// A kernel in a few plain lines, right or with one fault: what the regimes must tell apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "properties/cases/operation.hpp"
#include "reference/fp4.hpp"
#include "reference/half.hpp"

namespace assay::properties::testing {

/// Where a kernel can go wrong. Every member is right as it stands.
struct ModelKernel {
  std::function<std::size_t(std::size_t k)> nibble = [](std::size_t k) { return k % 8; };
  std::function<double(unsigned code)> value = reference::fp4_value;
  /// Scale row of element k; `rows` of them.
  std::function<std::size_t(std::size_t k, std::size_t group_size, std::size_t rows)> group =
      [](std::size_t k, std::size_t group_size, std::size_t) { return k / group_size; };
  std::function<double(double)> round_weight = reference::round_to_half;
  std::function<double(double scale)> scale = [](double s) { return s; };
  std::function<std::size_t(std::size_t m, std::size_t M)> row = [](std::size_t m, std::size_t) { return m; };
  std::function<std::size_t(std::size_t n, std::size_t N)> column = [](std::size_t n, std::size_t) {
    return n;
  };
  std::function<std::size_t(std::size_t K)> terms = [](std::size_t K) {
    return K;
  };  ///< k past K repeat the last
  std::function<double(double)> round_sum = [](double x) {
    return static_cast<double>(static_cast<float>(x));
  };
  std::function<std::uint16_t(double)> store = reference::half_from_double;
  bool backwards = false;  ///< order of summation: not a fault

  // Of formats with zero points only.
  bool signed_codes = false;  ///< stored as value + 8
  double stored_offset = 8;   ///< of signed codes
  std::function<double(double zero)> zero = [](double z) { return z; };
  /// Zero row of element k, as `group`.
  std::function<std::size_t(std::size_t k, std::size_t group_size, std::size_t rows)> zero_group =
      [](std::size_t k, std::size_t group_size, std::size_t) { return k / group_size; };
  std::function<std::size_t(std::size_t n, std::size_t N)> zero_column = [](std::size_t n, std::size_t) {
    return n;
  };
  /// (n - zero) * scale before its last rounding.
  std::function<double(double code, double zero, double scale, double offset)> chain = half_chain;

  static double half_chain(double code, double zero, double scale, double offset) {
    return reference::round_to_half(code - reference::round_to_half(offset + zero)) * scale;
  }
  static double float_chain(double code, double zero, double scale, double offset) {
    const auto difference = static_cast<float>(code - offset - zero);
    return static_cast<double>(difference * static_cast<float>(scale));
  }

  /// A right kernel for the weights of an operation.
  static ModelKernel of(const std::string& operation) {
    ModelKernel kernel;
    kernel.signed_codes = operation.ends_with("_s4");
    return kernel;
  }

  double weight(const Problem& problem, std::size_t k, std::size_t n) const {
    const std::size_t N = extent(problem.dims, "N");
    const auto scales = input(problem, "scales").as<std::uint16_t>();
    const std::uint32_t word = input(problem, "B").as<std::uint32_t>()[k / 8 * N + n];
    const std::size_t group_size = extent(problem.dims, "group_size"), rows = scales.size() / N;
    const double s = scale(reference::half_to_double(scales[group(k, group_size, rows) * N + n]));
    const unsigned code = word >> (4 * nibble(k)) & 0xF;
    if (problem.operation.ends_with("_fp4")) return round_weight(value(code) * s);
    const std::size_t at = zero_group(k, group_size, rows) * N + zero_column(n, N);
    const double z = zero(reference::half_to_double(input(problem, "zeros").as<std::uint16_t>()[at]));
    return round_weight(chain(code, z, s, signed_codes ? stored_offset : 0.0));
  }

  std::vector<std::uint16_t> gemm(const Problem& problem) const {
    const std::size_t M = extent(problem.dims, "M"), N = extent(problem.dims, "N"),
                      K = extent(problem.dims, "K");
    const auto A = input(problem, "A").as<std::uint16_t>();
    std::vector<std::uint16_t> C(M * N);
    for (std::size_t m = 0; m < M; ++m) {
      for (std::size_t n = 0; n < N; ++n) {
        double sum = 0.0;
        const std::size_t count = terms(K);
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t k = std::min(backwards ? count - 1 - i : i, K - 1);
          const double a = reference::half_to_double(A[row(m, M) * K + k]);
          sum = round_sum(sum + round_sum(a * weight(problem, k, column(n, N))));
        }
        C[m * N + n] = store(sum);
      }
    }
    return C;
  }

  std::vector<std::uint16_t> dequantize(const Problem& problem) const {
    const std::size_t N = extent(problem.dims, "N"), K = extent(problem.dims, "K");
    std::vector<std::uint16_t> W(K * N);
    for (std::size_t k = 0; k < K; ++k) {
      for (std::size_t n = 0; n < N; ++n) W[k * N + n] = store(weight(problem, k, column(n, N)));
    }
    return W;
  }
};

/// A kernel with one fault, and the regimes that must reject it.
struct Fault {
  std::string name;
  ModelKernel kernel;
  std::vector<std::string> regimes;
};

inline Fault fault(std::string name, std::vector<std::string> regimes,
                   const std::function<void(ModelKernel&)>& spoil, const ModelKernel& right = {}) {
  Fault made{std::move(name), right, std::move(regimes)};
  spoil(made.kernel);
  return made;
}

}  // namespace assay::properties::testing
