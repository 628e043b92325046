// The functions that lowered kernels call: stdlib/assay/runtime.h.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "harness/device/grouped.hpp"
#include "harness/metal/toolchain.hpp"
#include "harness/simulator/alignment.hpp"
#include "harness/simulator/checker.hpp"
#include "harness/simulator/counters.hpp"
#include "harness/simulator/never_left.hpp"
#include "harness/simulator/rendezvous.hpp"

using assay::simulator::Checker;
using assay::simulator::Counters;
using assay::simulator::Lane;

namespace {

Lane& running() { return *reinterpret_cast<Lane*>(assay_lane); }

// What the compiler's own checks hand over (GCC's ubsan ABI).
struct UbsanPlace {
  const char* file;
  std::uint32_t line, column;
};
struct UbsanType {
  std::uint16_t kind, info;
  char name[1];
};
struct UbsanIndex {
  UbsanPlace place;
  const UbsanType* array;
  const UbsanType* index;
};
struct UbsanPointer {
  UbsanPlace place;
  const UbsanType* type;
  unsigned char log2_alignment, use;
};
struct UbsanOverflow {
  UbsanPlace place;
  const UbsanType* type;
};

bool in_stdlib(const UbsanPlace& place) {
  return std::string_view(place.file).starts_with(assay::metal::toolchain().stdlib.native());
}

// Of an operation inside the stand-in library, the line of the kernel's that led there, where it is known.
assay::device::SourcePlace place_of(const UbsanPlace& place, const void* caller) {
  if (in_stdlib(place)) {
    auto outside = running().unit->launch().module->place_of(reinterpret_cast<std::uintptr_t>(caller));
    if (outside.line != 0) return outside;
  }
  return {place.file, place.line};
}

// Whose texture it is, and why it has none.
std::string no_atomics_on(const assay::simulator::Launch& launch, uint index) {
  std::string name = fmt::format("texture({})", index);
  for (const auto& parameter : launch.module->textures()) {
    if (parameter.index == static_cast<int>(index)) name = parameter.name;
  }
  const auto format = static_cast<assay::device::TextureFormat>(launch.textures.at(index).format);
  return fmt::format("an atomic on `{}`, a texture of {}; only r32uint and r32sint have atomics", name,
                     assay::device::layout_of(format).name);
}

}  // namespace

extern "C" {
void assay_lane_leaves(std::uint32_t line, const char* file) {
  Lane& lane = running();
  lane.wait = {file, line};
  lane.leaves = true;
}

assay_lane_t* assay_threadgroup_arrive(uint flags, uint line, const char* file) {
  Lane& lane = running();
  return &lane.unit->threadgroup_arrive(lane, flags, {file, line}).view;
}

assay_lane_t* assay_simdgroup_arrive(uint flags, uint line, const char* file) {
  Lane& lane = running();
  return &lane.unit->simdgroup_arrive(lane, flags, {file, line}).view;
}

void assay_simdgroup_arrive_early(uint flags, uint line, const char* file) {
  Lane& lane = running();
  lane.unit->simdgroup_arrive_early(lane, flags, {file, line});
}

void assay_threadgroup_barrier(uint flags, uint line, const char* file) {
  Lane& lane = running();
  lane.unit->resume(lane, lane.unit->threadgroup_arrive(lane, flags, {file, line}));
}

void assay_simdgroup_barrier(uint flags, uint line, const char* file) {
  Lane& lane = running();
  lane.unit->resume(lane, lane.unit->simdgroup_arrive(lane, flags, {file, line}));
}

const void* assay_collective(const void* value, uint size, ulong* active_mask, uint line, const char* file) {
  Lane& lane = running();
  std::uint64_t active = 0;
  const void* results = lane.unit->collective(lane, value, size, &active, {file, line});
  *active_mask = active;
  return results;
}

void assay_inactive_lane(uint from, uint line, const char* file) {
  Lane& lane = running();
  lane.unit->note_inactive_read(lane, from, {file, line});
}

void assay_check_matrix(const void* first, long row_stride_bytes, uint element_bytes, uint is_write,
                        uint line, const char* file) {
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  if (Checker::current != nullptr) {
    Checker::current->matrix_access(address, row_stride_bytes, element_bytes, is_write != 0, {file, line});
  } else {
    Counters::matrix_access(address, row_stride_bytes, element_bytes, is_write != 0);
  }
}

void assay_check_tile(const void* first, long row_stride_bytes, long column_stride_bytes, uint rows,
                      uint columns, uint element_bytes, uint simdgroups, uint line, const char* file) {
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  if (Checker::current != nullptr) {
    Checker::current->tile_read(address, row_stride_bytes, column_stride_bytes, rows, columns, element_bytes,
                                {file, line});
  } else {
    Counters::tile_read(address, row_stride_bytes, column_stride_bytes, rows, columns, element_bytes,
                        simdgroups);
  }
}

void assay_group_operation(uint simdgroups, ulong arguments, uint line, const char* file) {
  Lane& lane = running();
  const std::uint64_t number = (arguments ^ line) * 0x9E3779B97F4A7C15u;
  lane.view.group_operations = lane.view.group_operations * 31 + static_cast<std::uint32_t>(number >> 32) + 1;
  if (lane.view.simdgroups_per_threadgroup != simdgroups)
    lane.unit->report_simdgroups(lane, simdgroups, {file, line});
}

void assay_no_value(uint line, const char* file) {
  if (Checker::current != nullptr) Checker::current->no_value({file, line});
}

assay_copy_t* assay_copy_begins() {
  Lane& lane = running();
  return lane.unit->copies().begin(lane.view.index_in_threadgroup);
}

void assay_copy_ends(assay_copy_t* copy) {
  Lane& lane = running();
  lane.unit->copies().end(lane.view.index_in_threadgroup, copy);
}

void assay_private_begins(void* at, ulong bytes, uint number, const char* name, uint line, const char* file) {
  if (Checker::current != nullptr) Checker::current->private_begins(at, bytes, number, name, {file, line});
}

void assay_private_ends(void* at) {
  if (Checker::current != nullptr) Checker::current->private_ends(at);
}

ASSAY_NEVER_LEFT void assay_index_out_of_bounds(const void* data, long index, const void* caller) {
  const auto& found = *static_cast<const UbsanIndex*>(data);
  // A member of one element, that may be the last of a buffer and go on with that: the bounds of the buffer
  // hold. What is no member is seen by inside() (stdlib/metal/inside.h).
  if (std::string_view(found.array->name).ends_with("[1]'")) return;
  Checker::index_out_of_bounds(
      fmt::format("index {} is outside an array of the type {}", index, found.array->name),
      place_of(found.place, caller));
}

ASSAY_NEVER_LEFT void assay_no_element(long index, ulong count, uint line, const char* file) {
  const void* const caller = __builtin_return_address(0);
  Checker::index_out_of_bounds(
      fmt::format("index {} is outside an array of {}", index, assay::device::counted(count, "element")),
      line != 0 ? assay::device::SourcePlace{file, line}
                : running().unit->launch().module->place_of(reinterpret_cast<std::uintptr_t>(caller)));
}

void assay_misaligned(const void* data, const void* address) {
  const auto& found = *static_cast<const UbsanPointer*>(data);
  if (in_stdlib(found.place)) return;
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  const assay::simulator::PointedTo type(found.type->name, 1u << found.log2_alignment);
  if (number % type.alignment == 0) return;
  Checker::misaligned(number, type, {found.place.file, found.place.line});
}

ASSAY_NEVER_LEFT void assay_no_texel_atomics(uint index, uint line, const char* file) {
  Lane& lane = running();
  const auto& launch = lane.unit->launch();
  const assay::device::SourcePlace place = {file, line};
  launch.faults->add(assay::device::FaultKind::crash,
                     reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)), [&] {
                       assay::device::Fault fault;
                       fault.message = no_atomics_on(launch, index);
                       fault.place = place;
                       fault.accesses = {{"by " + lane.unit->name_of(lane.view.index_in_threadgroup), place}};
                       return fault;
                     });
  lane.unit->end_lane(lane);
}

ASSAY_NEVER_LEFT void assay_address_as_number(const void* address, uint line, const char* file) {
  Lane& lane = running();
  if (!lane.unit->holds(reinterpret_cast<std::uintptr_t>(address))) return;
  lane.unit->launch().faults->add(assay::device::FaultKind::crash, std::uint64_t{1} << 42 | line, [&] {
    assay::device::Fault fault;
    fault.message =
        "the address of a variable of the thread's own becomes a number, which Metal does not define";
    fault.place = {file, line};
    fault.accesses = {{"by " + lane.unit->name_of(lane.view.index_in_threadgroup), fault.place}};
    return fault;
  });
  lane.unit->end_lane(lane);
}

ASSAY_NEVER_LEFT void assay_division_fault(const void* data, const void* caller) {
  const auto& found = *static_cast<const UbsanOverflow*>(data);
  Lane& lane = running();
  lane.unit->launch().faults->add(
      assay::device::FaultKind::crash, reinterpret_cast<std::uintptr_t>(caller), [&] {
        assay::device::Fault fault;
        fault.message = fmt::format("integer division by zero ({})", found.type->name);
        fault.place = place_of(found.place, caller);
        fault.accesses = {{"by " + lane.unit->name_of(lane.view.index_in_threadgroup), fault.place}};
        return fault;
      });
  lane.unit->end_lane(lane);
}
}
