// Which axes of an operation's tensors run along which of its dimensions, read off the declared shapes: what
// must move together when something moves along a dimension.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "properties/cases/operation.hpp"

namespace assay::properties {

/// How the shape of a tensor depends on one dimension D.
struct Axis {
  enum class Kind {
    none,   ///< not at all
    along,  ///< one axis has ceil(D / block) elements
    mixed,  ///< in another way, as a count of tiles
  };
  Kind kind = Kind::none;
  std::size_t axis = 0;
  std::size_t block = 1;  ///< of `along`: 8 where 8 codes are in a word, the group size where groups are
};

/// Found by asking the shape what it is for other values of D; `dims` gives those of all other dimensions.
Axis axis_of(const TensorSpec& tensor, const Dims& dims, const std::string& dimension);

/// One dimension of a problem, along which its tensors can be cut and reordered.
struct Movement {
  std::string dimension;
  std::size_t extent = 0;
  std::size_t unit = 1;              ///< what is moved begins at multiples of it and stays in one piece
  std::map<std::string, Axis> axes;  ///< of inputs and outputs, by name

  std::size_t whole_units() const { return extent / unit; }
};

/// Nothing where a tensor cannot follow: its shape is mixed, and it is none of those zeroed buffers that are
/// the same in every order; or where the declaration says that the dimension is hidden in compressed data.
std::optional<Movement> movement_along(const Operation& operation, const Problem& problem,
                                       const std::string& dimension);

/// For each new index along the dimension, the one whose values it gets.
using Order = std::vector<std::size_t>;

/// Each whole unit to where `unit_at` says its new one comes from, by number; what is left over past the last
/// whole unit stays.
Order order_of(const Movement& movement, const std::vector<std::size_t>& unit_at);
/// From `begin`, a multiple of the unit, to `end`, which is one too or the extent.
Order range_of(std::size_t begin, std::size_t end);

/// The problem with its inputs in that order along the dimension, which becomes as long as the order.
Problem reordered(const Operation& operation, const Problem& problem, const Movement& movement,
                  const Order& order);

/// The element of a tensor of shape `before` that stands at `element` of one of shape `after`, once that is
/// in the given order along `axis`.
std::size_t origin_of(std::size_t element, const Axis& axis, const Order& order,
                      const std::vector<std::size_t>& before, const std::vector<std::size_t>& after);

/// The index along `axis` of an element of a tensor of that shape.
std::size_t index_along(std::size_t element, std::size_t axis, const std::vector<std::size_t>& shape);

/// Sizes that are legal to move along, as far as the declaration says: no choices, none that are hidden.
std::vector<std::string> sizes_of(const OperationDeclaration& declaration);

/// Whether an output of the declaration has an axis along the dimension, as rows and columns do.
bool is_free(const OperationDeclaration& declaration, const std::string& dimension);

/// Whether the tensor of that name has an axis along the dimension.
bool runs_along(const OperationDeclaration& declaration, const std::string& tensor,
                const std::string& dimension);

/// The same with an element for each of its values, where groups and packed words have one for several.
bool has_one_each(const OperationDeclaration& declaration, const std::string& tensor,
                  const std::string& dimension);

/// The sizes that say where in the outputs an element of this input counts: those that both run along.
std::vector<std::string> places_of(const OperationDeclaration& declaration, const std::string& tensor);

}  // namespace assay::properties
