#include "harness/verify/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "harness/device/bytes.hpp"

namespace assay {
namespace {

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// A half's exponent and mantissa, moved to where a float has them, are its value times 2^-112, subnormals
// included; the product is exact.
double half_to_double(std::uint16_t bits) {
  const std::uint32_t magnitude = bits & 0x7FFFu;
  double value;
  if (magnitude > 0x7C00u) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (magnitude == 0x7C00u) {
    value = std::numeric_limits<double>::infinity();
  } else {
    value = static_cast<double>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
  }
  return (bits & 0x8000u) != 0 ? -value : value;
}

double decode_at(DType dtype, const std::byte* from) {
  switch (dtype) {
    case DType::u8:
      return load<std::uint8_t>(from);
    case DType::u16:
      return load<std::uint16_t>(from);
    case DType::u32:
      return load<std::uint32_t>(from);
    case DType::i32:
      return load<std::int32_t>(from);
    case DType::f16:
      return half_to_double(load<std::uint16_t>(from));
    case DType::f32:
      return static_cast<double>(load<float>(from));
    case DType::f64:
      return load<double>(from);
    case DType::i8:
      return load<std::int8_t>(from);
    case DType::i16:
      return load<std::int16_t>(from);
    case DType::bf16:
      return static_cast<double>(std::bit_cast<float>(std::uint32_t{load<std::uint16_t>(from)} << 16));
  }
  throw std::invalid_argument("not an element type");
}

std::uint64_t bits_at(std::size_t size_bytes, const std::byte* from) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, size_bytes);
  return bits;
}

/// The 16-bit pattern as it appears in element `index`.
std::uint64_t poison_bits(std::uint16_t poison, std::size_t size_bytes, std::size_t index) {
  if (size_bytes == 1) return index % 2 == 0 ? poison & 0xFFu : poison >> 8;
  const std::uint64_t repeated = poison * 0x0001'0001'0001'0001ull;
  return size_bytes == 8 ? repeated : repeated & ((std::uint64_t{1} << (8 * size_bytes)) - 1);
}

/// Whether it is device::kInactiveLane, whatever its sign, or what another type of float makes of it.
bool is_of_inactive_lane(DType dtype, std::uint64_t bits) {
  switch (dtype) {
    case DType::f16:  // of a half, and of a float
      return (bits | 0x8000) == device::kInactiveLane || (bits | 0x8000) == 0xFE1F;
    case DType::bf16:
      return (bits | 0x8000) == device::kInactiveLane;
    case DType::f32:  // of a float, of a half, and of a bfloat
      bits |= 0x8000'0000;
      return bits == 0xFFC3'FFC3 || bits == 0xFFF8'6000 || bits == 0xFFC3'0000;
    case DType::u32:
    case DType::i32:
      return bits == 0xFFC3'FFC3;
    default:
      return false;  // too many values of fewer bits are like that
  }
}

bool accepted(double got, double value, double low, double high, bool signed_zero) {
  if (std::isinf(low) && low < 0 && std::isinf(high) && high > 0) return true;
  if (std::isnan(value)) return std::isnan(got);
  if (!(low <= got && got <= high)) return false;
  const bool one_sign = signed_zero && std::signbit(low) == std::signbit(high);
  return !(one_sign && got == 0 && value == 0 && std::signbit(got) != std::signbit(value));
}

/// The stretches of this element, where there are some.
auto stretches(const Expectation& expectation, std::size_t element) {
  return std::equal_range(expectation.apart.begin(), expectation.apart.end(), RightStretch{element, 0, 0, 0},
                          [](const RightStretch& a, const RightStretch& b) { return a.element < b.element; });
}

/// Whether one of them has the value.
bool in_a_stretch(const Expectation& expectation, std::size_t element, double got) {
  const auto [begin, end] = stretches(expectation, element);
  return std::any_of(begin, end, [&](const RightStretch& one) {
    return accepted(got, one.value, one.low, one.high, expectation.signed_zero);
  });
}

bool has_stretches(const Expectation& expectation, std::size_t element) {
  const auto [begin, end] = stretches(expectation, element);
  return begin != end;
}

/// "; right for element 3 are NaN, 0 and inf", of the first wrong one for which several stretches are.
std::string stretches_in_words(const Expectation& expectation, const Comparison& comparison) {
  for (const WrongElement& wrong : comparison.wrong) {
    const auto [begin, end] = stretches(expectation, wrong.index);
    if (wrong.never_written || begin == end) continue;
    std::vector<std::string> right;
    for (auto one = begin; one != end; ++one)
      right.push_back(std::isnan(one->value) ? "NaN"
                      : one->low < one->high ? fmt::format("{:.7g} to {:.7g}", one->low, one->high)
                                             : fmt::format("{:.7g}", one->low));
    return fmt::format("; right for element {} {} {}", wrong.index, right.size() > 1 ? "are" : "is",
                       fmt::join(right, ", "));
  }
  return "";
}

/// How far outside its interval; infinite where that is no number, nothing where there is no value to speak
/// of.
double excess(const WrongElement& element) {
  if (element.never_written) return 0;
  const double distance = element.got < element.low ? element.low - element.got : element.got - element.high;
  return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
}

template <class Member>
std::vector<std::size_t> distinct(const std::vector<WrongElement>& wrong, Member member) {
  std::vector<std::size_t> values;
  values.reserve(wrong.size());
  for (const WrongElement& element : wrong) values.push_back(element.*member);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Whether an element that holds the pattern of its run was left alone, by what the other run gave it.
bool left_alone(const FreshMemory& fresh, std::uint64_t bits, std::size_t size_bytes, std::size_t index,
                bool ok) {
  const std::uint64_t other = bits_of(*fresh.other, index);
  if (other == poison_bits(fresh.other_poison, size_bytes, index)) return true;
  // The other run wrote it. One that reads the same inputs would have written the same, so this run did not;
  // unless results may differ, which a right element may, and of which a byte has few.
  return !ok && size_bytes > 1 && other != bits;
}

}  // namespace

Matrix matrix_of(const std::vector<std::size_t>& shape) {
  Matrix matrix;
  if (!shape.empty()) matrix.columns = shape.back();
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) matrix.rows *= shape[i];
  return matrix;
}

double decode(const Tensor& tensor, std::size_t index) {
  return decode_at(tensor.dtype, tensor.data.data() + index * size_of(tensor.dtype));
}

std::uint64_t bits_of(const Tensor& tensor, std::size_t index) {
  const std::size_t size = size_of(tensor.dtype);
  return bits_at(size, tensor.data.data() + index * size);
}

std::size_t Comparison::undefined() const {
  const auto count = std::count_if(wrong.begin(), wrong.end(), [](const auto& one) { return one.undefined; });
  return static_cast<std::size_t>(count);
}
std::vector<std::size_t> Comparison::wrong_rows() const { return distinct(wrong, &WrongElement::row); }
std::vector<std::size_t> Comparison::wrong_columns() const { return distinct(wrong, &WrongElement::column); }

Comparison compare(const Tensor& output, const Expectation& expectation, const FreshMemory& fresh,
                   bool inactive_reads) {
  const std::size_t count = output.element_count();
  if (expectation.tensor != output.name || expectation.value.size() != count ||
      expectation.low.size() != count || expectation.high.size() != count) {
    throw std::invalid_argument(fmt::format("{} has {} elements; the expectation is of {} with {}",
                                            output.name, count, expectation.tensor,
                                            expectation.value.size()));
  }
  if (output.data.size() != count * size_of(output.dtype)) {
    throw std::invalid_argument(output.name + ": the data does not follow from the shape");
  }
  if (fresh.other != nullptr &&
      (fresh.other->dtype != output.dtype || fresh.other->data.size() != output.data.size()))
    throw std::invalid_argument("the two runs disagree about output " + output.name);
  Comparison result{output.name, output.dtype, output.shape, expectation.bound, count, 0, 0, {}, {}};
  result.shares.worst_tensor = output.name;
  const std::size_t columns = std::max<std::size_t>(result.matrix().columns, 1);
  const std::size_t size = size_of(output.dtype);
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* at = output.data.data() + i * size;
    const double got = decode_at(output.dtype, at);
    const std::uint64_t bits = bits_at(size, at);
    const double value = expectation.value[i], low = expectation.low[i], high = expectation.high[i];
    const bool apart = !expectation.apart.empty() && has_stretches(expectation, i);
    const bool ok =
        apart ? in_a_stretch(expectation, i, got) : accepted(got, value, low, high, expectation.signed_zero);
    const bool poisoned =
        bits == poison_bits(fresh.poison, size, i) &&
        (fresh.other != nullptr ? left_alone(fresh, bits, size, i, ok) : !ok || std::isnan(got));
    const bool anything = !apart && std::isinf(low) && std::isinf(high) && low < high;
    const bool undefined = inactive_reads && (!ok || anything) && is_of_inactive_lane(output.dtype, bits);
    if (ok && !poisoned && !undefined) {
      apart ? result.shares.add_open() : result.shares.add(got, value, low, high);
      continue;
    }
    result.wrong.push_back({i, i / columns, i % columns, poisoned, bits, got, value, low, high, undefined});
    if (poisoned) ++result.never_written;
    const double distance = excess(result.wrong.back());
    if (distance > worst) {
      worst = distance;
      result.worst = result.wrong.size() - 1;
    }
  }
  if (!expectation.apart.empty()) result.bound += stretches_in_words(expectation, result);
  if (result.shares.shared() == 0) result.shares.worst_tensor.clear();
  return result;
}

std::vector<BitDifference> compare_bits(const std::vector<Tensor>& first, const std::vector<Tensor>& second,
                                        std::uint16_t first_poison, std::uint16_t second_poison) {
  if (first.size() != second.size())
    throw std::invalid_argument("the two runs have different numbers of outputs");
  std::vector<BitDifference> differences;
  for (std::size_t t = 0; t < first.size(); ++t) {
    const Tensor &a = first[t], &b = second[t];
    if (a.name != b.name || a.dtype != b.dtype || a.shape != b.shape || a.data.size() != b.data.size()) {
      throw std::invalid_argument("the two runs disagree about output " + a.name);
    }
    if (device::same_bytes(a.data, b.data)) continue;
    const std::size_t columns = std::max<std::size_t>(matrix_of(a.shape).columns, 1);
    const std::size_t size = size_of(a.dtype);
    BitDifference difference{a.name, a.element_count(), 0, 0, 0, 0, 0, 0, a.shape};
    for (std::size_t i = 0; i < difference.elements; ++i) {
      if (bits_of(a, i) == bits_of(b, i)) continue;
      if (bits_of(a, i) == poison_bits(first_poison, size, i) &&
          bits_of(b, i) == poison_bits(second_poison, size, i))
        ++difference.never_written;
      if (difference.different++ > 0) continue;
      difference.row = i / columns;
      difference.column = i % columns;
      difference.first_bits = bits_of(a, i);
      difference.second_bits = bits_of(b, i);
    }
    differences.push_back(std::move(difference));
  }
  return differences;
}

}  // namespace assay
