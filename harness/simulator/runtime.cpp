// The functions that compiled kernels call: stdlib/assay/runtime.h.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "harness/device/grouped.hpp"
#include "harness/metal/compile/toolchain.hpp"
#include "harness/simulator/alignment.hpp"
#include "harness/simulator/checker.hpp"
#include "harness/simulator/counters.hpp"
#include "harness/simulator/never_left.hpp"
#include "harness/simulator/rendezvous.hpp"
#include "harness/simulator/undefined_results.hpp"

using assay::simulator::Checker;
using assay::simulator::Counters;
using assay::simulator::Lane;

namespace {

Lane& running() { return *reinterpret_cast<Lane*>(assay_lane); }

// What the compiler's own checks hand over (clang's ubsan ABI).
struct UbsanPlace {
  const char* file;
  std::uint32_t line, column;
};
struct UbsanType {
  std::uint16_t kind, info;
  char name[1];
};
struct UbsanPointer {
  UbsanPlace place;
  const UbsanType* type;
  unsigned char log2_alignment, use;
};
struct UbsanShift {
  UbsanPlace place;
  const UbsanType* value;
  const UbsanType* count;
};
struct UbsanConversion {
  UbsanPlace place;
  const UbsanType* from;
  const UbsanType* to;
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

// 'const unsigned int' -> `uint`
std::string type_text(const UbsanType& type) {
  std::string text = type.name;
  for (const auto& [cpp, metal] : {std::pair{"const ", ""}, {"unsigned ", "u"}}) {
    if (const auto at = text.find(cpp); at != text.npos) text.replace(at, std::strlen(cpp), metal);
  }
  std::replace(text.begin(), text.end(), '\'', '`');
  return text;
}

// A whole number of that type, which says its sign in its lowest bit and the logarithm of its bits above.
std::string number_text(const UbsanType& type, ulong value) {
  const unsigned unused = 64 - std::min(64u, 1u << (type.info >> 1));
  const auto high = value << unused;
  return (type.info & 1) != 0 ? std::to_string(static_cast<long>(high) >> unused)
                              : std::to_string(high >> unused);
}

// A float, or a half, of which the bits are handed over.
std::string float_text(const UbsanType& type, ulong bits) {
  float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (type.info == 16) value = static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits)));
  return value != value ? "NaN" : fmt::format("{:g}", value);
}

void note_undefined(const assay::device::SourcePlace& place, const std::string& message) {
  const Lane& lane = running();
  const auto key = std::uint64_t{place.line} << 32 | std::hash<std::string>()(place.file) >> 32;
  lane.unit->launch().faults->add(assay::device::FaultKind::undefined, key, [&] {
    assay::device::Fault fault;
    fault.message = message;
    fault.place = place;
    fault.accesses = {{"by " + lane.unit->name_of(lane.view.index_in_threadgroup), place}};
    return fault;
  });
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

void assay_uniform_operand(uint operand, uint width) {
  running().operand = operand | (width == 4 ? assay::simulator::kOfQuads : 0);
}

void assay_no_lane(uint number, uint width, uint line, const char* file) {
  Lane& lane = running();
  lane.unit->report_undefined(lane, {file, line},
                              fmt::format("lane {} is asked for, and the lanes of a {} are 0 to {}", number,
                                          width == 4 ? "quad" : "simdgroup", width - 1));
}

void assay_no_modulo(uint modulo, uint line, const char* file) {
  Lane& lane = running();
  lane.unit->report_undefined(
      lane, {file, line},
      fmt::format("`modulo` is {}; it must be 2, 4, 8, 16 or 32, and no more than the lanes", modulo));
}

void assay_whole_simdgroup(uint line, const char* file) {
  Lane& lane = running();
  if (lane.simdgroup->size == assay::simulator::kWidth) return;
  lane.unit->report_undefined(
      lane, {file, line},
      fmt::format(
          "a matrix operation in a simdgroup that has {} of 32 threads; Metal's matrix functions need "
          "all of them: launch a multiple of 32 threads",
          lane.simdgroup->size));
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

ASSAY_NEVER_LEFT void assay_no_element(long index, ulong count, const void* site) {
  Checker::index_out_of_bounds(
      fmt::format("index {} is outside an array of {}", index, assay::device::counted(count, "element")),
      running().unit->launch().module->place_of(reinterpret_cast<std::uintptr_t>(site)));
}

void assay_misaligned(const void* data, const void* address) {
  const auto& found = *static_cast<const UbsanPointer*>(data);
  if (in_stdlib(found.place)) return;
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  constexpr std::uint16_t kInteger = 0, kFloat = 1, kOther = 0xFFFF;
  const std::string_view name = found.type->name;
  if (name.find("(anonymous ") != name.npos) return;  // what is accessed is a member of it
  // clang asks for the alignment of all that a member is part of.
  const std::uint32_t bits = found.type->kind == kInteger ? 1u << (found.type->info >> 1) : found.type->info;
  std::uint32_t alignment = 1u << found.log2_alignment;
  if (found.type->kind == kInteger || found.type->kind == kFloat)
    alignment = std::min(alignment, std::max(bits / 8, 1u));
  const bool of_class = found.type->kind == kOther && name.find_first_of("*[") == name.npos;
  const assay::simulator::PointedTo type(name, alignment, of_class);
  if (number % type.alignment == 0) return;
  Checker::misaligned(number, type, {found.place.file, found.place.line});
}

void assay_misaligned_copy(const void* address, ulong bytes, ulong alignment, const void* site) {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  if (number % alignment == 0) return;
  const std::string text = fmt::format("{} bytes", bytes);
  Checker::misaligned(number, {text, static_cast<std::uint32_t>(alignment)},
                      running().unit->launch().module->place_of(reinterpret_cast<std::uintptr_t>(site)));
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

void assay_undefined_shift(const void* data, ulong count, const void* caller) {
  const auto& found = *static_cast<const UbsanShift*>(data);
  note_undefined(
      place_of(found.place, caller),
      fmt::format("a shift by {} of {}: Metal leaves shifts by as many bits as there are, or more, undefined",
                  number_text(*found.count, count), type_text(*found.value)));
}

void assay_undefined_shift_of(ulong count, uint bits, const void* site) {
  const auto caller = reinterpret_cast<std::uintptr_t>(site != nullptr ? site : __builtin_return_address(0));
  note_undefined(
      running().unit->launch().module->place_of(caller),
      fmt::format("a shift by {} of numbers of {} bits: Metal leaves shifts by as many bits as there are, "
                  "or more, undefined",
                  static_cast<std::int64_t>(count), bits));
}

void assay_undefined_conversion(const void* data, ulong value, const void* caller) {
  const auto& found = *static_cast<const UbsanConversion*>(data);
  note_undefined(
      place_of(found.place, caller),
      fmt::format(
          "a conversion of {} to {}: Metal leaves the result undefined; to count on a saturated one, say "
          "accept = [\"saturating_conversions\"] in the manifest",
          float_text(*found.from, value), type_text(*found.to)));
}

ulong assay_overflow(ulong wrapped, const void* caller) {
  return running().unit->launch().undefined->note(assay::simulator::UndefinedResults::Of::overflow, wrapped,
                                                  reinterpret_cast<std::uintptr_t>(caller));
}

ulong assay_undefined_quotient(ulong, const void* site) {
  return running().unit->launch().undefined->note(assay::simulator::UndefinedResults::Of::division,
                                                  assay::simulator::kQuotient,
                                                  reinterpret_cast<std::uintptr_t>(site));
}

ASSAY_NEVER_LEFT void assay_undefined_operation(const void*) { assay::simulator::end_undefined_lane(); }

ASSAY_NEVER_LEFT void assay_address_as_number(const void* address, uint line, const char* file) {
  Lane& lane = running();
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  const auto& module = *lane.unit->launch().module;
  const bool constant = number < module.end() && module.constant_before(number) != nullptr;
  if (!constant && !lane.unit->holds(number)) return;
  lane.unit->launch().faults->add(assay::device::FaultKind::crash, std::uint64_t{1} << 42 | line, [&] {
    assay::device::Fault fault;
    fault.message = fmt::format("the address of {} becomes a number, which Metal does not define",
                                constant ? "a constant" : "a variable of the thread's own");
    fault.place = {file, line};
    fault.accesses = {{"by " + lane.unit->name_of(lane.view.index_in_threadgroup), fault.place}};
    return fault;
  });
  lane.unit->end_lane(lane);
}
}
