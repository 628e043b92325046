// Operations that manifests state, as operations like any other.
#pragma once

#include <memory>
#include <vector>

#include "properties/cases/operation.hpp"
#include "properties/stated/answers.hpp"

namespace assay::properties {

class Stated final : public Operation {
 public:
  /// `answers`: null where the manifest has no reference, so that any result is right which is written.
  Stated(std::shared_ptr<const StatedOperation> stated, std::unique_ptr<Answers> answers);

  void prepare(const Arithmetic& arithmetic) const override;
  std::vector<Expectation> expect(const Problem& problem, const Arithmetic& arithmetic) const override;
  bool has_answers() const override { return answers_ != nullptr; }
  bool can_repeat() const override;

 protected:
  void fill(const Case& test_case, Problem& filled) const override;

 private:
  std::shared_ptr<const StatedOperation> stated_;
  std::unique_ptr<Answers> answers_;
  mutable Arithmetic prepared_ = {};  ///< answers are at hand for it; what is read is the same for any
};

/// What the engine is told of it: tensors, dimensions and regimes of values.
OperationDeclaration declaration_of(const StatedOperation& stated);

/// Draws every input of a case as the manifest and the case's regime have it.
void draw_values(const StatedOperation& stated, const Case& test_case, Problem& filled);

}  // namespace assay::properties
