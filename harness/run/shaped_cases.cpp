#include "harness/run/shaped_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>

#include "harness/verify/shown.hpp"
#include "properties/large/models.hpp"
#include "properties/large/shape_cases.hpp"

namespace assay::run {

using properties::Case;

Dims parse_dims(const std::string& text) {
  Dims dims;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size()), equals = text.find('=', at);
    const auto fail = [&] {
      throw std::invalid_argument(
          fmt::format("{} is no NAME=NUMBER; write M=1,N=4096,K=4096", shown(text.substr(at, end - at))));
    };
    if (equals == text.npos || equals > end || equals == at) fail();
    std::int64_t value = 0;
    const auto [last, error] = std::from_chars(text.data() + equals + 1, text.data() + end, value);
    if (error != std::errc() || last != text.data() + end || value < 1) fail();
    if (!dims.emplace(text.substr(at, equals - at), value).second)
      throw std::invalid_argument(fmt::format("{} stands there twice", shown(text.substr(at, equals - at))));
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

std::vector<Case> shaped_cases(const KernelEntry& entry, const Shapes& shapes, std::uint64_t budget) {
  const auto& operation = properties::find_operation(entry.operation);
  const auto space = operation.cases(properties::traits_of(entry));
  std::vector<Case> cases;
  for (const Dims& dims : shapes.at) {
    const auto own = properties::shape_cases(entry, operation, space, dims, budget);
    cases.insert(cases.end(), own.begin(), own.end());
  }
  if (shapes.models.empty()) return cases;
  auto layers = properties::layer_cases(operation, space, shapes.models == "llm" ? "" : shapes.models);
  for (Case& layer : layers) layer.budget = budget;
  std::erase_if(layers,
                [&](const Case& test_case) { return !properties::can_run(entry, operation, test_case); });
  if (layers.empty())
    throw std::invalid_argument(fmt::format("it takes no layer of {} that could be run", shapes.models));
  cases.insert(cases.end(), layers.begin(), layers.end());
  return cases;
}

}  // namespace assay::run
