// Decisions that follow a plan.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/device/planned_schedule.hpp"
#include "harness/simulator/decisions.hpp"

namespace assay::simulator {

class PlannedDecisions final : public Decisions {
 public:
  /// Of one launch, which is recorded in `schedule`: it must outlive this.
  explicit PlannedDecisions(device::PlannedSchedule& schedule);

  std::uint64_t begins(std::uint64_t index, std::uint64_t count) const override;
  bool sets_aside(bool synchronises) override;
  bool step_by_step() const override { return true; }
  bool crowds() const override { return takes_turns(); }
  std::size_t next(const Situation& situation) override;
  bool runs_ahead() const override { return plan_.order == Order::ahead || plan_.order == Order::behind; }
  Turn turn(std::size_t count) override;
  std::size_t value(std::size_t count) override;

 private:
  using Order = device::SchedulePlan::Order;

  bool one_by_one() const {
    return plan_.order == Order::one_by_one || plan_.order == Order::backwards ||
           plan_.order == Order::zigzag;
  }
  bool takes_turns() const {
    return plan_.order == Order::lock_step || plan_.order == Order::ahead || plan_.order == Order::behind;
  }
  std::size_t in_turn(const Situation& situation);
  std::size_t said(const Situation& situation);
  std::size_t explored(const Situation& situation);
  std::uint64_t sleeping(const Situation& situation) const;

  const device::SchedulePlan& plan_;
  device::ScheduleRecord& record_;
  std::size_t at_ = 0;             ///< decisions taken
  std::size_t value_ = 0;          ///< of the last
  std::uint64_t in_its_turn_ = 0;  ///< operations of the one that will be ahead or behind
  std::uint32_t ahead_for_ = 0;    ///< of the one that is ahead, in a row
  bool forced_ = false;            ///< nobody was able: no step
};

}  // namespace assay::simulator
