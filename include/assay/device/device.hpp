// The device interface: what a GPU must offer for a kernel to be verified on it.
//
// Seven operations, and four on large buffers that follow from them. The simulated GPU implements them
// (harness/simulator), decorators wrap them (decorator.hpp), the mock stands in for them (mock_device.hpp), a
// real Metal device could.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "assay/device/launch_report.hpp"
#include "assay/device/texture.hpp"

namespace assay::metal {
class KernelModule;
}

namespace assay::device {

struct PlannedSchedule;

enum class BufferId : std::uint32_t {};
enum class KernelId : std::uint32_t {};

/// A part of a kernel's text: a file or, where that has no name, text that a program has made.
struct SourcePiece {
  std::filesystem::path file;
  std::string text = {};
  bool operator==(const SourcePiece&) const = default;
};

/// A text that is put together from pieces, in this order.
struct ComposedText {
  std::vector<SourcePiece> pieces = {};
  /// Another text of the same kernel that the host compiles in its place for some sizes, which must be Metal
  /// as well; and when that is, in words. Empty: there is none.
  std::vector<SourcePiece> other = {};
  std::string when = {};
};

/// What line markers call pieces that are no files.
inline constexpr const char* kMadeText = "<signature>";

/// One Metal kernel as its author ships it: unmodified text plus what a build system would pass.
struct KernelSource {
  std::filesystem::path path;                       ///< the `.metal` file
  std::string function;                             ///< kernel function, or the host_name of an instantiation
  std::map<std::string, std::string> defines;       ///< preprocessor definitions, name to text
  std::vector<std::filesystem::path> include_dirs;  ///< searched for #include besides the file's own folder
  std::map<std::uint32_t, std::string> function_constants;  ///< [[function_constant(i)]] to its literal
  std::vector<std::filesystem::path> text_prefix = {};      ///< files ahead of its text, in this order
  /// These are settings of several kernels: function constants and folders that this one does not use are no
  /// mistake.
  bool shared_settings = false;
  /// Conversions to integers of what their type does not hold give the nearest number that it holds, and of
  /// NaN 0, where the text writes them out.
  bool saturating_conversions = false;
  /// Where the file is only a part of the text: all of it, the file among its pieces.
  ComposedText composed = {};
};

/// Part of a buffer as bound to a kernel argument. The kernel may touch these bytes and no others.
struct BufferSlice {
  BufferId buffer{};
  std::size_t offset_bytes = 0;
  std::size_t size_bytes = 0;
};

/// A value passed by copy (Metal's setBytes), for scalars and small structs in `constant` space.
struct InlineBytes {
  std::vector<std::byte> bytes;
};

/// Bytes of a buffer, from `begin` up to `end`.
struct ByteRange {
  std::size_t begin = 0, end = 0;
  bool operator==(const ByteRange&) const = default;
};

/// std::monostate leaves the index unbound.
using Argument = std::variant<std::monostate, BufferSlice, InlineBytes>;

/// Part of a buffer that a kernel sees as a texture; as long as texture_bytes(shape).
struct Texture {
  BufferSlice memory;
  TextureShape shape;
};

inline constexpr std::size_t kPointerBytes = 8;

/// An address that a launch puts into a buffer: eight bytes of `holder`, at `offset_bytes`, point to the
/// first byte of `target` (Metal's gpuAddress; useResource is implied). Kernels reach the target by that
/// pointer. The holder may itself be reached by another.
struct BufferPointer {
  BufferId holder{};
  std::size_t offset_bytes = 0;  ///< a multiple of 8
  BufferSlice target;
};

struct Size3 {
  std::uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Size3&) const = default;
};

/// How many positions a grid of that size has; 2^64 - 1 where it has more.
constexpr std::uint64_t volume(const Size3& size) {
  const std::uint64_t area = std::uint64_t{size.x} * size.y, most = ~std::uint64_t{0};
  return size.z != 0 && area > most / size.z ? most : area * size.z;
}

/// One launch. `arguments[i]` is bound to [[buffer(i)]], `threadgroup_bytes[i]` sizes [[threadgroup(i)]].
struct Dispatch {
  KernelId kernel{};
  std::vector<Argument> arguments;
  std::vector<std::size_t> threadgroup_bytes;
  Size3 grid;                    ///< threadgroups, or threads when `grid_in_threads`
  bool grid_in_threads = false;  ///< as dispatchThreads: the last threadgroups may be partial
  Size3 threads_per_threadgroup;
  /// Which of the orders that threadgroups may run in is taken, by devices that can choose; 0: theirs.
  std::uint64_t schedule = 0;
  /// Where not null, followed in its place, and recorded there, by devices that follow schedules. Must
  /// outlive the launch.
  PlannedSchedule* planned = nullptr;
  /// So many threadgroups may have to be in flight at once for a launch to come to its end.
  std::uint32_t resident_threadgroups = 1;
  /// Of the variables that a device watches (DeviceOptions::private_variables), the one that holds other
  /// garbage than the rest before it has a value.
  std::optional<std::uint32_t> odd_variable = {};
  /// The threadgroups that run, by their positions in the grid, each once; empty: all. On devices that can
  /// (Capabilities::samples): others throw DeviceError.
  std::vector<Size3> sample = {};
  /// Bound to [[texture(i)]] and [[sampler(i)]], on devices that can (Capabilities::textures): others throw
  /// DeviceError.
  std::vector<std::optional<Texture>> textures = {};
  std::vector<std::optional<Sampler>> samplers = {};
  /// Written before the kernel begins, on devices that can (Capabilities::pointers): others throw
  /// DeviceError. So do those that can where one does not lie within its holder, or its target not within a
  /// live buffer.
  std::vector<BufferPointer> pointers = {};
};

/// The memory that a launch binds, as buffers, as textures, and as what pointers lead to.
std::vector<BufferSlice> bound_memory(const Dispatch& launch);

/// Of a launch whose grid counts threads, too, whose last threadgroups may be partial.
Size3 threadgroups_of(const Dispatch& launch);

/// The threads of a launch, or of its sample where it has one.
std::uint64_t invocations_of(const Dispatch& launch);

/// What the device can do; figures of an Apple GPU family unless it says otherwise.
struct Limits {
  std::size_t threadgroup_memory_bytes = 32768;
  std::uint32_t threads_per_threadgroup = 1024;
  std::uint32_t simdgroup_width = 32;
  std::size_t buffer_bytes = std::size_t{8} << 30;
};

/// What a device can say or do beside running launches. Nobody has to: what is asked of a device that cannot
/// is left out of its reports.
struct Capabilities {
  bool checks = false;     ///< reports races, accesses out of bounds, uninitialised reads, divergent barriers
  bool counts = false;     ///< gives LaunchReport::counts
  bool schedules = false;  ///< follows Dispatch::schedule: equal schedules give equal results
  bool writers = false;    ///< gives LaunchReport::writers
  bool poisons = false;    ///< fresh buffers hold kPoison
  /// Runs samples of launches (Dispatch::sample), and sparse buffers take no more memory than is touched.
  bool samples = false;
  /// Watches variables of a thread's own, and follows Dispatch::odd_variable.
  bool private_variables = false;
  bool textures = false;  ///< binds Dispatch::textures and Dispatch::samplers
  bool pointers = false;  ///< writes Dispatch::pointers
  bool operator==(const Capabilities&) const = default;
};

/// The device itself failed (out of memory, a handle that is not its own, device lost). A kernel that
/// misbehaves is no error: it is reported in the LaunchReport.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What each call promises is what DeviceConformance (device_conformance.hpp) demands of every device.
class Device {
 public:
  virtual ~Device() = default;

  virtual Limits limits() const = 0;

  /// As the device was made. A decorator can what the device below it can.
  virtual Capabilities capabilities() const { return {}; }

  /// The code that a kernel became, on devices that run modules; null on others, whose kernels are not held
  /// against their manifest before the first launch. Throws DeviceError where the id is none of this
  /// device's.
  virtual const metal::KernelModule* module(KernelId kernel) const {
    (void)kernel;
    return nullptr;
  }

  /// Compiles one kernel. Throws std::runtime_error where it cannot: metal::SourceError or
  /// metal::UnsupportedFeature with the `.metal` line, on devices that run Metal text.
  virtual KernelId load(const KernelSource& source) = 0;

  /// New buffer, whose id differs from those of all that are live. Its contents are undefined, or kPoison in
  /// every two bytes where capabilities().poisons. Throws DeviceError for more than limits().buffer_bytes.
  virtual BufferId allocate(std::size_t size_bytes) = 0;
  /// As allocate(), for a large buffer of which little will be touched. Its contents are undefined until
  /// somebody writes them, capabilities().poisons or not.
  virtual BufferId allocate_sparse(std::size_t size_bytes) { return allocate(size_bytes); }
  /// The id is refused from then on. Throws DeviceError for one that is not live, as all that follow do.
  virtual void release(BufferId buffer) = 0;
  /// Bytes to and from a buffer. Throw DeviceError where they do not lie within it, and change nothing then.
  virtual void upload(BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) = 0;
  virtual void download(BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) = 0;
  /// As download() of each of these ranges, into `data` one behind another.
  virtual void gather(BufferId buffer, std::span<const ByteRange> ranges, std::span<std::byte> data);
  /// `size_bytes` bytes become `pattern`, as often as it fits and its beginning once more. Kernels may only
  /// read them from then on.
  virtual void upload_repeated(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                               std::span<const std::byte> pattern);
  /// The bytes become those of fresh memory: undefined, or kPoison where capabilities().poisons.
  virtual void forget(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes);
  /// Of these bytes of a sparse buffer, ascending, all that anybody has written, and perhaps others.
  virtual std::vector<ByteRange> touched(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes);

  /// Runs one launch to its end and says what was seen on the way. Launches are ordered: each sees what those
  /// before it left. The kernel sees of a slice the bytes from its offset on. Throws DeviceError, before
  /// anything runs, for a kernel that was not loaded and a slice that does not lie within a live buffer.
  virtual LaunchReport dispatch(const Dispatch& launch) = 0;
};

/// 16-bit pattern of memory nobody has written: a NaN as half and, repeated, as float, with a payload
/// that no arithmetic produces.
inline constexpr std::uint16_t kPoison = 0xFFA5;

/// The same of threadgroup memory. A half that was read there and stored in a buffer is no element of it that
/// was never written.
inline constexpr std::uint16_t kThreadgroupPoison = 0xFF96;

/// The same of what a lane gets from one that takes no part in a function of its simdgroup. Arithmetic keeps
/// it: the NaN is quiet.
inline constexpr std::uint16_t kInactiveLane = 0xFFC3;

}  // namespace assay::device
