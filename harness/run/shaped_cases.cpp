#include "harness/run/shaped_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>

#include "harness/verify/report.hpp"
#include "harness/verify/shown.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/large/models.hpp"
#include "properties/large/share.hpp"

namespace assay::run {
namespace {

using properties::Case;

std::vector<Case> cases_at(const KernelEntry& entry, const properties::Operation& operation,
                           const properties::CaseSpace& space, const Dims& dims) {
  for (const auto& [name, value] : dims) {
    if (properties::find_named(operation.declaration().dimensions, name) == nullptr)
      throw std::invalid_argument(fmt::format("{} has no dimension {}", operation.name(), shown(name)));
  }
  const auto test_case = space.at(dims);
  if (!test_case) throw std::invalid_argument(fmt::format("it does not take {}", to_text(dims)));
  operation.check_case(*test_case);
  if (!can_run(entry, operation, *test_case)) {
    throw std::invalid_argument(fmt::format(
        "{} is too large to be run whole, and its grid does not say which threadgroup stores what",
        to_text(dims)));
  }
  std::vector<Case> cases = {*test_case, *test_case};
  space.set_regime(cases.back(), "random");
  if (cases.front() == cases.back()) cases.pop_back();
  return cases;
}

}  // namespace

bool can_run(const KernelEntry& entry, const properties::Operation& operation, const Case& test_case) {
  return !properties::is_large(operation.declaration(), test_case.dims) ||
         (properties::can_make_large(operation, test_case.dims) &&
          properties::Share::of(entry, operation, test_case.dims).has_value());
}

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

std::vector<Case> shaped_cases(const KernelEntry& entry, const Shapes& shapes) {
  const auto& operation = properties::find_operation(entry.operation);
  const auto space = operation.cases(properties::traits_of(entry));
  std::vector<Case> cases;
  for (const Dims& dims : shapes.at) {
    const auto own = cases_at(entry, operation, space, dims);
    cases.insert(cases.end(), own.begin(), own.end());
  }
  if (shapes.models.empty()) return cases;
  auto layers = properties::layer_cases(operation, space, shapes.models == "llm" ? "" : shapes.models);
  std::erase_if(layers, [&](const Case& test_case) { return !can_run(entry, operation, test_case); });
  if (layers.empty())
    throw std::invalid_argument(fmt::format("it takes no layer of {} that could be run", shapes.models));
  cases.insert(cases.end(), layers.begin(), layers.end());
  return cases;
}

}  // namespace assay::run
