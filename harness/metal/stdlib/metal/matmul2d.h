// <MetalPerformancePrimitives>: products of matrices by a thread, a simdgroup or several of them.
//
// The operation is a collective, and no barrier: what it reads must have been ordered before it. Sums run
// over k ascending, beginning with what is accumulated to, in float, or in int where all is whole numbers. A
// result is rounded once, when the operation is done.
#pragma once
#include "metal/tensor_products.h"

namespace assay_msl {

struct execution_thread {
  static constexpr int simdgroups = 0;
};
template <int N>
struct execution_simdgroups {
  static_assert(N > 0, "an operation is executed by one simdgroup or more");
  static constexpr int simdgroups = N;
};
typedef execution_simdgroups<1> execution_simdgroup;

/// What is multiplied. Destinations have m rows and n columns; k is constant or dynamic_extent, and then that
/// of the operands counts.
struct matmul2d_descriptor {
  enum class mode { multiply, multiply_accumulate };

  int m, n, k;
  bool transpose_left, transpose_right, relaxed_precision;
  mode matmul_mode;

  constexpr matmul2d_descriptor(int rows, int columns, int depth = dynamic_length_v<int>,
                                bool left_transposed = false, bool right_transposed = false,
                                bool relaxed = false, mode what = mode::multiply)
      : m(rows),
        n(columns),
        k(depth),
        transpose_left(left_transposed),
        transpose_right(right_transposed),
        relaxed_precision(relaxed),
        matmul_mode(what) {}

  // As an argument of a template, which C++17 takes as a number alone: 20 bits each.
  static constexpr ulong part(int length) { return ulong(length) & 0xFFFFF; }
  constexpr operator ulong() const {
    return part(m) | part(n) << 20 | part(k) << 40 | ulong(transpose_left) << 60 |
           ulong(transpose_right) << 61 | ulong(matmul_mode == mode::multiply_accumulate) << 62;
  }
};
template <ulong Packed>
struct unpacked {
  static constexpr int length(int place) {
    const int bits = int(Packed >> place & 0xFFFFF);
    return bits == 0xFFFFF ? -1 : bits;
  }
  static constexpr int m = length(0), n = length(20), k = length(40);
  static constexpr bool left_turned = Packed >> 60 & 1, right_turned = Packed >> 61 & 1,
                        accumulates = Packed >> 62 & 1;
};

template <class T>
struct element_of {
  typedef T type;
};
template <class Element, class Extents, class Kind>
struct element_of<tensor<Element, Extents, Kind>> {
  typedef remove_cv_t<Element> type;
};
template <class Element, class Extents, class Layout>
struct element_of<cooperative_tensor<Element, Extents, Layout>> {
  typedef Element type;
};

template <int Rows, int Columns, int Simdgroups>
struct layout_of {
  typedef fragments_layout<Rows, Columns, Simdgroups> type;
};
template <int Rows, int Columns>
struct layout_of<Rows, Columns, 0> {
  typedef whole_layout<Rows, Columns> type;
};
template <class T, int Rows, int Columns, int Simdgroups>
using spread_tensor = cooperative_tensor<T, extents<int, size_t(Columns), size_t(Rows)>,
                                         typename layout_of<Rows, Columns, Simdgroups>::type>;

template <class T>
constexpr bool in_registers = false;
template <class Element, class Extents, class Layout>
constexpr bool in_registers<cooperative_tensor<Element, Extents, Layout>> = true;

/// Returns false where lane 0, which looks at the memory for all, has ended there.
ASSAY_UNINSTRUMENTED static bool show_inputs(const shown_inputs& own, shown_inputs* all, uint line,
                                             const char* file) {
  const auto lanes = gather<ASSAY_SIMDGROUP_WIDTH>(own, line, file);
  for (uint i = 0; i < ASSAY_SIMDGROUP_WIDTH; ++i) all[i] = lanes.active >> i & 1 ? lanes.at(i) : own;
  return lanes.active & 1;
}

template <ulong Descriptor, class Scope, class... Unused>
class matmul2d {
  typedef unpacked<Descriptor> what;
  static constexpr int simdgroups = Scope::simdgroups;
  static constexpr int left_rows = what::left_turned ? what::k : what::m;
  static constexpr int left_columns = what::left_turned ? what::m : what::k;
  static constexpr int right_rows = what::right_turned ? what::n : what::k;
  static constexpr int right_columns = what::right_turned ? what::k : what::n;
  static_assert(what::m > 0 && what::n > 0,
                "assay: a matmul2d whose m or n is not constant is not supported");

  template <class Element, int Rows, int Columns>
  static ASSAY_INLINE auto input_in_registers() {
    static_assert(Rows > 0 && Columns > 0, "inputs in registers need a constant k");
    static_assert(simdgroups < 2, "assay: inputs in the registers of several simdgroups are not supported");
    return spread_tensor<Element, Rows, Columns, simdgroups>();
  }

 public:
  // The types of the inputs matter to Apple's layouts, and not to this one.
  template <class Left, class Right, class T, class... More>
  ASSAY_INLINE auto get_destination_cooperative_tensor() const {
    return spread_tensor<T, what::m, what::n, simdgroups>();
  }
  template <class Left, class Right, class T, class... More>
  ASSAY_INLINE auto get_left_input_cooperative_tensor() const {
    return input_in_registers<typename element_of<Left>::type, left_rows, left_columns>();
  }
  template <class Left, class Right, class T, class... More>
  ASSAY_INLINE auto get_right_input_cooperative_tensor() const {
    return input_in_registers<typename element_of<Right>::type, right_rows, right_columns>();
  }

  /// destination = left * right, or that added to it.
  template <class Left, class Right, class Destination>
  ASSAY_INLINE void run(const Left& left, const Right& right, Destination&& destination, ASSAY_PLACE) const {
    typedef remove_cv_t<remove_reference_t<Destination>> To;
    if constexpr (in_registers<To>) {
      multiply(left, right, destination, assay_line, assay_file);
    } else {
      spread_tensor<typename To::value_type, what::m, what::n, simdgroups> sums;
      note_tensor_operation<simdgroups>(ulong(destination.data()), lengths_of(destination), assay_line,
                                        assay_file);
      if constexpr (what::accumulates) sums.copy_from(destination);
      if (multiply(left, right, sums, assay_line, assay_file)) sums.copy_to(destination);
    }
  }

 private:
  template <class Left, class Right, class Sums>
  static ASSAY_INLINE bool multiply(const Left& left, const Right& right, Sums& sums, uint line,
                                    const char* file) {
    typedef typename Sums::layout Layout;
    auto a = operand_for<what::left_turned>(left, what::m, what::k);
    auto b = operand_for<what::right_turned>(right, what::k, what::n);
    const int depth = min(a.columns, b.rows);
    if constexpr (what::accumulates) demand_values<Layout>(sums.data(), a.rows, b.columns, line, file);
    if constexpr (simdgroups == 0) {
      multiply_whole<what::n, what::accumulates>(sums.data(), Sums::rows, a, b, depth);
      return true;
    } else {
      note_tensor_operation<simdgroups>(input_number(left), input_number(right), line, file);
      a.look(a.rows, depth, simdgroups, line, file);
      b.look(depth, b.columns, simdgroups, line, file);
      constexpr bool meets = in_registers<Left> || in_registers<Right>;
      if constexpr (meets || kChecked) {
        shown_inputs lanes[ASSAY_SIMDGROUP_WIDTH];
        if (!show_inputs({a.own(), b.own()}, lanes, line, file)) return false;
        a.take(lanes, &shown_inputs::left);
        b.take(lanes, &shown_inputs::right);
      }
      count_products(Layout::all, simdgroups, depth);
      multiply_fragments<Layout, what::accumulates>(sums.data(), a, b, depth);
      // Nobody's registers change before everybody has read them.
      if constexpr (meets) gather<ASSAY_SIMDGROUP_WIDTH>(uchar(0), line, file);
      return true;
    }
  }
};

}  // namespace assay_msl
