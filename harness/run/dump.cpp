#include "harness/run/dump.hpp"

#include <string>
#include <utility>

#include "golden/answers.hpp"
#include "golden/case_file.hpp"
#include "golden/safetensors.hpp"

namespace assay::run {
void dump(const properties::Trial& trial, const properties::Case& test_case, const properties::Given& given,
          const std::filesystem::path& path) {
  const auto result =
      given.expected.empty() ? trial.run(given.problem) : trial.run(given.problem, given.expected);
  const auto& expected = given.expected.empty() ? result.expected : given.expected;
  golden::Dataset file;
  file.metadata = {{"source", "assay --dump"},
                   {"program", std::string(golden::program_version())},
                   {"operation", given.problem.operation},
                   {"kernel", trial.entry().name}};
  if (test_case.golden.empty()) file.metadata["case"] = properties::to_line(test_case);
  file.tensors = given.problem.inputs;
  for (Tensor one : result.outputs) {
    one.name = "result." + one.name;
    file.tensors.push_back(std::move(one));
  }
  for (const Expectation& one : expected) {
    for (const OutputSpec& spec : given.problem.outputs) {
      if (spec.name != one.tensor) continue;
      for (Tensor& tensor : golden::tensors_of(one, spec, golden::kept_of(one)))
        file.tensors.push_back(std::move(tensor));
    }
  }
  golden::write_safetensors(path, file);
}

}  // namespace assay::run
