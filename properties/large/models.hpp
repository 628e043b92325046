// The layers of models that people quantize, and the cases of a kernel that serves them (models.toml).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/cases/operation.hpp"

namespace assay::properties {

/// A linear layer: `inputs` values of a token become `outputs`. A mixture of experts has some of them,
/// `hidden` wide inside.
struct Layer {
  std::string model, name;
  std::int64_t outputs = 0, inputs = 0;
  std::int64_t hidden = 0, experts = 0, per_token = 0;  ///< 0: no mixture
};

/// A shape of every default run, and the regime of its values.
struct PopularShape {
  Layer layer;
  std::int64_t tokens = 0, group_size = 0;
  std::string values;
  bool checked = false;  ///< also in checked mode
};

/// The table. Throws std::invalid_argument that names the line where it is not sound, which its test sees.
const std::vector<Layer>& model_layers();
/// How many tokens at a time, ascending.
const std::vector<std::int64_t>& layer_tokens();

const std::vector<PopularShape>& popular_shapes();

/// The dimensions of an operation for a layer of so many tokens: as its declaration names them (LayerNames).
/// Empty where the operation is none of such a layer: a product of a mixture, or the other way round.
Dims layer_dims(const OperationDeclaration& declaration, const Layer& layer, std::int64_t tokens,
                std::int64_t group_size);

/// Cases of a kernel for all layers that it takes, each shape once, with values of the regimes `exact` and
/// `random` in turn. `model`: of that one alone; empty: of all.
std::vector<Case> layer_cases(const Operation& operation, const CaseSpace& cases,
                              const std::string& model = "");

/// Cases of a kernel for the popular shapes that it takes; `checked`: those of checked mode alone.
std::vector<Case> popular_cases(const Operation& operation, const CaseSpace& cases, bool checked);

}  // namespace assay::properties
