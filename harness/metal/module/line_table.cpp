#include "harness/metal/module/line_table.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include <algorithm>
#include <string_view>

namespace assay::metal {
namespace {

/// Deeper than any compiler nests what it inlines: a damaged table may nest without end.
constexpr int kDeepest = 512;

// Whether a DIE can have the code of `address` in it. Namespaces and classes have no addresses of their own.
bool may_hold(Dwarf_Die* die, Dwarf_Addr address) {
  switch (dwarf_tag(die)) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
      return dwarf_haspc(die, address) == 1;
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
      return true;
    default:
      return false;
  }
}

// The inlined calls that hold the address, outermost first. False where `die` does not hold it.
bool find_calls(Dwarf_Die* die, Dwarf_Addr address, int depth, std::vector<Dwarf_Die>& calls) {
  Dwarf_Die child;
  if (depth > kDeepest || dwarf_child(die, &child) != 0) return false;
  do {
    if (!may_hold(&child, address)) continue;
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_inlined_subroutine) calls.push_back(child);
    const bool deeper = find_calls(&child, address, depth + 1, calls);
    if (deeper || tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

// The unit that holds the address. Clang writes no table of them.
bool find_unit(Dwarf* dwarf, Dwarf_Addr address, Dwarf_Die& unit) {
  Dwarf_CU* next = nullptr;
  while (dwarf != nullptr && dwarf_get_units(dwarf, next, &next, nullptr, nullptr, &unit, nullptr) == 0) {
    if (dwarf_haspc(&unit, address) == 1) return true;
  }
  return false;
}

Dwarf_Word number(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_attr(die, attribute, &found) != nullptr) dwarf_formudata(&found, &value);
  return value;
}

}  // namespace

struct LineTable::Reader {
  std::string object;
  Elf* elf = nullptr;
  Dwarf* dwarf = nullptr;
};

LineTable::LineTable(std::string object) : reader_(std::make_unique<Reader>()) {
  reader_->object = std::move(object);
  elf_version(EV_CURRENT);
  reader_->elf = elf_memory(reader_->object.data(), reader_->object.size());
  if (reader_->elf != nullptr) reader_->dwarf = dwarf_begin_elf(reader_->elf, DWARF_C_READ, nullptr);
}

LineTable::~LineTable() {
  if (reader_->dwarf != nullptr) dwarf_end(reader_->dwarf);
  if (reader_->elf != nullptr) elf_end(reader_->elf);
}

std::vector<CodeLine> LineTable::lines_at(std::uint64_t address) const {
  std::vector<CodeLine> lines;
  Dwarf_Die unit;
  if (!find_unit(reader_->dwarf, address, unit)) return lines;
  if (Dwarf_Line* own = dwarf_getsrc_die(&unit, address); own != nullptr) {
    int line = 0;
    const char* file = dwarf_linesrc(own, nullptr, nullptr);
    if (file != nullptr && dwarf_lineno(own, &line) == 0 && line > 0)
      lines.push_back({file, static_cast<std::uint32_t>(line)});
  }
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  std::vector<Dwarf_Die> calls;
  if (dwarf_getsrcfiles(&unit, &files, &count) != 0) return lines;
  find_calls(&unit, address, 0, calls);
  std::reverse(calls.begin(), calls.end());
  for (Dwarf_Die& call : calls) {
    const char* file = dwarf_filesrc(files, number(&call, DW_AT_call_file), nullptr, nullptr);
    const auto line = static_cast<std::uint32_t>(number(&call, DW_AT_call_line));
    if (file != nullptr && line > 0) lines.push_back({file, line});
  }
  return lines;
}

}  // namespace assay::metal
