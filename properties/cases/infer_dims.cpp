#include "properties/cases/infer_dims.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

namespace assay::properties {
namespace {

using Shape = std::vector<std::size_t>;

/// No value above is tried for a dimension that no axis is.
constexpr std::int64_t kMostTried = std::int64_t{1} << 20;
/// As Operation::check_problem has it.
constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
/// Values that suit are looked for until there are so many.
constexpr std::size_t kEnoughThatFit = 3;

/// What one axis of a tensor follows from.
struct AxisUse {
  std::set<std::string> follows_from;
  std::string is;  ///< the dimension that it is; "" where it follows otherwise
};

/// A declaration whose shapes are looked at from outside: they are functions, so dimensions are varied one at
/// a time, and axes watched.
class Shapes {
 public:
  explicit Shapes(const OperationDeclaration& declaration) : declaration_(declaration) {
    for (const Count& one : declaration.counts) base_[one.name] = 1;
    std::int64_t size = kFirstSize, choice = kFirstChoice;
    for (const Dimension& one : declaration.dimensions) {
      std::int64_t& value = base_[one.name];
      value = one.multiple * (one.is_choice() ? choice : size);
      if (one.closed) value = one.choices.front();
      if (one.at_most) value = std::min(value, one.at_most(base_));
      (one.is_choice() ? choice : size) += 2;
    }
    for (const TensorSpec& spec : declaration.tensors) uses_[spec.name] = uses_of(spec);
  }

  const std::vector<AxisUse>& uses(const std::string& tensor) const { return uses_.at(tensor); }
  std::size_t rank(const std::string& tensor) const { return uses(tensor).size(); }

  /// With legal values in place of dimensions that are missing. Nothing where there is no such shape.
  std::optional<Shape> shape(const TensorSpec& spec, const Dims& known) const {
    Dims dims = known;
    dims.insert(base_.begin(), base_.end());
    try {
      return spec.shape(dims);
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
  }

 private:
  // Sizes well above choices, so that a size cut by a choice comes out otherwise when either changes.
  static constexpr std::int64_t kFirstSize = 10'007, kFirstChoice = 101;

  std::vector<std::int64_t> others(const Dimension& one) const {
    const std::int64_t value = base_.at(one.name);
    if (one.closed) return {one.choices.begin() + 1, one.choices.end()};
    if (one.at_most)
      return value > one.multiple ? std::vector{value - one.multiple} : std::vector<std::int64_t>();
    return {2 * value + one.multiple};
  }

  std::vector<AxisUse> uses_of(const TensorSpec& spec) const {
    const Shape base = shape(spec, {}).value_or(Shape());
    std::vector<AxisUse> uses(base.size());
    for (const Dimension& one : declaration_.dimensions) {
      for (const std::int64_t other : others(one)) {
        const auto varied = shape(spec, {{one.name, other}});
        if (!varied || varied->size() != base.size()) continue;
        for (std::size_t axis = 0; axis < base.size(); ++axis) {
          if ((*varied)[axis] == base[axis]) continue;
          uses[axis].follows_from.insert(one.name);
          if (base[axis] == extent(base_, one.name) && (*varied)[axis] == static_cast<std::size_t>(other))
            uses[axis].is = one.name;
        }
      }
    }
    for (AxisUse& use : uses) {
      if (use.follows_from.size() > 1) use.is.clear();
    }
    return uses;
  }

  const OperationDeclaration& declaration_;
  Dims base_;
  std::map<std::string, std::vector<AxisUse>, std::less<>> uses_;
};

class Inference {
 public:
  Inference(const OperationDeclaration& declaration, const std::vector<StoredShape>& tensors,
            const Dims& given)
      : declaration_(declaration), tensors_(tensors), shapes_(declaration), found_{given, {}} {}

  InferredDims run() {
    for (const auto& [name, value] : found_.dims) check_given(name, value);
    for (const StoredShape& one : tensors_) take_axes(one);
    for (bool more = true; more;) {
      more = false;
      found_.open.clear();
      for (const Dimension& one : declaration_.dimensions) {
        if (!found_.dims.contains(one.name)) more |= search(one);
      }
    }
    return std::move(found_);
  }

 private:
  /// Shapes are functions of dimensions that are legal one by one.
  void check_given(const std::string& name, std::int64_t value) const {
    const Dimension* const one = find_named(declaration_.dimensions, name);
    if (one == nullptr) {
      std::vector<std::string> names;
      for (const Dimension& known : declaration_.dimensions) names.push_back(known.name);
      throw std::invalid_argument(fmt::format("{}={}: {} has no such dimension; it has {}", name, value,
                                              declaration_.name, fmt::join(names, ", ")));
    }
    if (value < 1 || value > kLargest || value % one->multiple != 0) {
      throw std::invalid_argument(fmt::format("{}={}: must be a positive multiple of {} that fits in 31 bits",
                                              name, value, one->multiple));
    }
  }

  static std::string label(const StoredShape& one) { return one.label.empty() ? one.tensor : one.label; }

  /// "A [5, 64]".
  static std::string shown(const StoredShape& one) {
    return fmt::format("{} [{}]", label(one), fmt::join(one.shape, ", "));
  }

  [[noreturn]] static void refuse(const StoredShape& one, const std::string& why) {
    throw std::invalid_argument(
        fmt::format("tensor {}: shape: [{}] {}", label(one), fmt::join(one.shape, ", "), why));
  }

  const TensorSpec& spec_of(const StoredShape& one) const {
    const TensorSpec* const spec = find_named(declaration_.tensors, one.tensor);
    if (spec == nullptr) throw std::invalid_argument(one.tensor + ": no such tensor of " + declaration_.name);
    return *spec;
  }

  /// Takes the axes that are dimensions.
  void take_axes(const StoredShape& one) {
    const TensorSpec& spec = spec_of(one);
    const auto& uses = shapes_.uses(one.tensor);
    if (one.shape.size() != uses.size()) {
      refuse(one, fmt::format("has {} axes, must have {}: {}", one.shape.size(), uses.size(),
                              shape_in_words(declaration_, spec)));
    }
    for (std::size_t axis = 0; axis < uses.size(); ++axis) {
      const std::string& dimension = uses[axis].is;
      if (dimension.empty()) continue;
      const auto value = static_cast<std::int64_t>(one.shape[axis]);
      if (value < 1 || value > kLargest)
        refuse(one, fmt::format("makes {} {}, must be from 1 to {}", dimension, one.shape[axis], kLargest));
      const auto [known, is_new] = found_.dims.emplace(dimension, value);
      if (is_new) {
        told_by_[dimension] = &one;
      } else if (known->second != value && told_by_.contains(dimension)) {
        refuse(one, fmt::format("makes {} {}, {} makes it {}", dimension, value, shown(*told_by_[dimension]),
                                known->second));
      }
    }
  }

  /// An axis that follows from a dimension and otherwise from known ones alone.
  struct Clue {
    const StoredShape* tensor;
    std::size_t axis;
  };

  std::vector<Clue> clues(const std::string& dimension) const {
    std::vector<Clue> all;
    for (const StoredShape& one : tensors_) {
      const auto& uses = shapes_.uses(one.tensor);
      for (std::size_t axis = 0; axis < uses.size(); ++axis) {
        const auto& from = uses[axis].follows_from;
        const bool others_known = std::all_of(from.begin(), from.end(), [&](const std::string& other) {
          return other == dimension || found_.dims.contains(other);
        });
        if (from.contains(dimension) && others_known) all.push_back({&one, axis});
      }
    }
    return all;
  }

  bool suits(const std::vector<Clue>& clues, const std::string& dimension, std::int64_t value) const {
    Dims dims = found_.dims;
    dims[dimension] = value;
    return std::all_of(clues.begin(), clues.end(), [&](const Clue& clue) {
      const auto shape = shapes_.shape(spec_of(*clue.tensor), dims);
      return shape && (*shape)[clue.axis] == clue.tensor->shape[clue.axis];
    });
  }

  std::vector<std::int64_t> values_that_fit(const Dimension& one, const std::vector<Clue>& clues) const {
    std::vector<std::int64_t> fit;
    const auto try_value = [&](std::int64_t value) {
      if (suits(clues, one.name, value)) fit.push_back(value);
    };
    if (one.closed) {
      for (const std::int64_t value : one.choices) try_value(value);
      return fit;
    }
    for (std::int64_t value = one.multiple; value <= kMostTried && fit.size() < kEnoughThatFit;
         value += one.multiple)
      try_value(value);
    return fit;
  }

  /// Looks for the one value that suits. True: there is one.
  bool search(const Dimension& one) {
    const auto known = clues(one.name);
    const auto fit = known.empty() ? std::vector<std::int64_t>() : values_that_fit(one, known);
    if (fit.size() == 1) {
      found_.dims[one.name] = fit.front();
      return true;
    }
    if (!known.empty() && fit.empty()) {
      std::vector<std::string> others;
      for (const std::string& name : shapes_.uses(known[0].tensor->tensor)[known[0].axis].follows_from) {
        if (name != one.name) others.push_back(fmt::format("{}={}", name, dim(found_.dims, name)));
      }
      refuse(*known[0].tensor, fmt::format("suits no {}{}{}{}; it is {}", one.name,
                                           one.closed ? "" : fmt::format(" up to {}", kMostTried),
                                           others.empty() ? "" : " beside ", fmt::join(others, ", "),
                                           shape_in_words(declaration_, spec_of(*known[0].tensor))));
    }
    found_.open.push_back({one.name, fit});
    return false;
  }

  const OperationDeclaration& declaration_;
  const std::vector<StoredShape>& tensors_;
  Shapes shapes_;
  InferredDims found_;
  std::map<std::string, const StoredShape*> told_by_;
};

}  // namespace

InferredDims infer_dims(const OperationDeclaration& declaration, const std::vector<StoredShape>& tensors,
                        const Dims& given) {
  return Inference(declaration, tensors, given).run();
}

std::string shape_in_words(const OperationDeclaration& declaration, const TensorSpec& spec) {
  std::vector<std::string> axes;
  const Shapes shapes(declaration);
  const Shape fixed = shapes.shape(spec, {}).value_or(Shape());
  for (std::size_t axis = 0; axis < fixed.size(); ++axis) {
    const AxisUse& use = shapes.uses(spec.name)[axis];
    const auto count = std::find_if(declaration.counts.begin(), declaration.counts.end(),
                                    [&](const Count& one) { return one.tensor == spec.name; });
    if (!use.is.empty()) {
      axes.push_back(use.is);
    } else if (count != declaration.counts.end()) {
      axes.push_back(count->name);
    } else if (use.follows_from.empty()) {
      axes.push_back(std::to_string(fixed[axis]));
    } else {
      axes.push_back(fmt::format("({})", fmt::join(use.follows_from, ", ")));
    }
  }
  return fmt::format("[{}]", fmt::join(axes, ", "));
}

}  // namespace assay::properties
