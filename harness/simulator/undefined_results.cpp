#include "harness/simulator/undefined_results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/simulator/checker.hpp"
#include "harness/simulator/never_left.hpp"
#include "harness/simulator/rendezvous.hpp"

namespace assay::simulator {
namespace {

Lane* running() { return reinterpret_cast<Lane*>(assay_lane); }

const char* words_of(UndefinedResults::Of of) {
  return of == UndefinedResults::Of::division ? "a whole number is divided by zero, or the least of its type "
                                                "by -1: Metal leaves the result undefined"
                                              : "a signed sum, difference or product is beyond what its type "
                                                "holds: Metal leaves the result undefined";
}

}  // namespace

ASSAY_NEVER_LEFT void end_undefined_lane() {
  Lane& lane = *running();
  lane.unit->launch().faults->add(device::FaultKind::undefined, 1, [&] {
    device::Fault fault;
    fault.message =
        "a shift by as many bits as there are, or more, or a conversion to an integer of what its type does "
        "not "
        "hold: Metal leaves the result undefined";
    fault.accesses = {{"by " + lane.unit->name_of(lane.view.index_in_threadgroup), {}}};
    return fault;
  });
  lane.unit->end_lane(lane);
}

std::uint64_t UndefinedResults::note(Of of, std::uint64_t usual, std::uintptr_t address) {
  const Lane& lane = *running();
  bool other = others_;
  const std::lock_guard lock(lock_);
  for (Note& note : notes_) {
    if (note.address != 0 && note.address != address) continue;
    if (note.address == 0) {
      note = {address,
              of,
              0,
              Checker::current != nullptr ? Checker::current->moment() : 0,
              lane.view.index_in_threadgroup,
              {}};
      std::copy_n(lane.view.threadgroup_position, 3, note.threadgroup.begin());
    }
    // A loop that such a value keeps going ends where there are very many.
    constexpr std::uint64_t kMany = 64;
    if (++note.count > kMany && note.count % 2 == 0) other = false;
    break;
  }
  constexpr std::uint64_t kOther = 0x9E3779B9FF4ACC95u;  // has the highest bit of each width
  return other ? usual ^ kOther : usual;
}

std::vector<device::Fault> UndefinedResults::faults(const metal::KernelModule& module) {
  const std::lock_guard lock(lock_);
  std::vector<device::Fault> all;
  for (const Note& note : notes_) {
    if (note.address == 0) break;
    device::Fault fault;
    fault.kind = device::FaultKind::undefined;
    fault.message = words_of(note.of);
    fault.place = module.place_of(note.address);
    fault.count = note.count;
    fault.moment = note.moment;
    fault.accesses = {
        {fmt::format("by thread {} (simdgroup {}, lane {}) of threadgroup ({}, {}, {})", note.thread,
                     note.thread / ASSAY_SIMDGROUP_WIDTH, note.thread % ASSAY_SIMDGROUP_WIDTH,
                     note.threadgroup[0], note.threadgroup[1], note.threadgroup[2]),
         fault.place}};
    const auto known = std::find_if(all.begin(), all.end(), [&](const device::Fault& one) {
      return one.place == fault.place && one.message == fault.message;
    });
    if (known == all.end()) {
      all.push_back(std::move(fault));
    } else {
      known->count += fault.count;
    }
  }
  return all;
}

}  // namespace assay::simulator
