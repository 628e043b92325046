#include "harness/metal/constant_ranges.hpp"

#include <cxxabi.h>
#include <gelf.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace assay::metal {
namespace {

constexpr const char* kRoomBetween = "\t.zero\t65536\n";  // a multiple of every alignment

// _ZN2ns5tableE -> ns::table; _ZL5table -> table
std::string demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return name ? name.get() : symbol;
}

bool holds_constants(std::string_view section) {
  return section.starts_with(".rodata") || section.starts_with(".data.rel.ro");
}

}  // namespace

std::vector<ConstantRange> constants_of(const std::string& object) {
  std::vector<ConstantRange> found;
  elf_version(EV_CURRENT);
  // The library reads from memory that it takes for its own, but does not write to.
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_memory(const_cast<char*>(object.data()), object.size()),
                                                elf_end);
  for (Elf_Scn* section = nullptr; elf && (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr table;
    if (gelf_getshdr(section, &table) == nullptr || table.sh_type != SHT_SYMTAB || table.sh_entsize == 0)
      continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    for (int i = 0; i < static_cast<int>(table.sh_size / table.sh_entsize); ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, i, &symbol) == nullptr) break;
      const bool object_of_text = GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > 0 &&
                                  symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE;
      if (!object_of_text) continue;
      const char* const name = elf_strptr(elf.get(), table.sh_link, symbol.st_name);
      found.push_back({symbol.st_value, symbol.st_size, name == nullptr ? "" : demangled(name)});
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return found;
}

std::string with_room_between_constants(const std::string& listing) {
  std::string out;
  out.reserve(listing.size() + listing.size() / 16);
  bool constants = false, strings = false;
  int literals = 0;
  std::string literal;  // the symbol of the one that is being read
  const auto end_literal = [&] {
    if (!literal.empty()) out += "\t.size\t" + literal + ", .-" + literal + "\n";
    literal.clear();
  };
  for (std::string_view rest = listing; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    constexpr std::string_view kSection = "\t.section\t";
    const bool changes = line.starts_with(kSection), label = line.ends_with(':');
    if (changes) {
      constants = holds_constants(line.substr(kSection.size()));
    } else if (line == "\t.text" || line == "\t.data" || line == "\t.bss") {
      constants = false;
    }
    if (changes || !constants || label) end_literal();
    if (changes || !constants) strings = constants && line.find("\t.rodata.str") != line.npos;
    const bool object = line.starts_with("\t.type\t") && line.ends_with("object");
    if (constants && (object || (strings && label))) out += kRoomBetween;
    // Not in a section that the linker merges, which has no room for room.
    out.append(strings && changes ? "\t.section\t.rodata.string_literals,\"a\",@progbits" : line);
    out += '\n';
    if (!strings || !label) continue;
    literal = "string_literal." + std::to_string(literals++);
    out += "\t.type\t" + literal + ", @object\n" + literal + ":\n";
  }
  end_literal();
  return out;
}

}  // namespace assay::metal
