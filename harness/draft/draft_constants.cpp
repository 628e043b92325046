// Values for function constants that nobody told.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/draft/doubt.hpp"
#include "harness/draft/drafting.hpp"

namespace assay::draft {
namespace {

// Flags switch parts of a kernel on, and more is checked with them. Numbers are often those of simdgroups: as
// many as the usual 128 threads have.
std::string usual_value(const std::string& type) {
  if (type == "bool") return "true";
  return type == "float" || type == "half" || type == "bfloat" ? "1.0" : "4";
}

}  // namespace

bool Drafting::guess_constants() {
  std::vector<std::string> missing;
  bool given = false;
  for (const FunctionConstant& one : draft_.kernel.constants) {
    if (told_.source.function_constants.contains(one.index)) continue;
    if (one.optional) {
      missing.push_back(fmt::format("{} = {}", one.index, usual_value(one.type)));
      guess(fmt::format("function constant {} ({} {}) has no value; give one with --constant {}=VALUE",
                        one.index, one.type, one.name, one.index));
      continue;
    }
    given = true;
    const auto value = usual_value(one.type);
    draft_.source.function_constants[one.index] = value;
    doubt(draft_, Doubt::Of::constants, one.name,
          fmt::format("function constant {} ({} {}) is {}; change it with --constant {}=VALUE", one.index,
                      one.type, one.name, value, one.index));
  }
  if (!missing.empty())
    question(
        fmt::format("function_constants = {{ {} }}  # without a value so far", fmt::join(missing, ", ")));
  return given;
}

}  // namespace assay::draft
