#include "harness/metal/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <sstream>

#include "harness/metal/errors.hpp"
#include "harness/metal/process.hpp"

namespace assay::metal {
namespace {

// Layouts of stdlib/assay/entry.h.
struct ParameterRecord {
  const char* name;
  int kind;
  int index;
};
struct SlotRecord {
  unsigned slot;
  unsigned size_bytes;
  unsigned variant;
};
struct LimitRecord {
  std::uint32_t threads;
  std::uint32_t variant;
};
constexpr int kBuffer = 0, kConstantReference = 1, kThreadgroupMemory = 2;

template <class T>
T* symbol(void* handle, const char* name) {
  void* found = dlsym(handle, name);
  if (found == nullptr) throw ToolchainError(fmt::format("compiled kernel has no {}: {}", name, dlerror()));
  return reinterpret_cast<T*>(found);
}

struct Extent {
  std::uintptr_t base, begin, end;
};

int widen(dl_phdr_info* info, std::size_t, void* data) {
  auto& extent = *static_cast<Extent*>(data);
  if (info->dlpi_addr != extent.base) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    extent.begin = std::min(extent.begin, info->dlpi_addr + header.p_vaddr);
    extent.end = std::max(extent.end, info->dlpi_addr + header.p_vaddr + header.p_memsz);
  }
  return 1;
}

}  // namespace

std::string variant_suffix(unsigned variant) {
  return variant == 0 ? std::string() : fmt::format("_{}", variant);
}

KernelModule::KernelModule(std::filesystem::path object, std::filesystem::path stdlib, ModuleOptions options)
    : object_(std::move(object)), stdlib_(std::move(stdlib)), options_(options) {
  handle_ = dlopen(object_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) throw ToolchainError(fmt::format("cannot load a compiled kernel: {}", dlerror()));
  const auto named = [&](const char* name) { return name + variant_suffix(options_.variant); };
  entry_ = reinterpret_cast<Entry>(symbol<void>(handle_, named("assay_kernel_entry").c_str()));
  for (auto* p = symbol<const ParameterRecord>(handle_, named("assay_kernel_parameters").c_str());
       p->name != nullptr; ++p) {
    if (p->kind == kBuffer || p->kind == kConstantReference || p->kind == kThreadgroupMemory) {
      parameters_.push_back({p->name, p->index, p->kind == kThreadgroupMemory});
    }
  }
  for (auto* name = symbol<const char* const>(handle_, named("assay_slot_names").c_str()); *name != nullptr;
       ++name) {
    variables_.push_back({*name, 0});
  }
  const auto* end = *symbol<const SlotRecord* const>(handle_, "assay_slots_end");
  for (auto* slot = *symbol<const SlotRecord* const>(handle_, "assay_slots_begin"); slot != end; ++slot) {
    if (slot->variant != options_.variant) continue;
    auto& size_bytes = variables_.at(slot->slot).size_bytes;  // of a template, the largest instance counts
    size_bytes = std::max<std::size_t>(size_bytes, slot->size_bytes);
  }
  const auto* limits_end = *symbol<const LimitRecord* const>(handle_, "assay_limits_end");
  for (auto* limit = *symbol<const LimitRecord* const>(handle_, "assay_limits_begin"); limit != limits_end;
       ++limit) {
    if (limit->variant == options_.variant) max_threads_ = limit->threads;
  }
  if (options_.sibling != nullptr) {
    byte_accesses_ = options_.sibling->byte_accesses_;
    atomics_ = options_.sibling->atomics_;
    begin_ = options_.sibling->begin_;
    end_ = options_.sibling->end_;
    options_.sibling = nullptr;
    return;
  }
  const std::string bytes = content_of(object_);
  const auto mentions = [&](const char* name) {
    return bytes.find(std::string(name) + '\0') != std::string::npos;
  };
  byte_accesses_ =
      mentions("__tsan_read1") || mentions("__tsan_write1") || mentions("__tsan_unaligned_read2");
  atomics_ = mentions("assay_atomic32") || mentions("assay_atomic32_compare_exchange") ||
             mentions("assay_atomic64") || mentions("assay_fence");
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0) {
    Extent extent{map->l_addr, ~std::uintptr_t{0}, 0};
    dl_iterate_phdr(widen, &extent);
    begin_ = extent.begin;
    end_ = extent.end;
  }
}

KernelModule::~KernelModule() { dlclose(handle_); }

device::SourcePlace KernelModule::place_of(std::uintptr_t address) const {
  if (!options_.places) return {};
  const std::lock_guard lock(places_lock_);
  const auto known = places_.find(address);
  return known != places_.end() ? known->second : places_[address] = look_up(address);
}

device::SourcePlace KernelModule::look_up(std::uintptr_t address) const {
  // One before a return address lies in the call. -i lists what was inlined there, innermost first.
  const auto found =
      run_process({"addr2line", "-i", "-e", object_.string(), fmt::format("{:#x}", address - 1 - begin_)});
  const std::string stdlib = stdlib_.string() + "/";
  std::istringstream lines(found.out);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.rfind(':');
    if (colon == std::string::npos || line[0] == '?' || line.rfind(stdlib, 0) == 0) continue;
    std::string file = line.substr(0, colon);
    if (file.starts_with(kRelativePlaces)) file.erase(0, std::string_view(kRelativePlaces).size() + 1);
    return {file, static_cast<std::uint32_t>(std::strtoul(line.c_str() + colon + 1, nullptr, 10))};
  }
  return {};
}

}  // namespace assay::metal
