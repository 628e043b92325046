#include "harness/metal/module/constant_ranges.hpp"

#include <cxxabi.h>
#include <gelf.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace assay::metal {
namespace {

// _ZN2ns5tableE -> ns::table; _ZL5table -> table
std::string demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return name ? name.get() : symbol;
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

}  // namespace assay::metal
