// A kernel of a Metal text, run on one's own arrays: what assay::launch does without an operation.
//
//   assay::MetalKernel kernel({.function = "scale", .file = "scale.metal"});
//   std::vector<float> x(64, 1), y(64);
//   const auto report = kernel.run({.buffers = {assay::read(0, x), assay::fill(1, y)}, .grid = {64}, .threads
//   = {32}}); if (!report) std::cout << report.text;
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// What stands in no file of its own, and what reports call it: a name, or the file that it is part of.
struct MetalText {
  std::string text = {};
  std::string name = "kernel.metal";
  std::uint32_t first_line = 1;  ///< of the text, in the file of that name
};

/// The arguments of mx.fast.metal_kernel and of its call that a body's signature is made of (docs/mlx.md).
struct MlxSignature {
  struct Input {
    std::string name, dtype;  ///< MLX's name of the type: "float16"
    /// No axes: passed by reference. Fewer than 8 elements: in constant memory.
    bool scalar = false, small = false;
  };
  std::vector<Input> inputs;
  std::vector<std::pair<std::string, std::string>> outputs;  ///< names and dtypes
  struct TemplateArgument {
    std::string name, kind, value;  ///< kind "dtype", "int" or "bool"
  };
  std::vector<TemplateArgument> template_arguments = {};
  bool atomic_outputs = false;
  MetalText header = {};
};

struct MetalSource {
  std::string function = {};        ///< or the host_name of an instantiation; "": the only one of the text
  std::filesystem::path file = {};  ///< where the text lies; "": it is
  MetalText text = {};              ///< this one
  std::map<std::string, std::string> defines = {};
  std::vector<std::filesystem::path> include_dirs = {};
  std::map<std::string, std::string> function_constants = {};  ///< name or index, to its literal
  std::optional<MlxSignature> mlx = {};                        ///< the text is a body
};

/// What memory holds, as the text declares it.
struct MetalPart {
  std::string name;  ///< of a member of a structure; else ""
  /// "half", "uint", ... of a scalar or a vector; "structure", "array" and "pointer"; "" where nobody knows.
  std::string type;
  std::size_t offset = 0, size = 0;   ///< in bytes; size 0: not known
  std::size_t count = 1;              ///< elements of an array, components of a vector
  bool writable = true;               ///< what a pointer leads to
  std::vector<MetalPart> parts = {};  ///< members, the element of an array, what a pointer leads to
};

/// A parameter that an argument is bound to.
struct MetalParameter {
  enum class Kind { buffer, value, threadgroup, texture, sampler };
  Kind kind = Kind::buffer;
  std::string name;
  std::size_t index = 0;
  std::string written;  ///< its type in the text: "device const half4*"
  bool writable = false;
  MetalPart memory = {};  ///< of a buffer or a value: what its pointer leads to
};

/// The text is no Metal, or uses what Assay has not: one line with its place.
class MetalError : public std::runtime_error {
 public:
  MetalError(const std::string& what, bool unsupported, std::string file, std::uint32_t line)
      : std::runtime_error(what), unsupported_(unsupported), file_(std::move(file)), line_(line) {}
  bool unsupported() const { return unsupported_; }
  const std::string& file() const { return file_; }
  std::uint32_t line() const { return line_; }  ///< 0: unknown

 private:
  bool unsupported_;
  std::string file_;
  std::uint32_t line_;
};

/// Memory that is bound at [[buffer(index)]].
struct MetalBuffer {
  enum class Use {
    read,    ///< given to the kernel
    change,  ///< given, and read back
    fill,    ///< memory that nobody has written yet, read back
  };
  std::size_t index = 0;
  Use use = Use::read;
  std::span<std::byte> bytes;  ///< of Use::read nothing is written there
  /// Of memory that several share: its place among MetalLaunch::buffers, and where in it this one begins.
  /// What it holds is said and read there, and `use` and all of `bytes` but its size mean nothing here.
  std::optional<std::size_t> part_of = {};
  std::size_t offset_bytes = 0;
};

template <class T>
MetalBuffer read(std::size_t index, const std::vector<T>& array) {
  auto bytes = std::as_bytes(std::span(array));
  return {index, MetalBuffer::Use::read, {const_cast<std::byte*>(bytes.data()), bytes.size()}};
}
template <class T>
MetalBuffer change(std::size_t index, std::vector<T>& array) {
  return {index, MetalBuffer::Use::change, std::as_writable_bytes(std::span(array))};
}
template <class T>
MetalBuffer fill(std::size_t index, std::vector<T>& array) {
  return {index, MetalBuffer::Use::fill, std::as_writable_bytes(std::span(array))};
}

/// Bytes of one of the buffers of a launch that point to another, as in an argument buffer.
struct MetalPointer {
  std::size_t holder = 0, offset_bytes = 0, target = 0;  ///< places among MetalLaunch::buffers
};

/// Texels of one of the buffers, bound at [[texture(index)]].
struct MetalTexture {
  std::size_t index = 0, buffer = 0;  ///< a place among MetalLaunch::buffers
  std::string format;                 ///< "rgba8unorm"
  std::uint32_t width = 1, height = 1, depth = 1, layers = 1;
};
struct MetalSampler {
  std::size_t index = 0;
  bool linear = false, pixels = false;
  std::string wrap = "clamp_to_edge";  ///< of all axes
};

struct MetalSize {
  std::uint32_t x = 1, y = 1, z = 1;
};

struct MetalLaunch {
  std::vector<MetalBuffer> buffers =
      {};  ///< index MetalLaunch::kUnbound: reached by pointers or as texels alone
  std::vector<std::pair<std::size_t, std::vector<std::byte>>> values = {};  ///< by index, as setBytes passes
  std::map<std::size_t, std::size_t> threadgroup_bytes = {};                ///< of each [[threadgroup(i)]]
  MetalSize grid = {};                                                      ///< threads, or threadgroups
  bool grid_in_threads = true;
  MetalSize threads = {};  ///< of a threadgroup
  std::vector<MetalPointer> pointers = {};
  std::vector<MetalTexture> textures = {};
  std::vector<MetalSampler> samplers = {};

  static constexpr std::size_t kUnbound = ~std::size_t{0};
};

/// What was seen of a launch.
struct MetalReport {
  std::string verdict = "pass";  ///< "race", "out of bounds", ...
  std::string summary = {};      ///< one line; "" of a pass
  std::string text = {};         ///< all of it, for people; "" of a pass
  std::string json = {};  ///< the same for programs (docs/machine_readable.md, "A failure"); "" of a pass
  explicit operator bool() const { return verdict == "pass"; }
};

struct MetalOptions {
  bool checked = true;    ///< every access is watched; else only what lies around buffers
  double timeout_s = 60;  ///< of processor time, for one launch
};

/// The names of all kernels of a text, in its order: of functions, and of instantiations by their host_name.
/// Throws MetalError.
std::vector<std::string> metal_kernels(const MetalSource& source);

/// A kernel that is compiled and loaded. Launches run in a confined process of their own, which stays for the
/// next one; what the kernel does there is a report.
class MetalKernel {
 public:
  /// Throws MetalError; std::invalid_argument for a function or a constant that the text has not.
  explicit MetalKernel(const MetalSource& source, const MetalOptions& options = {});
  ~MetalKernel();
  MetalKernel(MetalKernel&&) noexcept;

  const std::string& function() const;
  /// In the order of the text.
  const std::vector<MetalParameter>& parameters() const;

  /// Nothing is read back where the report is no pass. Throws std::invalid_argument for a launch that the
  /// kernel does not take: nothing bound that it reads, a size of 0.
  MetalReport run(const MetalLaunch& launch);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace assay
