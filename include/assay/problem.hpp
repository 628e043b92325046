// One instance of an operation, and what is right for it, with no knowledge of number formats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/tensor.hpp"

namespace assay {

/// Dimensions and other integer parameters of an operation by their names: M, N, K, group_size, ...
using Dims = std::map<std::string, std::int64_t, std::less<>>;

/// A tensor that the kernel must write.
struct OutputSpec {
  std::string name;
  DType dtype{};
  std::vector<std::size_t> shape;
  bool optional = false;  ///< only where one of its arguments binds it
};

/// Inputs of one case. What is right for it is an Expectation per output.
struct Problem {
  std::string operation;
  Dims dims;
  std::vector<Tensor> inputs;
  std::vector<OutputSpec> outputs;
  std::uint64_t schedule = 0;                             ///< of its launches (device::Dispatch)
  std::shared_ptr<device::PlannedSchedule> planned = {};  ///< in its place, of one launch
  /// The threadgroups that are launched; empty: all. Where there are some, outputs are too large to be looked
  /// at as a whole, and inputs may be `repeated` (sampled_run.hpp).
  std::vector<device::Size3> sample = {};
};

/// The input of that name. Throws std::invalid_argument when there is none.
Tensor& input(Problem& problem, std::string_view name);
const Tensor& input(const Problem& problem, std::string_view name);

/// Of an element for which several stretches of values are right that do not meet: one of them, or NaN.
struct RightStretch {
  std::size_t element = 0;
  double value = 0, low = 0, high = 0;
};

/// The set of right answers for one output, element by element: every value in [low, high], where the
/// ends are values of the output's own type. A NaN in `value` asks for NaN and nothing else. From -infinity
/// to infinity: anything, NaN too. From -0 to 0: a zero of either sign.
struct Expectation {
  std::string tensor;
  std::vector<double> value;  ///< the exact result, for the report
  std::vector<double> low;    ///< smallest acceptable output value
  std::vector<double> high;   ///< largest acceptable output value
  bool signed_zero = false;   ///< -0 differs from 0 (dequantize)
  std::string bound;          ///< where low and high come from, in words, for the report
  /// By ascending element: of those that stand here, low to high spans all of these, and they alone are
  /// right.
  std::vector<RightStretch> apart = {};

  bool is_apart(std::size_t element) const {
    const auto at = std::lower_bound(apart.begin(), apart.end(), element,
                                     [](const RightStretch& one, std::size_t e) { return one.element < e; });
    return at != apart.end() && at->element == element;
  }
};

/// Expectations, moved into a list: an initializer list would copy each, which for large outputs takes longer
/// than to work them out.
template <class... Each>
std::vector<Expectation> list_of(Each&&... each) {
  std::vector<Expectation> all;
  all.reserve(sizeof...(each));
  (all.push_back(std::forward<Each>(each)), ...);
  return all;
}

}  // namespace assay
