// A compiled kernel, loaded: from `.metal` text to an entry point.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "harness/metal/compile/toolchain.hpp"
#include "harness/metal/module/constant_ranges.hpp"
#include "harness/metal/module/line_table.hpp"
#include "harness/metal/module/loaded_object.hpp"
#include "harness/metal/module/shape_records.hpp"
#include "harness/metal/module/site_table.hpp"

namespace assay::metal {

/// A parameter of the kernel that memory is bound to.
struct BoundParameter {
  std::string name;
  int index = 0;
  bool threadgroup = false;  ///< [[threadgroup(i)]] rather than [[buffer(i)]]
  device::MemoryShape shape =
      {};  ///< itself, a pointer, where the text has argument buffers; else of kind `unknown`
};

/// A variable in threadgroup memory.
struct ThreadgroupVariable {
  std::string name;
  std::size_t size_bytes = 0;  ///< 0: not used by this kernel
};

/// A parameter at [[texture(i)]].
struct TextureParameter {
  enum class Access { sample, read, write, read_write };
  std::string name;
  int index = 0;
  device::TextureKind kind{};
  device::TextureNumbers numbers{};
  Access access{};
};

/// A texture and a sampler as kernels see them; mirror assay_msl::texture_state and sampler_state.
struct TextureState {
  void* texels = nullptr;
  std::uint32_t width = 0, height = 0, depth = 0, layers = 0, format = 0;
  std::uint32_t index = 0;  ///< of [[texture(index)]]
};
struct SamplerState {
  std::uint8_t linear = 0, pixels = 0, wrap[3] = {}, border = 0;
};

/// The arguments of the entry point; mirrors assay_entry::arguments.
struct EntryArguments {
  void* const* buffers = nullptr;
  void* const* threadgroup_memory = nullptr;
  const TextureState* textures = nullptr;
  const SamplerState* samplers = nullptr;
  std::uint32_t dispatch_threads[3] = {};  ///< of a full threadgroup
};

struct ModuleOptions {
  bool places = true;  ///< false: nothing tells them, place_of() need not look
  /// The folder that names of files without one are in.
  std::filesystem::path folder = {};
};

class KernelModule {
 public:
  using Entry = void (*)(const EntryArguments*);

  /// A kernel of a shared object made by compile(). Throws ToolchainError.
  explicit KernelModule(std::shared_ptr<const LoadedObject> object, ModuleOptions options = {});
  ~KernelModule();
  KernelModule(const KernelModule&) = delete;
  KernelModule& operator=(const KernelModule&) = delete;

  Entry entry() const { return entry_; }
  const std::vector<BoundParameter>& parameters() const { return parameters_; }
  /// Those at [[texture(i)]] and at [[sampler(i)]].
  const std::vector<TextureParameter>& textures() const { return textures_; }
  const std::vector<BoundParameter>& samplers() const { return samplers_; }
  /// One past the highest [[buffer(i)]] of the text, of parameters that function constants switch off too.
  std::size_t buffers_declared() const { return buffers_declared_; }
  /// The same of [[texture(i)]] and of [[sampler(i)]].
  std::size_t textures_declared() const { return textures_declared_; }
  std::size_t samplers_declared() const { return samplers_declared_; }
  const std::vector<ThreadgroupVariable>& threadgroup_variables() const { return variables_; }

  /// Indices of the function constants that the kernel has a use for, those with a value too.
  const std::vector<std::uint32_t>& function_constants() const { return function_constants_; }

  /// [[max_total_threads_per_threadgroup(n)]] of the kernel; 0 if it has none.
  std::uint32_t max_threads_per_threadgroup() const { return max_threads_; }

  /// Does the kernel touch single bytes? (The checker then keeps its records byte by byte.)
  bool has_byte_accesses() const { return byte_accesses_; }

  /// Does it use atomics or fences, by which threadgroups can meet?
  bool has_atomics() const { return atomics_; }

  /// Is memory of that name, a parameter's or the path of a pointer, coherent across threadgroups?
  bool is_coherent(const std::string& name) const;

  /// Lowest address of the code and data of the module, and one past the highest.
  std::uintptr_t begin() const { return begin_; }
  std::uintptr_t end() const { return end_; }

  /// The constant with the highest address that is not above this one; null where none is. Past its end lies
  /// what is no constant's.
  const ConstantRange* constant_before(std::uintptr_t address) const;

  /// The `.metal` line of a code address (a return address) or of the record of a place (site_table.hpp).
  device::SourcePlace place_of(std::uintptr_t address) const;

  /// The same, and the lines of the calls that were inlined around it, innermost first.
  std::vector<device::SourcePlace> places_around(std::uintptr_t address) const;

  /// The loops of its text; none where nothing tells places.
  std::vector<TextLoop> loops() const;

 private:
  /// Where a file is that the compiler has named; nothing of the library's.
  std::optional<std::string> file_of_text(std::string name) const;
  device::SourcePlace look_up(std::uintptr_t address) const;
  std::vector<device::SourcePlace> find_places(std::uintptr_t address) const;

  std::shared_ptr<const LoadedObject> object_;
  ModuleOptions options_;
  Entry entry_ = nullptr;
  std::vector<BoundParameter> parameters_, samplers_;
  std::vector<TextureParameter> textures_;
  std::size_t buffers_declared_ = 0, textures_declared_ = 0, samplers_declared_ = 0;
  std::vector<ThreadgroupVariable> variables_;
  std::vector<std::uint32_t> function_constants_;
  std::uint32_t max_threads_ = 0;
  bool byte_accesses_ = false, atomics_ = false;
  std::uintptr_t begin_ = 0, end_ = 0;
  std::vector<ConstantRange> constants_;
  // Places that were asked for.
  mutable std::mutex places_lock_;
  mutable std::map<std::uintptr_t, device::SourcePlace> places_;
  std::unique_ptr<const LineTable> lines_;
  std::unique_ptr<const SiteTable> sites_;
  std::set<std::string, std::less<>> coherent_;  ///< names; "*": all
};

/// The `.metal` line of a code address of any module that is loaded in this process; none if it is no
/// kernel's.
device::SourcePlace place_of_code(std::uintptr_t address);

/// KernelModule::places_around() of the module that the address is in.
std::vector<device::SourcePlace> places_around_code(std::uintptr_t address);

/// The loops of the texts of all modules that are loaded.
std::vector<TextLoop> loops_of_loaded();

/// Preprocesses and compiles one kernel, or finds it in the cache by the hash of everything that
/// enters it. Two processes may compile one kernel at the same time: each writes its own file, renames it.
/// What is damaged in the cache is compiled again. Throws CompileError, UnsupportedFeature (with the place in
/// the `.metal` text) or ToolchainError.
std::shared_ptr<const KernelModule> compile(const device::KernelSource& source, Flavour flavour,
                                            const Toolchain& tools = toolchain(),
                                            Numerics numerics = Numerics::strict);

/// How often this process has had a kernel compiled, rather than found it in the cache.
std::size_t objects_compiled();

/// Do two modes make the same code of a kernel, bit for bit? Then a verdict on one is a verdict on both.
/// Throws as compile() does.
bool same_code(const device::KernelSource& source, Numerics one, Numerics other,
               const Toolchain& tools = toolchain());

}  // namespace assay::metal
