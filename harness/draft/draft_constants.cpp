#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/draft/constants.hpp"
#include "harness/draft/doubt.hpp"
#include "harness/draft/drafting.hpp"

namespace assay::draft {

// Flags switch parts of a kernel on, and more is checked with them. Numbers are often those of simdgroups: as
// many as the usual 128 threads have.
std::string usual_value(const FunctionConstant& constant) {
  if (constant.type == "bool") return "true";
  if (constant.type == "float" || constant.type == "half" || constant.type == "bfloat") return "1.0";
  // A number of an operation, say: with any other the kernel does nothing.
  const auto& choices = constant.compared;
  const bool chooses = choices.size() > 1 && std::find(choices.begin(), choices.end(), 4) == choices.end();
  return chooses ? std::to_string(choices.front()) : "4";
}

std::vector<GivenConstant> usual_constants(const KernelText& kernel, const device::KernelSource& source) {
  std::vector<GivenConstant> all;
  for (const FunctionConstant& one : kernel.constants) {
    if (one.asked || source.function_constants.contains(one.index)) continue;
    const auto value = usual_value(one);
    all.push_back({one.index, one.name, value,
                   fmt::format("function constant {} ({} {}) is {}", one.index, one.type, one.name, value)});
  }
  return all;
}

bool Drafting::guess_constants() {
  std::vector<std::string> missing;
  for (const FunctionConstant& one : draft_.kernel.constants) {
    if (!one.asked || told_.source.function_constants.contains(one.index)) continue;
    missing.push_back(fmt::format("{} = {}", one.index, usual_value(one)));
    guess(fmt::format("function constant {} ({} {}) has no value; give one with --constant {}=VALUE",
                      one.index, one.type, one.name, one.index));
  }
  const auto given = usual_constants(draft_.kernel, told_.source);
  for (const GivenConstant& one : given) {
    draft_.source.function_constants[one.index] = one.value;
    doubt(draft_, Doubt::Of::constants, one.name,
          fmt::format("{}; change it with --constant {}=VALUE, such as {}={}", one.text, one.index, one.index,
                      one.value == "true"  ? "false"
                      : one.value == "4"   ? "8"
                      : one.value == "1.0" ? "2.0"
                                           : "4"));
  }
  if (!missing.empty())
    question(
        fmt::format("function_constants = {{ {} }}  # without a value so far", fmt::join(missing, ", ")));
  return !given.empty();
}

}  // namespace assay::draft
