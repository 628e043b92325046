#include "assay/property.hpp"

#include <ostream>

#include "properties/cases/generator.hpp"
#include "properties/cases/operation.hpp"

namespace assay {

std::ostream& operator<<(std::ostream& out, const Case& test_case) { return out << test_case.line; }

rc::Gen<Case> cases_of(const Kernel& kernel) {
  const auto& entry = kernel.entry();
  const auto space = properties::operation_of(entry).cases(properties::traits_of(entry));
  return rc::gen::map(properties::generator_of(space),
                      [](const properties::Case& drawn) { return Case{properties::to_line(drawn)}; });
}

Problem problem_of(const Kernel& kernel, const Case& test_case) {
  return properties::operation_of(kernel.entry()).make_problem(properties::parse_line(test_case.line));
}

Problem problem_of(const Case& test_case) {
  const auto read = properties::parse_line(test_case.line);
  return properties::find_operation(read.operation).make_problem(read);
}

std::vector<Expectation> expect(const Kernel& kernel, const Problem& problem) {
  const auto& entry = kernel.entry();
  return properties::operation_of(entry).expect(problem, entry.arithmetic);
}

}  // namespace assay
