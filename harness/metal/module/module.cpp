#include "harness/metal/module/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>

#include "harness/metal/compile/errors.hpp"

namespace assay::metal {
namespace {

// Layouts of stdlib/assay/entry.h.
struct ParameterRecord {
  const char* name;
  int kind;
  int index;
  unsigned texture;
  const ShapeRecord* shape;
};
struct SlotRecord {
  unsigned slot;
  unsigned size_bytes;
};
struct LimitRecord {
  std::uint32_t threads;
};
constexpr int kBuffer = 0, kConstantReference = 1, kThreadgroupMemory = 2, kAbsent = 22, kTexture = 23,
              kSampler = 24;

constexpr unsigned kSamplerTraits = 15;

bool is_sampler(const ParameterRecord& record) { return (record.texture & 255) == kSamplerTraits; }

// Of an array of textures or samplers, so many in a row; of anything else one.
int places_of(const ParameterRecord& record) { return std::max(1, static_cast<int>(record.texture >> 8)); }

std::string name_of(const ParameterRecord& record, int place) {
  return record.texture >> 8 != 0 ? fmt::format("{}[{}]", record.name, place) : record.name;
}

TextureParameter texture_of(const ParameterRecord& record, int place) {
  return {name_of(record, place), record.index + place, static_cast<device::TextureKind>(record.texture & 15),
          static_cast<device::TextureNumbers>(record.texture >> 4 & 3),
          static_cast<TextureParameter::Access>(record.texture >> 6 & 3)};
}

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

// Modules that are loaded, for place_of_code().
std::mutex& loaded_lock() {
  static std::mutex lock;
  return lock;
}
std::vector<const KernelModule*>& loaded() {
  // Never destroyed: modules of static duration, a reference's among them, end after it would have.
  static auto& modules = *new std::vector<const KernelModule*>;
  return modules;
}

}  // namespace

KernelModule::KernelModule(std::shared_ptr<const LoadedObject> object, ModuleOptions options)
    : object_(std::move(object)), options_(std::move(options)) {
  void* const handle = object_->handle();
  entry_ = reinterpret_cast<Entry>(symbol<void>(handle, "assay_kernel_entry"));
  for (auto* p = symbol<const ParameterRecord>(handle, "assay_kernel_parameters"); p->name != nullptr; ++p) {
    const bool buffer = p->kind == kBuffer || p->kind == kConstantReference;
    if (buffer || p->kind == kAbsent || p->texture != 0) {
      std::size_t& declared = p->texture == 0  ? buffers_declared_
                              : is_sampler(*p) ? samplers_declared_
                                               : textures_declared_;
      declared = std::max(declared, static_cast<std::size_t>(p->index + places_of(*p)));
    }
    if (p->kind == kBuffer || p->kind == kConstantReference || p->kind == kThreadgroupMemory) {
      parameters_.push_back({p->name, p->index, p->kind == kThreadgroupMemory, read_shape(p->shape)});
    }
    for (int i = 0; p->kind == kTexture && i < places_of(*p); ++i) textures_.push_back(texture_of(*p, i));
    for (int i = 0; p->kind == kSampler && i < places_of(*p); ++i)
      samplers_.push_back({name_of(*p, i), p->index + i, false});
  }
  for (auto* one = symbol<const char* const>(handle, "assay_slot_names"); *one != nullptr; ++one)
    variables_.push_back({*one, 0});
  for (auto* one = symbol<const char* const>(handle, "assay_coherent_names"); *one != nullptr; ++one)
    coherent_.insert(*one);
  for (auto* index = symbol<const int>(handle, "assay_function_constants"); *index >= 0; ++index)
    function_constants_.push_back(static_cast<std::uint32_t>(*index));
  const auto* end = *symbol<const SlotRecord* const>(handle, "assay_slots_end");
  for (auto* slot = *symbol<const SlotRecord* const>(handle, "assay_slots_begin"); slot != end; ++slot) {
    auto& size_bytes = variables_.at(slot->slot).size_bytes;  // of a template, the largest instance counts
    size_bytes = std::max<std::size_t>(size_bytes, slot->size_bytes);
  }
  const auto* limits_end = *symbol<const LimitRecord* const>(handle, "assay_limits_end");
  for (auto* limit = *symbol<const LimitRecord* const>(handle, "assay_limits_begin"); limit != limits_end;
       ++limit) {
    max_threads_ = limit->threads;
  }
  const std::string& image = object_->bytes();
  const auto mentions = [&](const char* name) {
    return image.find(std::string(name) + '\0') != std::string::npos;
  };
  byte_accesses_ = mentions("assay_read1") || mentions("assay_write1") || mentions("assay_read_range") ||
                   mentions("assay_write_range");
  atomics_ = mentions("assay_atomic32") || mentions("assay_atomic32_compare_exchange") ||
             mentions("assay_atomic64") || mentions("assay_fence");
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) {
    Extent extent{map->l_addr, ~std::uintptr_t{0}, 0};
    dl_iterate_phdr(widen, &extent);
    begin_ = extent.begin;
    end_ = extent.end;
  }
  constants_ = constants_of(image);
  // Now: to open a line table takes system calls, which a confined process may not make; to read it does not.
  if (options_.places) lines_ = std::make_unique<LineTable>(image);
  if (options_.places) sites_ = std::make_unique<SiteTable>(image);
  const std::lock_guard lock(loaded_lock());
  loaded().push_back(this);
}

bool KernelModule::is_coherent(const std::string& name) const {
  if (coherent_.contains("*")) return true;
  // "partial", "set.rows[2]", "block->partial"; what has no name of the text's ("pointer 2") may be.
  const auto stop = std::min(name.find_last_not_of("0123456789]["), name.size());
  const std::string path = name.substr(0, stop + 1);
  if (path.find(' ') != path.npos) return true;
  const auto begin = path.find_last_of(".>");
  return coherent_.contains(path.substr(begin == path.npos ? 0 : begin + 1));
}

KernelModule::~KernelModule() {
  const std::lock_guard lock(loaded_lock());
  std::erase(loaded(), this);
}

const ConstantRange* KernelModule::constant_before(std::uintptr_t address) const {
  const auto after =
      std::upper_bound(constants_.begin(), constants_.end(), address - begin_,
                       [](std::uint64_t a, const ConstantRange& one) { return a < one.begin; });
  return address < begin_ || after == constants_.begin() ? nullptr : &*std::prev(after);
}

device::SourcePlace KernelModule::place_of(std::uintptr_t address) const {
  if (!options_.places) return {};
  const std::lock_guard lock(places_lock_);
  const auto known = places_.find(address);
  return known != places_.end() ? known->second : places_[address] = look_up(address);
}

device::SourcePlace KernelModule::look_up(std::uintptr_t address) const {
  const auto places = find_places(address);
  return places.empty() ? device::SourcePlace() : places.front();
}

std::vector<device::SourcePlace> KernelModule::places_around(std::uintptr_t address) const {
  const std::lock_guard lock(places_lock_);
  return options_.places ? find_places(address) : std::vector<device::SourcePlace>();
}

std::optional<std::string> KernelModule::file_of_text(std::string name) const {
  if (name.starts_with(std::string(kLibraryPlaces) + "/")) return std::nullopt;
  const auto at = name.find(std::string(kRelativePlaces) + "/");
  if (at == std::string::npos) return name;
  return (options_.folder / name.substr(at + std::string_view(kRelativePlaces).size() + 1)).string();
}

std::vector<TextLoop> KernelModule::loops() const {
  std::vector<TextLoop> all = sites_ ? sites_->loops() : std::vector<TextLoop>();
  std::erase_if(all, [&](TextLoop& one) {
    const auto file = file_of_text(one.file);
    if (file) one.file = *file;
    return !file;
  });
  return all;
}

std::vector<device::SourcePlace> KernelModule::find_places(std::uintptr_t address) const {
  std::vector<device::SourcePlace> places;
  // One before a return address lies in the call.
  const auto site = sites_->lines_at(address - begin_);
  for (const auto& [name, line] : site ? *site : lines_->lines_at(address - 1 - begin_)) {
    if (auto file = file_of_text(name)) places.push_back({std::move(*file), line});
  }
  return places;
}

device::SourcePlace place_of_code(std::uintptr_t address) {
  const std::lock_guard lock(loaded_lock());
  for (const KernelModule* module : loaded()) {
    if (address > module->begin() && address <= module->end()) return module->place_of(address);
  }
  return {};
}

std::vector<device::SourcePlace> places_around_code(std::uintptr_t address) {
  const std::lock_guard lock(loaded_lock());
  for (const KernelModule* module : loaded()) {
    if (address > module->begin() && address <= module->end()) return module->places_around(address);
  }
  return {};
}

std::vector<TextLoop> loops_of_loaded() {
  const std::lock_guard lock(loaded_lock());
  std::vector<TextLoop> all;
  for (const KernelModule* module : loaded()) {
    auto loops = module->loops();
    all.insert(all.end(), std::make_move_iterator(loops.begin()), std::make_move_iterator(loops.end()));
  }
  return all;
}

}  // namespace assay::metal
