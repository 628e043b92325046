#include "harness/run/shaped_cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>

#include "harness/verify/shown.hpp"
#include "properties/large/models.hpp"
#include "properties/large/shape_cases.hpp"
#include "properties/large/share.hpp"
#include "properties/large/whole.hpp"

namespace assay::run {

using properties::Case;

Dims parse_dims(const std::string& text) {
  Dims dims;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size()), equals = text.find('=', at);
    const auto fail = [&] {
      throw std::invalid_argument(fmt::format("{} is not NAME=NUMBER; write sizes as in M=1,N=4096,K=4096",
                                              shown(text.substr(at, end - at))));
    };
    if (equals == text.npos || equals > end || equals == at) fail();
    std::int64_t value = 0;
    const auto [last, error] = std::from_chars(text.data() + equals + 1, text.data() + end, value);
    if (error != std::errc() || last != text.data() + end || value < 1) fail();
    if (!dims.emplace(text.substr(at, equals - at), value).second)
      throw std::invalid_argument(fmt::format("{} is given twice", shown(text.substr(at, equals - at))));
    at = end + 1;
  }
  return dims;
}

std::vector<std::string> shape_names() {
  std::vector<std::string> names = {"llm"};
  for (const auto& layer : properties::model_layers()) {
    if (names.back() != layer.model) names.push_back(layer.model);
  }
  return names;
}

namespace {

/// Products that one threadgroup may sum up, times the budget: half a minute of either mode.
double affordable(Mode mode, std::uint64_t budget) {
  return (mode == Mode::checked ? 0x1p27 : 0x1p30) * static_cast<double>(budget);
}

bool can_afford(const KernelEntry& entry, const properties::Operation& operation, const Case& layer,
                Mode mode) {
  const auto share = properties::Share::of(entry, operation, layer.dims);
  return !share ||
         properties::products_of_threadgroup(operation, layer.dims, *share) < affordable(mode, layer.budget);
}

/// Adds the layers of the models that were asked for, and says which are left out.
void add_layers(const KernelEntry& entry, const properties::Operation& operation, const Shapes& shapes,
                std::uint64_t budget, Mode mode, ShapedCases& shaped) {
  auto layers = properties::layer_cases(operation, operation.cases(properties::traits_of(entry)),
                                        shapes.models == "llm" ? "" : shapes.models);
  const std::size_t served = layers.size();
  for (Case& layer : layers) layer.budget = budget;
  const std::size_t huge =
      std::erase_if(layers, [&](const Case& layer) { return !properties::can_run(entry, operation, layer); });
  if (layers.empty())
    throw std::invalid_argument(fmt::format("no layer of {} can be run on this kernel", shapes.models));
  const std::size_t dear =
      std::erase_if(layers, [&](const Case& layer) { return !can_afford(entry, operation, layer, mode); });
  shaped.cases.insert(shaped.cases.end(), layers.begin(), layers.end());

  std::vector<std::string> why;
  const auto say = [&](std::size_t count, const char* reason) {
    if (count > 0) why.push_back(fmt::format("{} of {} layers were not run: {}", count, served, reason));
  };
  say(huge, "they are too large, and the kernel's grid allows no sample");
  say(dear, "one threadgroup would take minutes; --budget runs more");
  shaped.left_out = fmt::format("{}", fmt::join(why, "; "));
}

}  // namespace

ShapedCases shaped_cases(const KernelEntry& entry, const Shapes& shapes, std::uint64_t budget, Mode mode) {
  const auto& operation = properties::operation_of(entry);
  const auto space = operation.cases(properties::traits_of(entry));
  ShapedCases shaped;
  for (const Dims& dims : shapes.at) {
    const auto own = properties::shape_cases(entry, operation, space, dims, budget);
    shaped.cases.insert(shaped.cases.end(), own.begin(), own.end());
  }
  if (!shapes.models.empty()) add_layers(entry, operation, shapes, budget, mode, shaped);
  return shaped;
}

}  // namespace assay::run
