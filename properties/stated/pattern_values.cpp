// Values of inputs by a pattern that is planned.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "properties/stated/drawing.hpp"
#include "properties/stated/stated.hpp"

namespace assay::properties {
namespace {

/// Elements that a plain beginning has, those from the end on that are large where an axis is longer than
/// `kLongAxis`, and a run at most.
constexpr std::size_t kBeginning = 64, kEnd = 5, kLongAxis = 64;
constexpr std::int64_t kLongestRun = 700;

/// At an end, where others are at most 4: its square, too, is small enough for exact sums of many.
constexpr double kLarge = 64;

/// Beside those: sums of products of two come to more than 65,504 after some thousand, and each of them to a
/// whole number that a float holds.
constexpr std::int64_t kRise = 16;

/// How far before the last of a row infinity lies, row by row: memory of a threadgroup that held it for one
/// tile holds it still beside the last, partial one, if nobody stores zeros there. Planned sizes leave 5 of
/// tiles of 8 to 256. And a little before it, for who takes the last few together.
constexpr std::array<std::size_t, 8> kBeforeLast = {6, 1, 14, 2, 24, 3, 48, 96};

/// How far apart the largest lie, line by line: of some lines a thread has all of them.
constexpr std::array<std::size_t, 4> kStrides = {64, 256, 128, 32};
constexpr std::size_t kLongStride = 2048;
constexpr double kPeak = 96;

/// What exp() tells apart only where the largest is known: terms that overflow beside a beginning that stays
/// what they are measured by, and terms below half a bit of the first that come to something together.
struct Ramp {
  std::size_t length;
  double first, others;
};
constexpr std::array<Ramp, 2> kSteps = {{{128, -40, 39.90625}, {128, 39.90625, -40}}};
/// exp() of it, 65,540 times, is more than what rounding may do to as many sums of terms up to 1.
constexpr double kNearlyNothing = -16.0625;

/// How far from 0: exp() is 0 there, a few dozen products of such whole numbers lie below -65,504, and their
/// sums are exact, or nearly so.
constexpr std::int64_t kNear = 112, kFar = 256;

/// Streams of words that belong to no element.
constexpr std::uint64_t kOfAll = ~std::uint64_t{0}, kOfRuns = std::uint64_t{1} << 62;

/// The least and the largest finite number of the type.
std::pair<double, double> ends_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {-65504, 65504};
    case DType::bf16:
      return {-0x1.FEp127, 0x1.FEp127};
    case DType::u8:
      return {0, 255};
    case DType::i8:
      return {-128, 127};
    case DType::u16:
      return {0, 65535};
    case DType::i16:
      return {-32768, 32767};
    case DType::u32:
      return {0, 0x1p32 - 1};
    case DType::i32:
      return {-0x1p31, 0x1p31 - 1};
    default:
      return {std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()};
  }
}

}  // namespace

void Drawing::put_patterned(std::size_t i, Pattern pattern, bool below) {
  const Words words = draw_.words(i);
  const bool is_half = tensor_.dtype == DType::f16;
  switch (pattern) {
    case Pattern::equal:
      return put(i, draw_.words(kOfAll));
    case Pattern::least:
      return put_rounded(tensor_, i, ends().first);
    case Pattern::largest:
    case Pattern::last:
      return put_rounded(tensor_, i, ends().second);
    case Pattern::extremes:
      return put_rounded(tensor_, i, words[3] % 2 == 0 ? ends().first : ends().second);
    case Pattern::beside:
      return put_rounded(tensor_, i, beside_ends(words[3]));
    case Pattern::few:
      return put(i, draw_.words(kOfAll - words[3] % 2));
    case Pattern::in_turn:
      return put(i, draw_.words(kOfAll - i % 2));
    case Pattern::runs:
      return put(i, draw_.words(kOfRuns + run_at(i)));
    case Pattern::ones:
      return i < kBeginning ? put_rounded(tensor_, i, nearest(1)) : put(i, words);
    case Pattern::zeros:
      return i < kBeginning ? put_rounded(tensor_, i, nearest(0)) : put(i, words);
    case Pattern::signs:
      return words[3] % 8 == 7 ? put(i, words) : put_rounded(tensor_, i, words[3] % 2 == 0 ? 0.0 : -0.0);
    case Pattern::outliers:
      return words[3] % 16 == 0 ? put_magnitude(i, is_half ? 8 : 10, is_half ? 15 : 40, words)
                                : put(i, words);
    case Pattern::strided:
      return put_strided(i, words);
    case Pattern::steps:
      return put_step(i);
    case Pattern::terms:
      return put_rounded(tensor_, i,
                         i % std::max<std::size_t>(tensor_.shape.back(), 1) == 0 ? 0 : kNearlyNothing);
    case Pattern::magnitudes:
      return put_magnitude(i, is_half ? -14 : -60, is_half ? 15 : 60, words);
    case Pattern::squares:
      return words[3] % 8 < 2   ? put_magnitude(i, 64, 127, words)
             : words[3] % 8 < 4 ? put_magnitude(i, -126, -76, words)
                                : put(i, words);
    case Pattern::subnormal:
      return words[3] % 2 == 0 ? put_subnormal(i, words) : put(i, words);
    case Pattern::opposed_1:
    case Pattern::opposed_2:
    case Pattern::opposed_4:
      return put_rounded(tensor_, i, static_cast<double>(between(kNear, kFar, words[0])) * (below ? -1 : 1));
    case Pattern::behind:
      return put_behind(i, words);
    case Pattern::infinite:
      return put_infinite(i, words);
    case Pattern::ends:
      return put_end(i, words, below);
  }
}

double Drawing::beside_ends(std::uint32_t word) const {
  const auto [low, high] = ends();
  const double middle = is_signed(tensor_.dtype) ? -1 : std::floor(high / 2);
  const std::array<double, 8> all = {low,    high,       low + 1,    high - 1,
                                     middle, middle + 1, middle + 2, middle - 1};
  return std::clamp(all[word % all.size()], low, high);
}

std::pair<double, double> Drawing::ends() const {
  const StatedValues& values = stated_.values;
  const auto [low, high] = ends_of(tensor_.dtype);
  switch (values.kind) {
    case StatedValues::Kind::positive:
      return {std::ldexp(1.0, tensor_.dtype == DType::f16 ? -14 : -126), high};
    case StatedValues::Kind::integers:
      return is_signed(stated_.dtype) ? std::pair(-4.0, 4.0) : std::pair(0.0, 8.0);
    case StatedValues::Kind::range:
      return {values.low, values.high};
    case StatedValues::Kind::below:
      return {0, static_cast<double>(limit() - 1)};
    case StatedValues::Kind::listed: {
      const auto [least, most] = std::minmax_element(values.list.begin(), values.list.end());
      return {*least, *most};
    }
    default:
      return {low, high};
  }
}

double Drawing::nearest(double wanted) const {
  if (stated_.values.kind == StatedValues::Kind::listed) {
    return *std::min_element(stated_.values.list.begin(), stated_.values.list.end(), [&](double a, double b) {
      return std::fabs(a - wanted) < std::fabs(b - wanted);
    });
  }
  const auto [low, high] = ends();
  return std::clamp(wanted, low, high);
}

void Drawing::put_magnitude(std::size_t i, int low, int high, const Words& words) {
  const bool negative = stated_.values.kind != StatedValues::Kind::positive && (words[2] & 1) != 0;
  const double magnitude =
      std::ldexp(1 + fraction_of(words[1]), static_cast<int>(between(low, high, words[0])));
  put_rounded(tensor_, i, std::min(magnitude, ends_of(tensor_.dtype).second) * (negative ? -1 : 1));
}

void Drawing::put_subnormal(std::size_t i, const Words& words) {
  const std::uint32_t sign = stated_.values.kind == StatedValues::Kind::positive ? 0 : words[1] & 1;
  if (tensor_.dtype == DType::f16) {
    tensor_.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(sign << 15 | (1 + below(0x3FF, words[0])));
  } else if (tensor_.dtype == DType::bf16) {
    tensor_.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(sign << 15 | (1 + below(0x7F, words[0])));
  } else {
    tensor_.as<std::uint32_t>()[i] = sign << 31 | (1 + below(0x7FFFFF, words[0]));
  }
}

void Drawing::put_behind(std::size_t i, const Words& words) {
  const std::size_t columns = std::max<std::size_t>(tensor_.shape.back(), 1);
  const std::size_t before = kBeforeLast[i / columns % kBeforeLast.size()];
  const bool there = i % columns + before + 1 == columns;
  const double drawn = std::fabs(varied(words));
  put_rounded(tensor_, i, there ? std::numeric_limits<double>::infinity() : drawn > 0 ? drawn : 1);
}

void Drawing::put_infinite(std::size_t i, const Words& words) {
  const std::size_t columns = std::max<std::size_t>(tensor_.shape.back(), 1), row = i / columns % 4;
  if (row % 2 == 1 && i % columns + 1 == columns) return put(i, words);
  put_rounded(tensor_, i, std::numeric_limits<double>::infinity() * (row < 2 ? -1 : 1));
}

void Drawing::put_strided(std::size_t i, const Words& words) {
  const std::size_t columns = std::max<std::size_t>(tensor_.shape.back(), 1);
  // A row of several has the stride of threads that take many elements each.
  const std::size_t row = i / columns, column = i % columns,
                    stride = columns > kLongStride + kLongStride / 2 ? kLongStride
                                                                     : kStrides[row % kStrides.size()],
                    first = row * 37 % std::min(columns, stride);
  if (column % stride != first) return put(i, words);
  put_rounded(tensor_, i, kPeak - static_cast<double>(column / stride % 16));
}

void Drawing::put_step(std::size_t i) {
  const std::size_t columns = std::max<std::size_t>(tensor_.shape.back(), 1);
  const Ramp& step = kSteps[i / columns % kSteps.size()];
  put_rounded(tensor_, i, i % columns < step.length ? step.first : step.others);
}

void Drawing::put_end(std::size_t i, const Words& words, bool falls) {
  const bool free = stated_.values.kind == StatedValues::Kind::normal ||
                    stated_.values.kind == StatedValues::Kind::positive;
  if (is_at_an_end(i)) return put_rounded(tensor_, i, free ? kLarge : ends().second);
  const bool bits = stated_.values.kind == StatedValues::Kind::bits && is_integer(tensor_.dtype) &&
                    is_signed(tensor_.dtype);
  if (!free && !bits) return put(i, words);
  // The largest there are, but for a few: sums of their products pass 2^24, and come back to little.
  const double small = bits ? ends().second - (i % 4 == 3 && !is_late(i) ? 1 : 0)
                            : static_cast<double>(between(1, kRise, words[0]));
  put_rounded(tensor_, i, falls && is_late(i) ? -small : small);
}

bool Drawing::is_at_an_end(std::size_t i) const {
  for (std::size_t axis = tensor_.shape.size(); axis-- > 0;) {
    const std::size_t extent = tensor_.shape[axis], at = i % extent;
    if (extent > kLongAxis && at + kEnd >= extent) return true;
    i /= extent;
  }
  return false;
}

bool Drawing::is_late(std::size_t i) const {
  for (std::size_t axis = tensor_.shape.size(); axis-- > 0;) {
    const std::size_t extent = tensor_.shape[axis];
    if (extent > kLongAxis) return 2 * (i % extent) >= extent;
    i /= extent;
  }
  return false;
}

std::uint64_t Drawing::run_at(std::size_t i) {
  for (; i >= run_end_; ++run_) {
    const Words words = draw_.words(kOfRuns + run_);
    run_end_ += static_cast<std::size_t>(between(1, kLongestRun >> below(8, words[2]), words[3]));
  }
  return run_ - 1;
}

}  // namespace assay::properties
