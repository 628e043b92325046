#include "assay/operation.hpp"

#include <memory>
#include <utility>

#include "harness/library/described_tables.hpp"
#include "harness/verify/manifest_operation.hpp"
#include "properties/stated/stated.hpp"

namespace assay {
namespace {

/// What a function of the program says is right.
class ProgramAnswers final : public properties::Answers {
 public:
  explicit ProgramAnswers(OperationDescription described) : described_(std::move(described)) {}

  void prepare(const Arithmetic&) override {}

  std::vector<Expectation> expect(const Problem& problem, const Arithmetic&) override {
    return described_.expect(problem);
  }

  void fill(const properties::Case& test_case, Problem& problem) override {
    if (described_.fill) described_.fill(test_case.seed, problem);
  }

 private:
  OperationDescription described_;
};

std::unique_ptr<properties::Operation> operation_from(const OperationDescription& described,
                                                      const SourceLine& where) {
  toml::table table;
  library::insert_buffers(described.dimensions, described.tensors, table);
  TomlFields fields(table, library::place_of(where), "operation.");
  StatedOperation stated;
  stated.name = described.name;
  stated.manifest = where.file;
  stated.line = where.line;
  read_buffers(fields, stated);
  if (!described.expect) throw ManifestError(where.file, where.line, "operation.expect", "is missing");
  stated.in_program = true;
  return std::make_unique<properties::Stated>(std::make_shared<const StatedOperation>(std::move(stated)),
                                              std::make_unique<ProgramAnswers>(described));
}

}  // namespace

Expectation exactly(const Tensor& right) {
  Expectation expected{.tensor = right.name, .value = {}, .low = {}, .high = {}, .bound = "exact"};
  expected.value.reserve(right.element_count());
  for (std::size_t i = 0; i < right.element_count(); ++i) expected.value.push_back(decode(right, i));
  expected.low = expected.high = expected.value;
  expected.signed_zero = !is_integer(right.dtype);
  return expected;
}

RegisterOperation::RegisterOperation(OperationDescription description, SourceLine where) {
  const std::string name = description.name;
  properties::RegisterOperation(
      name, [description = std::move(description), where] { return operation_from(description, where); });
}

}  // namespace assay
