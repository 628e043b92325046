#include "harness/run/own_inputs.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "golden/own_tensors.hpp"
#include "harness/run/shaped_cases.hpp"
#include "properties/cases/operation.hpp"

namespace assay::run {

OwnReplay own_replay(const OwnInputs& inputs, const KernelEntry& entry) {
  const auto& operation = properties::operation_of(entry);
  const Dims given = inputs.at.empty() ? Dims() : parse_dims(inputs.at);
  auto own = golden::read_own_tensors(inputs.file, operation, given);
  properties::Case test_case;
  test_case.operation = operation.name();
  test_case.dims = own.problem.dims;
  for (const auto& count : operation.declaration().counts) test_case.dims.erase(count.name);
  if (const auto unmet = entry.unmet_requirement(test_case.dims))
    throw std::invalid_argument(fmt::format("{}: {}: {}", inputs.file, entry.name, *unmet));
  test_case.regime = golden::kOwnRegime;
  test_case.golden = inputs.file;
  const auto line = fmt::format("kernel={} manifest={} mode={} numerics={} {}",
                                properties::quoted(entry.name), properties::quoted(entry.manifest.string()),
                                inputs.mode, inputs.numerics, properties::to_line(test_case));
  return {parse_replay_line(line), std::move(own.notes)};
}

}  // namespace assay::run
