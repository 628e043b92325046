// Reports of lanes that do not do together what they must: barriers that not all reach, matrix operations
// that only some have done.
#include <fmt/format.h>

#include <algorithm>

#include "harness/device/grouped.hpp"
#include "harness/simulator/checker.hpp"
#include "harness/simulator/compute_unit.hpp"

namespace assay::simulator {

void ComputeUnit::report_divergence() {
  const Lane& waiting = *waiting_at(gate_);
  report_divergence({&gate_, waiting.wait, lanes_, count_, mixed_ ? 0 : arrived_, "threadgroup"});
}

void ComputeUnit::report_divergence(const Simdgroup& group) {
  const Meeting& now = group.now;
  const std::uint32_t arrived = now.arrived == group.size ? 0 : now.arrived;
  report_divergence({&group.gate, now.site, group.first, group.size, arrived, "simdgroup"});
}

void ComputeUnit::report_divergence(const Divergence& at) {
  launch_->faults->add(device::FaultKind::divergent_barrier, at.site.line, [&] {
    device::Fault fault;
    fault.place = {at.site.file ? at.site.file : "", at.site.line};
    // Who has never come to this barrier goes where the text sends them, and what they do there without it
    // follows. Where all have passed it before, something has changed: a race may be why.
    if (const Checker* const checker = launch_->checker) {
      const bool passed = checker->has_passed(at.first->view.simdgroup_index, at.site);
      fault.moment = passed ? checker->moment() : checker->moment_of_barrier();
    }
    // One who is here, or has passed early, and one who is missing.
    const auto is_here = [&](const Lane& lane) {
      return lane.gate == at.gate && lane.waits() &&
             (lane.wait == at.site || lane.early == at.gate->epoch + 1);
    };
    const Lane* const end = at.first + at.size;
    const Lane* const here = std::find_if(at.first, end, is_here);
    const Lane* const missing = std::find_if_not(at.first, end, is_here);
    fault.message = at.arrived == 0 ? fmt::format("threads of one {} wait at different barriers", at.scope)
                                    : fmt::format("only {} of {} threads of the {} reach this barrier",
                                                  at.arrived, at.size, at.scope);
    if (here != end) {
      fault.accesses.push_back({name_of(here->view.index_in_threadgroup) + " waits here", fault.place});
    }
    if (missing != end) {
      device::Access access;
      access.what =
          name_of(missing->view.index_in_threadgroup) + (missing->done ? " has ended" : " waits elsewhere");
      if (missing->done ? missing->leaves : missing->wait.file != nullptr) {
        access.place = {missing->wait.file, missing->wait.line};
      }
      fault.accesses.push_back(access);
    }
    return fault;
  });
}

// Matrix operations belong to the whole simdgroup, and lane 0 does them for all: a lane that has counted
// more or fewer of them at a barrier took another way.
void ComputeUnit::compare_matrix_operations(CallSite site) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    const assay_lane_t& leader = lanes_[i / kWidth * kWidth].view;
    const assay_lane_t& view = lanes_[i].view;
    if (view.matrix_operations == leader.matrix_operations &&
        view.matrix_arguments == leader.matrix_arguments)
      continue;
    return report_matrix_operations(lanes_[i], leader.matrix_operations, view.matrix_operations, site);
  }
}

// Operations of several simdgroups belong to the whole threadgroup.
void ComputeUnit::compare_group_operations(CallSite site) {
  const auto differs = [&](const Lane& lane) {
    return lane.view.group_operations != lanes_->view.group_operations;
  };
  const Lane* const odd_one = std::find_if(lanes_, lanes_ + count_, differs);
  if (odd_one == lanes_ + count_ || faulted_lane_) return;
  launch_->faults->add(device::FaultKind::divergent_barrier, (std::uint64_t{2} << 32) | site.line, [&] {
    device::Fault fault;
    fault.place = {site.file ? site.file : "", site.line};
    fault.message = fmt::format(
        "simdgroups {} and {} do different operations on tensors {}; all simdgroups of an operation must "
        "take "
        "part in it, with the same arguments",
        lanes_->view.simdgroup_index, odd_one->view.simdgroup_index,
        site.file != nullptr ? "before this barrier" : "before the kernel's end");
    fault.accesses.push_back({name_of(odd_one->view.index_in_threadgroup), fault.place});
    return fault;
  });
}

// Of a broadcast, a shift or the like: the lanes that take part say by how much, or from where, and all say
// the same.
void ComputeUnit::compare_operands(const Simdgroup& group, std::uint64_t active) {
  for (std::uint32_t i = 0; i < group.size; ++i) {
    const Lane& lane = group.first[i];
    if ((active >> i & 1) == 0 || lane.operand == kNoOperand) continue;
    const std::uint32_t begin = (lane.operand & kOfQuads) != 0 ? i & ~3u : 0;
    std::uint32_t first = begin;
    while ((active >> first & 1) == 0) ++first;
    const Lane& other = group.first[first];
    if (other.operand == lane.operand) continue;
    return report_undefined(
        lane, lane.wait,
        fmt::format("the lanes of a {} give different operands, {} in lane {} and {} in lane "
                    "{}: the lane, the mask or the distance must be the same in all of them",
                    begin != 0 || (lane.operand & kOfQuads) != 0 ? "quad" : "simdgroup",
                    other.operand & 0xFFFF, first, lane.operand & 0xFFFF, i));
  }
}

void ComputeUnit::report_undefined(const Lane& lane, CallSite site, const std::string& message) {
  launch_->faults->add(device::FaultKind::undefined, (std::uint64_t{4} << 32) | site.line, [&] {
    device::Fault fault;
    fault.place = {site.file ? site.file : "", site.line};
    fault.message = message;
    fault.accesses.push_back({"by " + name_of(lane.view.index_in_threadgroup), fault.place});
    return fault;
  });
}

void ComputeUnit::report_simdgroups(const Lane& lane, std::uint32_t simdgroups, CallSite site) {
  launch_->faults->add(device::FaultKind::divergent_barrier, (std::uint64_t{3} << 32) | site.line, [&] {
    device::Fault fault;
    fault.place = {site.file, site.line};
    fault.message =
        fmt::format("an operation of {} in a threadgroup that has {}",
                    device::counted(simdgroups, "simdgroup"), lane.view.simdgroups_per_threadgroup);
    fault.accesses.push_back({name_of(lane.view.index_in_threadgroup), fault.place});
    return fault;
  });
}

void ComputeUnit::report_matrix_operations(const Lane& odd_one, std::uint32_t others, std::uint32_t its,
                                           CallSite site) {
  if (faulted_lane_) return;
  launch_->faults->add(device::FaultKind::divergent_barrier, (std::uint64_t{1} << 32) | site.line, [&] {
    device::Fault fault;
    fault.place = {site.file ? site.file : "", site.line};
    const std::string group = fmt::format("the threads of simdgroup {}", odd_one.view.simdgroup_index);
    const std::string until = site.file != nullptr ? "before this barrier" : "before the kernel's end";
    fault.message = its == others
                        ? fmt::format(
                              "{} pass different arguments to a matrix operation {}; pointers, strides and "
                              "values must be the same in all of them",
                              group, until)
                        : fmt::format(
                              "{} do different numbers of matrix operations {} ({} and {}); all threads of a "
                              "simdgroup must take part in each",
                              group, until, device::grouped(others), device::grouped(its));
    fault.accesses.push_back({name_of(odd_one.view.index_in_threadgroup), fault.place});
    return fault;
  });
}

}  // namespace assay::simulator
