#include "properties/diagnosis/plain_order.hpp"

#include "harness/device/planned_schedule.hpp"

namespace assay::properties {

std::string plain_order_in_words(const Trial& trial, Problem problem) {
  if (problem.schedule == 0 || problem.planned != nullptr) return "";
  // Not another seed: what is drawn from it beside the order stays as it was.
  problem.planned = std::make_shared<device::PlannedSchedule>(device::schedule_of("one_by_one"));
  if (trial.run(problem).outcome.verdict != Verdict::pass) return "";
  return "The failing case is right if threadgroups run one by one and the threads of each take turns. The "
         "result depends on their order: nothing but luck orders what some threads do before others read it.";
}

}  // namespace assay::properties
