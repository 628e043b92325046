#include "properties/large/models.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace assay::properties {

std::string_view models_text();  // models.toml, compiled into the program

namespace {

constexpr std::int64_t kGroup = 128;

struct Models {
  std::vector<Layer> layers;
  std::vector<std::int64_t> tokens;
};

std::int64_t number(const toml::table& table, const char* key, std::int64_t otherwise) {
  return table[key].value<std::int64_t>().value_or(otherwise);
}

Models read_models() {
  const toml::table file = toml::parse(models_text());
  Models models;
  const auto fail = [](const toml::node& node, const char* what) {
    throw std::invalid_argument(fmt::format("models.toml:{}: {}", node.source().begin.line, what));
  };
  for (const auto& node : *file["tokens"].as_array())
    models.tokens.push_back(node.value<std::int64_t>().value());
  for (const auto& node : *file["model"].as_array()) {
    const toml::table& model = *node.as_table();
    const auto name = model["name"].value<std::string>(), source = model["source"].value<std::string>();
    if (!name || !source) fail(node, "a model has a name and a source");
    for (const auto& one : *model["layers"].as_array()) {
      const toml::table& table = *one.as_table();
      Layer layer{.model = *name,
                  .name = table["name"].value_or(std::string()),
                  .outputs = number(table, "outputs", 0),
                  .inputs = number(table, "inputs", 0),
                  .hidden = number(table, "hidden", 0),
                  .experts = number(table, "experts", 0),
                  .per_token = number(table, "per_token", 0)};
      const bool mixture = layer.experts != 0;
      if (layer.name.empty() || layer.outputs < 1 || layer.inputs < 1)
        fail(one, "a layer has a name, outputs and inputs");
      if (mixture != (layer.hidden != 0) || mixture != (layer.per_token != 0))
        fail(one, "a mixture has experts, per_token and hidden");
      models.layers.push_back(std::move(layer));
    }
  }
  return models;
}

const Models& models() {
  static const Models read = read_models();
  return read;
}

}  // namespace

const std::vector<Layer>& model_layers() { return models().layers; }
const std::vector<std::int64_t>& layer_tokens() { return models().tokens; }

Dims layer_dims(const OperationDeclaration& declaration, const Layer& layer, std::int64_t tokens) {
  const LayerNames& names = declaration.layer;
  if ((layer.experts != 0) != !names.experts.empty()) return {};
  Dims dims;
  const auto set = [&](const std::string& name, std::int64_t value) {
    if (find_named(declaration.dimensions, name) != nullptr) dims[name] = value;
  };
  set(names.tokens, tokens);
  set(names.outputs, layer.outputs);
  set(names.inputs, layer.inputs);
  set(names.hidden, layer.hidden);
  set(names.experts, layer.experts);
  set(names.per_token, layer.per_token);
  set("group_size", kGroup);
  const bool whole = dims.contains(names.outputs) && dims.contains(names.inputs);
  return whole ? dims : Dims{};
}

std::vector<Case> layer_cases(const Operation& operation, const CaseSpace& cases, const std::string& model) {
  std::vector<Case> found;
  for (const std::int64_t tokens : layer_tokens()) {
    for (const Layer& layer : model_layers()) {
      if (!model.empty() && layer.model != model) continue;
      const Dims dims = layer_dims(operation.declaration(), layer, tokens);
      if (dims.empty()) continue;
      auto test_case = cases.at(dims);
      if (!test_case) continue;
      const auto same = [&](const Case& other) { return other.dims == test_case->dims; };
      if (std::any_of(found.begin(), found.end(), same)) continue;
      test_case->seed = found.size();
      if (found.size() % 2 == 1) cases.set_regime(*test_case, "random");
      found.push_back(std::move(*test_case));
    }
  }
  return found;
}

}  // namespace assay::properties
