#include "harness/metal/module/site_table.hpp"

#include <gelf.h>

#include <array>
#include <cstring>
#include <memory>
#include <string_view>

namespace assay::metal {
namespace {

/// Deeper than any compiler nests what it inlines: damaged records may lead in circles.
constexpr int kDeepest = 512;

// What a symbol of the object names, where all of it lies in one section of the file.
std::string_view symbol_bytes(Elf* elf, const GElf_Sym& symbol) {
  Elf_Scn* const section = elf_getscn(elf, symbol.st_shndx);
  GElf_Shdr header;
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return {};
  const Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr || symbol.st_value < header.sh_addr) return {};
  const std::uint64_t offset = symbol.st_value - header.sh_addr;
  if (offset > data->d_size || symbol.st_size > data->d_size - offset) return {};
  return {static_cast<const char*>(data->d_buf) + offset, symbol.st_size};
}

template <class Record>
std::vector<Record> records_in(Elf* elf, const GElf_Sym& symbol) {
  const std::string_view bytes = symbol_bytes(elf, symbol);
  std::vector<Record> all(bytes.size() / sizeof(Record));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), all.size() * sizeof(Record));
  return all;
}

}  // namespace

SiteTable::SiteTable(const std::string& object) {
  elf_version(EV_CURRENT);
  // The library reads from memory that it takes for its own, but does not write to.
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_memory(const_cast<char*>(object.data()), object.size()),
                                                elf_end);
  for (Elf_Scn* section = nullptr; elf && (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr table;
    if (gelf_getshdr(section, &table) == nullptr || table.sh_type != SHT_DYNSYM || table.sh_entsize == 0)
      continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    std::vector<std::array<std::uint32_t, 4>> loops;
    for (int i = 0; i < static_cast<int>(table.sh_size / table.sh_entsize); ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, i, &symbol) == nullptr) break;
      const char* const found = elf_strptr(elf.get(), table.sh_link, symbol.st_name);
      const std::string_view name = found == nullptr ? "" : found;
      if (name == "assay_site_files") names_ = symbol_bytes(elf.get(), symbol);
      if (name == "assay_loops") loops = records_in<std::array<std::uint32_t, 4>>(elf.get(), symbol);
      if (name != "assay_sites") continue;
      begin_ = symbol.st_value;
      records_ = records_in<Record>(elf.get(), symbol);
    }
    for (const auto& [file, first, last, one] : loops)
      if (file < names_.size()) loops_.push_back({name_at(file), first, last, one != 0});
  }
}

std::string SiteTable::name_at(std::size_t at) const { return names_.substr(at, names_.find('\0', at) - at); }

std::optional<std::vector<CodeLine>> SiteTable::lines_at(std::uint64_t address) const {
  const std::uint64_t offset = address - begin_;
  if (address < begin_ || offset / sizeof(Record) >= records_.size()) return std::nullopt;
  std::vector<CodeLine> lines;
  for (std::size_t number = offset / sizeof(Record) + 1;
       number != 0 && number <= records_.size() && lines.size() < kDeepest;) {
    const Record& one = records_[number - 1];
    if (one.line != 0 && one.file < names_.size()) lines.push_back({name_at(one.file), one.line});
    number = one.outer;
  }
  return lines;
}

}  // namespace assay::metal
