#include "properties/large/models.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "properties/cases/planted.hpp"
#include "properties/large/large_problem.hpp"

namespace assay::properties {

std::string_view models_text();  // models.toml, compiled into the program

namespace {

constexpr std::int64_t kGroup = 128;

struct Models {
  std::vector<Layer> layers;
  std::vector<std::int64_t> tokens;
  std::vector<PopularShape> popular;
};

std::vector<std::int64_t> numbers(const toml::table& table, const char* key) {
  std::vector<std::int64_t> found;
  for (const auto& node : *table[key].as_array()) found.push_back(node.value<std::int64_t>().value());
  return found;
}

std::int64_t number(const toml::table& table, const char* key, std::int64_t otherwise) {
  return table[key].value<std::int64_t>().value_or(otherwise);
}

[[noreturn]] void fail(const toml::node& node, const char* what) {
  throw std::invalid_argument(fmt::format("models.toml:{}: {}", node.source().begin.line, what));
}

Layer read_layer(const toml::table& table, const std::string& model, const std::string& name) {
  Layer layer{.model = model,
              .name = name,
              .outputs = number(table, "outputs", 0),
              .inputs = number(table, "inputs", 0),
              .hidden = number(table, "hidden", 0),
              .experts = number(table, "experts", 0),
              .per_token = number(table, "per_token", 0)};
  const bool mixture = layer.experts != 0;
  if (layer.outputs < 1 || layer.inputs < 1) fail(table, "a layer has outputs and inputs");
  if (mixture != (layer.hidden != 0) || mixture != (layer.per_token != 0))
    fail(table, "a mixture has experts, per_token and hidden");
  return layer;
}

/// Layers of equal shape once, each with tokens, a group size and values of its own.
void add_layers_of_every_run(const toml::table& table, Models& models) {
  const auto tokens = numbers(table, "tokens"), group_sizes = numbers(table, "group_sizes");
  const std::int64_t longest = number(table, "most_inputs", 0);
  std::set<std::pair<std::int64_t, std::int64_t>> known;
  for (const Layer& layer : models.layers) {
    if (layer.experts != 0 || layer.inputs > longest) continue;
    const std::size_t i = known.size();
    if (!known.insert({layer.outputs, layer.inputs}).second) continue;
    models.popular.push_back({.layer = layer,
                              .tokens = tokens[i % tokens.size()],
                              .group_size = group_sizes[i % group_sizes.size()],
                              .values = i % 2 == 0 ? "exact" : "model"});
  }
}

Models read_models() {
  const toml::table file = toml::parse(models_text());
  Models models;
  models.tokens = numbers(file, "tokens");
  for (const auto& node : *file["model"].as_array()) {
    const toml::table& model = *node.as_table();
    const auto name = model["name"].value<std::string>(), source = model["source"].value<std::string>();
    if (!name || !source) fail(node, "a model has a name and a source");
    for (const auto& one : *model["layers"].as_array()) {
      const auto layer = one.as_table()->get_as<std::string>("name");
      if (layer == nullptr) fail(one, "a layer has a name");
      models.layers.push_back(read_layer(*one.as_table(), *name, layer->get()));
    }
  }
  for (const auto& node : *file["popular"].as_array()) {
    const toml::table& table = *node.as_table();
    const auto why = table["why"].value<std::string>(), values = table["values"].value<std::string>();
    PopularShape shape{.layer = read_layer(table, {}, why.value_or(std::string())),
                       .tokens = number(table, "tokens", 0),
                       .group_size = number(table, "group_size", 0),
                       .values = values.value_or(std::string()),
                       .checked = table["checked"].value_or(false)};
    if (!why || !values || shape.tokens < 1 || shape.group_size < 1)
      fail(node, "a popular shape has why, tokens, group_size and values");
    models.popular.push_back(std::move(shape));
  }
  add_layers_of_every_run(*file["every_run"].as_table(), models);
  return models;
}

const Models& models() {
  static const Models read = read_models();
  return read;
}

}  // namespace

const std::vector<Layer>& model_layers() { return models().layers; }
const std::vector<std::int64_t>& layer_tokens() { return models().tokens; }
const std::vector<PopularShape>& popular_shapes() { return models().popular; }

Dims layer_dims(const OperationDeclaration& declaration, const Layer& layer, std::int64_t tokens,
                std::int64_t group_size) {
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
  set("group_size", group_size);
  const bool whole = dims.contains(names.outputs) && dims.contains(names.inputs);
  return whole ? dims : Dims{};
}

std::vector<Case> layer_cases(const Operation& operation, const CaseSpace& cases, const std::string& model) {
  std::vector<Case> found;
  for (const std::int64_t tokens : layer_tokens()) {
    for (const Layer& layer : model_layers()) {
      if (!model.empty() && layer.model != model) continue;
      const Dims dims = layer_dims(operation.declaration(), layer, tokens, kGroup);
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

namespace {

/// A regime that is drawn or planned; else the ordinary one.
void set_values(const OperationDeclaration& declaration, const CaseSpace& cases, const std::string& regime,
                Case& test_case) {
  cases.set_regime(test_case, "random");
  const PlannedRegime* const planned = find_planned(declaration, regime);
  if (planned == nullptr) return cases.set_regime(test_case, regime);
  test_case.regime = regime;
  test_case.knobs.clear();
  for (const Knob& knob : planned->regime.knobs) test_case.knobs[knob.name] = 0;
}

/// With more tokens where all of it would be run otherwise: that costs more than a sample of it. None of what
/// has no tokens then.
std::optional<Case> popular_case(const OperationDeclaration& declaration, const CaseSpace& cases,
                                 const PopularShape& shape) {
  constexpr std::int64_t kMostTokens = 16;
  for (std::int64_t tokens = shape.tokens; tokens <= std::max(shape.tokens, kMostTokens); tokens *= 2) {
    const Dims dims = layer_dims(declaration, shape.layer, tokens, shape.group_size);
    if (dims.empty()) return std::nullopt;
    auto test_case = cases.at(dims);
    if (!test_case || is_large(declaration, test_case->dims)) return test_case;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Case> popular_cases(const Operation& operation, const CaseSpace& cases, bool checked) {
  std::vector<Case> found;
  for (const PopularShape& shape : popular_shapes()) {
    if (checked && !shape.checked) continue;
    auto test_case = popular_case(operation.declaration(), cases, shape);
    if (!test_case) continue;
    set_values(operation.declaration(), cases, shape.values, *test_case);
    const auto same = [&](const Case& other) { return other.dims == test_case->dims; };
    if (std::any_of(found.begin(), found.end(), same)) continue;
    test_case->seed = found.size();
    found.push_back(std::move(*test_case));
  }
  return found;
}

}  // namespace assay::properties
