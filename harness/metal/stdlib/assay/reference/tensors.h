// The tensors of an operation as a reference sees them.
#pragma once

#include "assay/half_from_double.h"
#include "assay/reference/choices.h"

extern "C" {
/// Ends the reference with a message: `what` of the tensor at these indices.
[[noreturn]] void assay_reference_fail(const char* what, unsigned tensor, const long* indices,
                                       unsigned count);
/// An element of an output: right is what is from low to high, or NaN where the value is; from -infinity to
/// infinity is anything.
void assay_reference_assign(unsigned tensor, long element, double value, double low, double high);
/// Right is this, too, where products or sums overflow in another order. `special` may be what is assigned.
void assay_reference_overflow(unsigned tensor, long element, double special);
}

namespace assay_reference {

/// As the program hands it over; mirrors harness/oracle/reference_process.hpp.
struct TensorMemory {
  void* data;         ///< of inputs and of what is given and changed
  const long* shape;  ///< as many extents as there are axes
  unsigned axes, number;
  bool writable;  ///< values are being drawn
};
struct Call {
  const long* dimensions;
  const TensorMemory* tensors;
  const char* regime;
  unsigned long seed;
  bool fills;
};

inline double double_of_half(unsigned bits) {
  const unsigned magnitude = bits & 0x7FFF;
  double value;
  if (magnitude > 0x7C00) {
    value = __builtin_nan("");
  } else if (magnitude == 0x7C00) {
    value = __builtin_huge_val();
  } else {
    const unsigned exponent = magnitude >> 10, fraction = magnitude & 0x3FF;
    value = exponent == 0 ? fraction * 0x1p-24
                          : __builtin_ldexp(1.0 + fraction * 0x1p-10, static_cast<int>(exponent) - 15);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}
inline double double_of_float(unsigned bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}

/// A number from its bits: for layouts in which scales lie among bytes.
inline Number half_from_bits(unsigned bits) { return Number::given(double_of_half(bits & 0xFFFF)); }
inline Number bfloat_from_bits(unsigned bits) {
  return Number::given(double_of_float((bits & 0xFFFF) << 16));
}
inline Number float_from_bits(unsigned bits) { return Number::given(double_of_float(bits)); }
/// The bits of a value rounded to half, for what draws values.
inline unsigned bits_of_half(double value) {
  const _Float16 rounded = assay_msl::half_from_double(value);
  unsigned short bits;
  __builtin_memcpy(&bits, &rounded, sizeof bits);
  return bits;
}
inline unsigned bits_of_float(double value) {
  const float rounded = static_cast<float>(value);
  unsigned bits;
  __builtin_memcpy(&bits, &rounded, sizeof bits);
  return bits;
}
inline unsigned bits_of_bfloat(double value) {  // to nearest even; numbers only
  const unsigned bits = bits_of_float(value);
  return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

/// How each element type is kept, and what a reference has of it: numbers, or C++'s whole numbers.
template <class Kept>
struct WholeElement {
  using Value = decltype(Kept{} + 0);
  static Value load(const void* data, long i) { return static_cast<const Kept*>(data)[i]; }
  static constexpr bool kIsWhole = true;
  /// What the type makes of a whole number.
  static double wrapped(unsigned long bits) { return static_cast<double>(static_cast<Kept>(bits)); }
  static void store(void* data, long i, double value) {
    static_cast<Kept*>(data)[i] = static_cast<Kept>(static_cast<long>(value));
  }
};
struct HalfElement {
  using Value = Number;
  static constexpr bool kIsWhole = false;
  static Number load(const void* data, long i) {
    return half_from_bits(static_cast<const unsigned short*>(data)[i]);
  }
  static void store(void* data, long i, double value) {
    static_cast<unsigned short*>(data)[i] = static_cast<unsigned short>(bits_of_half(value));
  }
};
struct BfloatElement {
  using Value = Number;
  static constexpr bool kIsWhole = false;
  static Number load(const void* data, long i) {
    return bfloat_from_bits(static_cast<const unsigned short*>(data)[i]);
  }
  static void store(void* data, long i, double value) {
    static_cast<unsigned short*>(data)[i] = static_cast<unsigned short>(bits_of_bfloat(value));
  }
};
struct FloatElement {
  using Value = Number;
  static constexpr bool kIsWhole = false;
  static Number load(const void* data, long i) {
    return Number::given(static_cast<double>(static_cast<const float*>(data)[i]));
  }
  static void store(void* data, long i, double value) {
    static_cast<float*>(data)[i] = static_cast<float>(value);
  }
};

class Place {
 public:
  explicit Place(const TensorMemory& memory) : memory_(memory) {}
  long extent(unsigned axis) const {
    if (axis >= memory_.axes) assay_reference_fail("has no such axis", memory_.number, nullptr, 0);
    return memory_.shape[axis];
  }
  long size() const {
    long all = 1;
    for (unsigned i = 0; i < memory_.axes; ++i) all *= memory_.shape[i];
    return all;
  }

 protected:
  template <class... At>
  long element(At... at) const {
    const long indices[] = {static_cast<long>(at)...};
    if (sizeof...(at) != memory_.axes)
      assay_reference_fail("has another number of axes than indices", memory_.number, indices, sizeof...(at));
    long found = 0;
    for (unsigned i = 0; i < memory_.axes; ++i) {
      if (indices[i] < 0 || indices[i] >= memory_.shape[i])
        assay_reference_fail("has no such element", memory_.number, indices, sizeof...(at));
      found = found * memory_.shape[i] + indices[i];
    }
    return found;
  }
  TensorMemory memory_;
};

/// x(m, n): the element, as a Number or a whole number.
template <class Element>
class Input : public Place {
 public:
  using Place::Place;
  template <class... At>
  typename Element::Value operator()(At... at) const {
    return Element::load(memory_.data, element(at...));
  }
  /// The element in row-major order.
  typename Element::Value flat(long i) const {
    if (i < 0 || i >= size()) assay_reference_fail("has no such element", memory_.number, &i, 1);
    return Element::load(memory_.data, i);
  }
  /// In fill() alone: set(value, m, n).
  template <class... At>
  void set(double value, At... at) const {
    const long place = element(at...);
    if (!memory_.writable) assay_reference_fail("is set outside of fill()", memory_.number, nullptr, 0);
    Element::store(memory_.data, place, value);
  }
};

/// y(m, n) = value.
template <class Element>
class Output : public Place {
 public:
  using Place::Place;
  class Target {
   public:
    Target(unsigned tensor, long place) : tensor_(tensor), place_(place) {}
    void operator=(const Number& number) const {
      if constexpr (Element::kIsWhole) {
        if (number.whole().is()) {
          const double value = Element::wrapped(number.whole().bits());
          return assay_reference_assign(tensor_, place_, value, value, value);
        }
      }
      const Number x = number.closed();
      const double radius = x.radius();
      if (radius == kUnknown) return assay_reference_assign(tensor_, place_, 0, -kUnknown, kUnknown);
      const double value = x.value();
      // The ends are rounded away from the value.
      double low = radius == 0 ? value : value - radius * (1 + kOfDoubles),
             high = radius == 0 ? value : value + radius * (1 + kOfDoubles);
      // What is copied has the sign of its zero; a zero that is computed has either.
      if (value == 0 && radius == 0 && !x.is_copied()) low = -(high = 0);
      assay_reference_assign(tensor_, place_, value, low, high);
      if (!x.has_overflowed()) return;
      if (x.may_be() == kNone) assay_reference_overflow(tensor_, place_, value);
      if ((x.may_be() & kPlus) != 0) assay_reference_overflow(tensor_, place_, __builtin_huge_val());
      if ((x.may_be() & kMinus) != 0) assay_reference_overflow(tensor_, place_, -__builtin_huge_val());
      if ((x.may_be() & kNotNumber) != 0) assay_reference_overflow(tensor_, place_, __builtin_nan(""));
    }
    void operator=(const Target&) const = delete;

   private:
    unsigned tensor_;
    long place_;
  };
  template <class... At>
  Target operator()(At... at) const {
    return Target(memory_.number, element(at...));
  }
  Target flat(long i) const {
    if (i < 0 || i >= size()) assay_reference_fail("has no such element", memory_.number, &i, 1);
    return Target(memory_.number, i);
  }
};

/// What is given and changed: given(m, n) is what it was.
template <class Element>
class Changed : public Output<Element> {
 public:
  explicit Changed(const TensorMemory& memory) : Output<Element>(memory), given(memory) {}
  Input<Element> given;
};

/// Random values for fill(): the same for the same case on every machine.
class Draw {
 public:
  explicit Draw(const Call& call) : state_(call.seed * 0x9E3779B97F4A7C15ul + 1), regime_(call.regime) {}
  /// The name of the case's regime: "stated", "whole", "wide", "sparse", "equal".
  bool regime(const char* name) const { return __builtin_strcmp(regime_, name) == 0; }
  unsigned bits() {
    state_ += 0x9E3779B97F4A7C15ul;
    unsigned long mixed = state_;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9ul;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBul;
    return static_cast<unsigned>((mixed ^ mixed >> 31) >> 16);
  }
  /// From 0 to count - 1; from low to high.
  Index below(Index count) {
    return count <= 0 ? 0
                      : static_cast<Index>(
                            (static_cast<unsigned long>(bits()) * static_cast<unsigned long>(count)) >> 32);
  }
  Index between(Index low, Index high) { return low + below(high - low + 1); }
  double uniform() { return (bits() + 0.5) * 0x1p-32; }
  double normal() { return (uniform() + uniform() + uniform() + uniform() - 2) * 1.7320508075688772; }

 private:
  unsigned long state_;
  const char* regime_;
};

}  // namespace assay_reference
