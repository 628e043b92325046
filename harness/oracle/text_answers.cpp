// What is right as a text of a manifest says: compiled when it is first asked for, one process for each
// arithmetic.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "harness/oracle/compile_reference.hpp"
#include "harness/oracle/reference_process.hpp"
#include "harness/sandbox/confinement.hpp"
#include "harness/sandbox/processor_clock.hpp"
#include "properties/stated/answers.hpp"

namespace assay::oracle {
namespace {

/// For one problem, where nobody has set another limit.
constexpr double kMost_s = 60;

class TextAnswers final : public properties::Answers {
 public:
  explicit TextAnswers(std::shared_ptr<const StatedOperation> stated) : stated_(std::move(stated)) {}

  void prepare(const Arithmetic& arithmetic) override { (void)process_for(math_of(arithmetic)); }

  std::vector<Expectation> expect(const Problem& problem, const Arithmetic& arithmetic) override {
    return process_for(math_of(arithmetic)).solve(problem);
  }

  void fill(const properties::Case& test_case, Problem& problem) override {
    forget_those_of_parent();
    auto& any =
        processes_.empty() ? process_for({false, stated_->precise, false}) : *processes_.front().second;
    any.fill(test_case.regime, test_case.seed, problem);
  }

 private:
  ReferenceMath math_of(const Arithmetic& arithmetic) const {
    return {arithmetic.accumulate == Precision::half_precision, stated_->precise, arithmetic.flushed};
  }

  // A process that was forked since has inherited those of its parent. It may ask them if it is confined,
  // since its parent waits for it then; else it starts its own.
  void forget_those_of_parent() {
    if (owner_ == getpid() || sandbox::is_confined()) return;
    for (auto& [kept, process] : processes_) (void)process.release();  // they are the parent's to end
    processes_.clear();
    owner_ = getpid();
  }

  ReferenceProcess& process_for(const ReferenceMath& math) {
    forget_those_of_parent();
    for (auto& [kept, process] : processes_) {
      if (kept == math) return *process;
    }
    const auto& tools = metal::toolchain();
    processes_.emplace_back(
        math, std::make_unique<ReferenceProcess>(stated_, compile_reference(*stated_, math, tools),
                                                 std::min(kMost_s, sandbox::processor_time_limit())));
    return *processes_.back().second;
  }

  std::shared_ptr<const StatedOperation> stated_;
  pid_t owner_ = 0;
  std::vector<std::pair<ReferenceMath, std::unique_ptr<ReferenceProcess>>> processes_;
};

const properties::RegisterReferenceTexts kTexts([](const std::shared_ptr<const StatedOperation>& stated) {
  return std::make_unique<TextAnswers>(stated);
});

}  // namespace
}  // namespace assay::oracle
