#include "harness/metal/module/object_guard.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/compile/toolchain.hpp"
#include "harness/metal/module/offered_symbols.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::metal {
namespace {

constexpr std::array<GElf_Sxword, 23> kDynamicTags = {
    DT_NULL,  DT_NEEDED,  DT_PLTRELSZ,  DT_PLTGOT,  DT_HASH,       DT_GNU_HASH, DT_STRTAB,  DT_SYMTAB,
    DT_RELA,  DT_RELASZ,  DT_RELAENT,   DT_STRSZ,   DT_SYMENT,     DT_SYMBOLIC, DT_PLTREL,  DT_JMPREL,
    DT_FLAGS, DT_FLAGS_1, DT_RELACOUNT, DT_VERNEED, DT_VERNEEDNUM, DT_VERSYM,   DT_BIND_NOW};

// Addresses within the object, and those of the symbols that it asks for.
bool is_plain_relocation(GElf_Half machine, GElf_Word type) {
  static constexpr std::array<GElf_Word, 6> kX86 = {R_X86_64_NONE,      R_X86_64_64,       R_X86_64_GLOB_DAT,
                                                    R_X86_64_JUMP_SLOT, R_X86_64_RELATIVE, R_X86_64_TPOFF64};
  static constexpr std::array<GElf_Word, 6> kArm = {R_AARCH64_NONE,     R_AARCH64_ABS64,
                                                    R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT,
                                                    R_AARCH64_RELATIVE, R_AARCH64_TLS_TPREL};
  const auto& plain = machine == EM_AARCH64 ? kArm : kX86;
  return std::find(plain.begin(), plain.end(), type) != plain.end();
}

std::string_view or_empty(const char* text) { return text != nullptr ? text : ""; }

// The name of a C++ symbol as it is in a text: "_ZN1a1fEi" -> a::f(int).
std::string readable(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return name ? name.get() : symbol;
}

class Object {
 public:
  explicit Object(const std::string& bytes) {
    elf_version(EV_CURRENT);
    // The library reads from memory that it takes for its own, but does not write to.
    elf_.reset(elf_memory(const_cast<char*>(bytes.data()), bytes.size()));
  }

  std::optional<ObjectFault> fault() {
    GElf_Ehdr header;
    if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF || gelf_getehdr(elf_.get(), &header) == nullptr ||
        gelf_getclass(elf_.get()) != ELFCLASS64 || header.e_type != ET_DYN) {
      return ObjectFault{"is not a shared object", ""};
    }
    machine_ = header.e_machine;
    segments();
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf_.get(), &names) != 0) found("has no section names");
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section)) != nullptr;) {
      GElf_Shdr description;
      if (gelf_getshdr(section, &description) == nullptr) {
        found("has a section that cannot be read");
      } else {
        check_section(section, description, or_empty(elf_strptr(elf_.get(), names, description.sh_name)));
      }
    }
    if (!dynamic_) found("has no table for the loader");
    return fault_;
  }

 private:
  struct End {
    void operator()(Elf* elf) const { elf_end(elf); }
  };

  void found(const std::string& message, std::string_view symbol = {}) {
    if (!fault_) fault_ = ObjectFault{message, std::string(symbol)};
  }

  void segments() {
    std::size_t count = 0;
    bool stack = false;
    if (elf_getphdrnum(elf_.get(), &count) != 0) found("has no segments");
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) == nullptr) {
        return found("has a segment that cannot be read");
      }
      const bool writable = (segment.p_flags & PF_W) != 0, executable = (segment.p_flags & PF_X) != 0;
      stack |= segment.p_type == PT_GNU_STACK;
      if (segment.p_type == PT_GNU_STACK && executable) found("wants a stack that can be executed");
      if (writable && executable) found("has memory that is both written and executed");
      if (segment.p_type == PT_TLS) found("uses memory of the host's threads");
      if (segment.p_type == PT_INTERP) found("is a program");
    }
    if (!stack) found("wants a stack that can be executed");
  }

  void check_section(Elf_Scn* section, const GElf_Shdr& description, std::string_view name) {
    const auto type = description.sh_type;
    const bool runs = type == SHT_INIT_ARRAY || type == SHT_FINI_ARRAY || type == SHT_PREINIT_ARRAY ||
                      name == ".init" || name == ".fini" || name.starts_with(".ctors") ||
                      name.starts_with(".dtors") || name.starts_with(".init_array");
    if (runs) found(fmt::format("has code that runs when it is loaded or unloaded ({})", name));
    if ((description.sh_flags & SHF_WRITE) != 0 && (description.sh_flags & SHF_EXECINSTR) != 0) {
      found("has memory that is both written and executed");
    }
    if ((description.sh_flags & SHF_TLS) != 0) found("uses memory of the host's threads");
    const bool symbols = type == SHT_SYMTAB || type == SHT_DYNSYM;
    if (!symbols && type != SHT_DYNAMIC && type != SHT_RELA && type != SHT_REL) return;
    if (description.sh_entsize == 0) return found("has a table that cannot be read");
    const auto entries =
        static_cast<int>(std::min<std::uint64_t>(description.sh_size / description.sh_entsize, 1u << 30));
    Elf_Data* data = elf_getdata(section, nullptr);
    for (int i = 0; i < entries && !fault_; ++i) {
      const bool read = symbols               ? symbol(data, description, i)
                        : type == SHT_DYNAMIC ? dynamic(data, description, i)
                                              : type == SHT_RELA && relocation(data, i);
      if (!read) found("has a table that cannot be read");
    }
  }

  bool symbol(Elf_Data* data, const GElf_Shdr& table, int i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr) return false;
    const char* text = elf_strptr(elf_.get(), table.sh_link, symbol.st_name);
    if (text == nullptr) return false;
    std::string_view name = text;
    if (symbol.st_shndx == SHN_UNDEF) name = name.substr(0, name.find('@'));  // expf@GLIBC_2.27
    const auto type = GELF_ST_TYPE(symbol.st_info);
    if (type == STT_GNU_IFUNC) found("has a function that is chosen by code when it is loaded", name);
    if (name.empty()) return true;
    if (type == STT_OBJECT && can_be_written(symbol.st_shndx)) {
      found("is a variable that all threads share and can write to, which Metal does not allow", name);
    }
    if (symbol.st_shndx == SHN_UNDEF) {
      if (!is_offered(name)) found("is used, but neither the kernel nor the simulator defines it", name);
    } else if (is_offered(name) ||
               name.starts_with("__tsan_")) {  // hooks that would be called in place of ours
      found("is defined by the kernel, but the name belongs to the simulator; give it another name", name);
    } else if (table.sh_type == SHT_DYNSYM && !is_exported(name)) {
      found("is visible outside of the kernel", name);
    }
    return true;
  }

  // What the loader itself fills in is read-only by the time that a kernel runs, and has other names.
  bool can_be_written(std::size_t section) {
    std::size_t names = 0;
    GElf_Shdr description;
    Elf_Scn* const found =
        section == SHN_UNDEF || section >= SHN_LORESERVE ? nullptr : elf_getscn(elf_.get(), section);
    if (found == nullptr || gelf_getshdr(found, &description) == nullptr) return false;
    if (elf_getshdrstrndx(elf_.get(), &names) != 0) return false;
    const std::string_view name = or_empty(elf_strptr(elf_.get(), names, description.sh_name));
    return name == ".data" || name == ".bss";
  }

  bool dynamic(Elf_Data* data, const GElf_Shdr& table, int i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, i, &entry) == nullptr) return false;
    dynamic_ = true;
    if (std::find(kDynamicTags.begin(), kDynamicTags.end(), entry.d_tag) == kDynamicTags.end()) {
      found(fmt::format("asks the loader for something that kernels do not need (tag {:#x})", entry.d_tag));
    }
    const auto flags = entry.d_un.d_val;
    const bool plain = entry.d_tag == DT_FLAGS ? (flags & ~(DF_SYMBOLIC | DF_BIND_NOW | DF_STATIC_TLS)) == 0
                       : entry.d_tag == DT_FLAGS_1 ? (flags & ~GElf_Xword{DF_1_NOW}) == 0
                                                   : true;
    if (!plain)
      found(fmt::format("asks the loader for something that kernels do not need (flags {:#x})", flags));
    if (entry.d_tag == DT_NEEDED) {
      const auto library = or_empty(elf_strptr(elf_.get(), table.sh_link, entry.d_un.d_val));
      if (library != "libm.so.6") found(fmt::format("asks for the library `{}`", library));
    }
    return true;
  }

  bool relocation(Elf_Data* data, int i) {
    GElf_Rela relocation;
    if (gelf_getrela(data, i, &relocation) == nullptr) return false;
    const auto type = static_cast<GElf_Word>(GELF_R_TYPE(relocation.r_info));
    if (!is_plain_relocation(machine_, type)) {
      found(fmt::format("has an address that the loader would have to compute (relocation {})", type));
    }
    return true;
  }

  std::unique_ptr<Elf, End> elf_;
  GElf_Half machine_ = 0;
  bool dynamic_ = false;
  std::optional<ObjectFault> fault_;
};

// a::f<int>(int) -> f
std::string own_name(const std::string& readable) {
  const std::string name = readable.substr(0, readable.find_first_of("(<["));
  const auto scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

}  // namespace

std::optional<ObjectFault> object_fault(const std::string& object) { return Object(object).fault(); }

std::string guarded_object(std::string object, const std::string& text, const std::string& source) {
  const auto fault = object_fault(object);
  if (!fault) return object;
  if (fault->symbol.empty()) throw UnsupportedFeature(source, 0, "the compiled kernel " + fault->message);
  const std::string name = readable(fault->symbol), own = own_name(name);
  const auto seen = tokenize(text, source);
  const auto token = std::find_if(seen.tokens.begin(), seen.tokens.end(),
                                  [&](const Token& one) { return one.is_word() && one.is(own); });
  const bool known = token != seen.tokens.end();
  throw UnsupportedFeature(known ? seen.files[token->file] : source, known ? token->line : 0,
                           fmt::format("`{}` {}", name, fault->message));
}

}  // namespace assay::metal
