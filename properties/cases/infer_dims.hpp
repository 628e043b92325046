// The dimensions of a problem from the shapes of its tensors: for tensors that come without their dimensions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "properties/cases/declaration.hpp"

namespace assay::properties {

/// A tensor of the problem as it is stored.
struct StoredShape {
  std::string tensor;  ///< its name in the declaration
  std::vector<std::size_t> shape;
  std::string label = {};  ///< its name in messages, where that is another
};

/// A dimension that the shapes do not settle.
struct OpenDimension {
  std::string name;
  std::vector<std::int64_t> fits = {};  ///< the least values that suit the shapes; none: no shape tells it
};

struct InferredDims {
  Dims dims;  ///< what was given, and what the shapes tell
  std::vector<OpenDimension> open;
};

/// What the shapes tell of each dimension that is not `given`. An axis that is a dimension tells it; one that
/// follows from it tells it where a single legal value suits. `tensors` may lack some of the problem's.
/// Throws std::invalid_argument that names tensor and field: shapes that contradict each other, a shape that
/// no value suits, another number of axes. A tensor that only `given` dimensions contradict is for
/// Operation::check_problem to refuse.
InferredDims infer_dims(const OperationDeclaration& declaration, const std::vector<StoredShape>& tensors,
                        const Dims& given);

/// A shape in words: "[(K, group_size), N]" where the first axis follows from these two and the other is N.
std::string shape_in_words(const OperationDeclaration& declaration, const TensorSpec& spec);

}  // namespace assay::properties
