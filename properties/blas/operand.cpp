#include "properties/blas/operand.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/half.hpp"

namespace assay::blas {
namespace {

using reference::kHalfInfinity;
using reference::kHalfSign;

/// Doubles of 2^52 and more hold integers in the bits of their fraction.
constexpr double kInteger = 0x1p52;
constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;

/// The magnitude of a finite half, without a branch: its exponent counts from 112 below that of a float, and
/// subnormals are what is left of a float with the next exponent once the leading bit is taken off.
float magnitude_of(std::uint16_t pattern) {
  constexpr std::uint32_t kRebias = 112U << 23, kNext = 113U << 23;
  const std::uint32_t bits = std::uint32_t{pattern} << 13;
  const float normal = std::bit_cast<float>(bits + kRebias);
  const float subnormal = std::bit_cast<float>(bits + kNext) - 0x1p-14F;
  return pattern < 0x0400 ? subnormal : normal;
}

/// What a line's magnitudes have in common.
struct Seen {
  std::vector<std::uint64_t> units;   ///< as integers of 2^-24, or'ed together; above them what kInteger has
  std::vector<std::int16_t> largest;  ///< as bit patterns
};

/// Elements side by side, each of a line of its own where `Step` is 1, of the same where it is 0. No
/// branches, and nothing that SSE2 lacks, so that it becomes vectors.
template <std::size_t Step>
[[gnu::always_inline]] inline void take(const std::uint16_t* __restrict halves, std::size_t count,
                                        double* __restrict values, std::uint64_t* __restrict units,
                                        std::int16_t* __restrict largest) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto pattern = static_cast<std::int16_t>(halves[i] & 0x7FFF);
    const double magnitude =
        magnitude_of(pattern < kHalfInfinity ? static_cast<std::uint16_t>(pattern) : std::uint16_t{0});
    const auto sign = static_cast<std::uint64_t>(halves[i] & kHalfSign) << 48;
    values[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | sign);
    units[i * Step] |= std::bit_cast<std::uint64_t>(magnitude * 0x1p24 + kInteger);
    largest[i * Step] = std::max(largest[i * Step], pattern);
  }
}

using Take = void (*)(const std::uint16_t* __restrict halves, std::size_t count, double* __restrict values,
                      std::uint64_t* __restrict units, std::int16_t* __restrict largest);

template <std::size_t Step>
void take_by_two(const std::uint16_t* __restrict halves, std::size_t count, double* __restrict values,
                 std::uint64_t* __restrict units, std::int16_t* __restrict largest) {
  take<Step>(halves, count, values, units, largest);
}

#if defined(__x86_64__)
template <std::size_t Step>
[[gnu::target("avx2")]] void take_by_four(const std::uint16_t* __restrict halves, std::size_t count,
                                          double* __restrict values, std::uint64_t* __restrict units,
                                          std::int16_t* __restrict largest) {
  take<Step>(halves, count, values, units, largest);
}
#endif

/// The same loop in the widest vectors that the processor has.
template <std::size_t Step>
Take widest_take() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return take_by_four<Step>;
#endif
  return take_by_two<Step>;
}

void settle(const Seen& seen, Operand& operand) {
  operand.bits.clear();
  operand.not_finite.clear();
  for (std::size_t i = 0; i < seen.units.size(); ++i) {
    const std::uint64_t all = seen.units[i] & kFraction;
    operand.bits.push_back(all == 0 ? Bits{}
                                    : Bits{std::countr_zero(all), static_cast<int>(std::bit_width(all))});
    operand.not_finite.push_back(seen.largest[i] >= kHalfInfinity);
  }
}

Seen make_room(std::size_t rows, std::size_t columns, std::size_t lines, Operand& operand) {
  operand.rows = rows;
  operand.columns = columns;
  operand.values.resize(rows * columns);
  return {std::vector<std::uint64_t>(lines), std::vector<std::int16_t>(lines)};
}

}  // namespace

void drop_signs(std::span<double> values) {
  for (double& value : values) value = std::fabs(value);
}

int Operand::widest() const {
  int most = 0;
  for (const Bits& one : bits) most = std::max(most, one.count());
  return most;
}

void read_rows(std::span<const std::uint16_t> A, std::size_t K, std::size_t first, std::size_t count,
               Operand& operand) {
  Seen seen = make_room(count, K, count, operand);
  static const Take take = widest_take<0>();
  for (std::size_t m = 0; m < count; ++m) {
    take(A.data() + (first + m) * K, K, operand.values.data() + m * K, seen.units.data() + m,
         seen.largest.data() + m);
  }
  settle(seen, operand);
}

void read_columns(std::span<const std::uint16_t> W, std::size_t N, std::size_t first, std::size_t count,
                  Operand& operand) {
  const std::size_t K = W.size() / N;
  Seen seen = make_room(K, count, count, operand);
  static const Take take = widest_take<1>();
  for (std::size_t k = 0; k < K; ++k) {
    take(W.data() + k * N + first, count, operand.values.data() + k * count, seen.units.data(),
         seen.largest.data());
  }
  settle(seen, operand);
}

std::vector<double> slice_of(const Operand& operand, bool lines_are_rows, int from, int count) {
  const std::uint64_t mask = (std::uint64_t{1} << count) - 1;
  std::vector<double> slice(operand.values.size());
  for (std::size_t i = 0; i < slice.size(); ++i) {
    const Bits& bits = operand.bits[lines_are_rows ? i / operand.columns : i % operand.columns];
    const auto units = static_cast<std::uint64_t>(std::fabs(operand.values[i]) * 0x1p24);
    slice[i] = std::copysign(static_cast<double>(units >> (bits.low + from) & mask), operand.values[i]);
  }
  return slice;
}

}  // namespace assay::blas
