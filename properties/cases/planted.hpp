// Special values in places that are planned: infinity at the last element of K, NaN in the last row, ...
//
// A value spoils one line of the outputs (a row, a column, what an expert gives), so a case holds as many as
// there are lines, but for some that stay as they are. Everything else in it is what the operation fills in
// under the regime "planted": ordinary values, of one sign where an infinity would else meet its opposite.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/cases/case.hpp"
#include "properties/cases/coverage.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

inline constexpr const char* kPlanted = "planted";

/// An input to plant values in.
struct PlantedInput {
  std::string tensor;
  std::string line = {};      ///< of which an element spoils one; none: it spoils all
  std::size_t line_axis = 0;  ///< of the tensor
  std::string along = {};     ///< in words, the dimension of its other axis; none: it has no other
  bool infinite = true;       ///< infinities too, besides NaN
};

/// Declares the regime "planted": NaN and infinities at the last line, and at the first and last element of a
/// line, of each of these inputs. The knob `pair` counts them.
void declare_planted(const std::vector<PlantedInput>& inputs, OperationDeclaration& declared,
                     std::function<std::vector<Dims>(const Tile&)> sizes);

/// Adds a value to those of "planted", with its words. To be called before declare_planted() or
/// settle_planted().
void add_planted(PlantedValue value, std::string words, OperationDeclaration& declared,
                 const std::string& never = {});

/// Declares the regime "planted" of the values that were added, at least one.
void settle_planted(OperationDeclaration& declared, std::function<std::vector<Dims>(const Tile&)> sizes);

/// Writes a value, in the tensor's type, NaN as a quiet one.
void put_value(double value, Tensor& tensor, std::size_t element);

/// Writes the values of a case of "planted"; of others, nothing.
void plant(const OperationDeclaration& declaration, const Case& test_case, Problem& filled);

/// What to write in a manifest if inputs never hold the planned values of the case; "" where it has none that
/// a manifest can leave out.
std::string remark_on_planned(const OperationDeclaration& declaration, const Case& test_case);

/// Adds the words of what a planned case shows; of others, nothing.
void cover_planned(const OperationDeclaration& declaration, const Case& test_case, Coverage& coverage);

/// Whether the kernel's requirements (harness/verify/value_requirements.hpp) leave out a planned regime: its
/// name is the requirement's.
bool is_left_out(const PlannedRegime& planned, const KernelTraits& traits);

/// The planned regime of that name, or nullptr.
const PlannedRegime* find_planned(const OperationDeclaration& declaration, const std::string& regime);

/// Dimensions of planned cases of products, small groups and a few slices: two tiles and some along reduced
/// sizes, one and some along others, but few rows M beside sums; and whole tiles.
std::vector<Dims> ragged_and_whole(const std::vector<Dimension>& dimensions, const Tile& tile);

}  // namespace assay::properties
