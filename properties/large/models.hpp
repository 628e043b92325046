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

/// The table. Throws std::invalid_argument that names the line where it is not sound, which its test sees.
const std::vector<Layer>& model_layers();
/// How many tokens at a time, ascending.
const std::vector<std::int64_t>& layer_tokens();

/// The dimensions of an operation for a layer of so many tokens: as its declaration names them (LayerNames),
/// its groups of 128. Empty where the operation is none of such a layer: a product of a mixture, or the other
/// way round.
Dims layer_dims(const OperationDeclaration& declaration, const Layer& layer, std::int64_t tokens);

/// Cases of a kernel for all layers that it takes, each shape once, with values of the regimes `exact` and
/// `random` in turn. `model`: of that one alone; empty: of all.
std::vector<Case> layer_cases(const Operation& operation, const CaseSpace& cases,
                              const std::string& model = "");

}  // namespace assay::properties
