// From a manifest entry and a problem to a launch: which tensor or scalar each buffer index holds.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "assay/device/buffer.hpp"
#include "assay/device/device.hpp"
#include "assay/problem.hpp"
#include "assay/tensor.hpp"
#include "harness/device/memory_shape.hpp"
#include "harness/verify/layout.hpp"
#include "harness/verify/manifest.hpp"
#include "harness/verify/packing.hpp"

namespace assay {

/// The names that an operation offers to a kernel's arguments.
struct ArgumentNames {
  std::string operation;
  std::vector<std::string> tensors;  ///< inputs and outputs
  std::vector<std::string> outputs;  ///< those that a kernel must have
  std::vector<std::string> scalars;
  std::vector<std::string> inputs = {};
  std::map<std::string, DType> singles = {};  ///< inputs of one element, which may stand in a struct
};

ArgumentNames argument_names_of(const Problem& problem);

/// What a compiled kernel has that memory is bound to.
struct KernelInterface {
  struct Parameter {
    std::string name;
    std::size_t index = 0;
    bool threadgroup = false;        ///< [[threadgroup(i)]] rather than [[buffer(i)]]
    device::MemoryShape shape = {};  ///< itself, a pointer; of kind `unknown` where that is all that is known
  };
  std::vector<Parameter> parameters;     ///< those that something must be bound to
  std::size_t buffers_declared = 0;      ///< one past the highest [[buffer(i)]] of the text
  std::vector<std::string> threadgroup;  ///< names of what it keeps in threadgroup memory

  struct Texture {
    std::string name;
    std::size_t index = 0;
    TextureKind kind{};
    device::TextureNumbers numbers{};   ///< what reading it gives
    bool reads = true, writes = false;  ///< by its access
  };
  std::vector<Texture> textures = {};
  std::vector<Parameter> samplers = {};
  std::size_t textures_declared = 0, samplers_declared = 0;  ///< as buffers_declared
};

/// Holds an entry against the kernel that it is about. Throws ManifestError for an argument or a size in
/// threadgroup memory that no parameter takes, for a parameter that is given none, for a texture of another
/// kind or other numbers than the kernel's, or that it may not access as its tensor asks, and for a claim
/// about a variable that the kernel lacks.
void check_interface(const KernelEntry& entry, const KernelInterface& kernel);

/// Holds the pointers in its buffers against those that the kernel's text has there, as far as it is known
/// where they lie. Throws ManifestError for one where the text has none, for one that nothing is bound to,
/// and for an output that is only bound where it cannot be written.
void check_pointers(const KernelEntry& entry, const KernelInterface& kernel, const ArgumentNames& names);

struct TensorArgument {
  std::string tensor;
};

using ResolvedArgument =
    std::variant<UnboundArgument, TensorArgument, ScalarArgument, PackedArgument, ShapeArgument>;

/// Settles what each argument stands for: a tensor, a scalar, or, where the name is several scalars strung
/// together ("MNK"), a vector of them. Throws ManifestError for a name that is none of these (the message
/// lists what the operation has), for an expression over unknown names anywhere in the entry, and for an
/// output that no argument binds.
std::vector<ResolvedArgument> resolve_arguments(const KernelEntry& entry, const ArgumentNames& signature);

/// How the entry says that a tensor is kept; null: as it is documented. Throws std::logic_error where the
/// entry has words that its operation has not settled.
const Storage* storage_of(const KernelEntry& entry, const std::string& tensor);

/// How an input of the problem lies in its buffer: as its shape has it or, where the source is a body that
/// takes any strides, as is drawn for the case.
Layout layout_of(const KernelEntry& entry, const Problem& problem, const Tensor& input);

/// A problem on a device: one buffer a tensor, inputs uploaded, outputs as the device hands out memory (an
/// output that is an input too starts with the input's contents), and the launch that uses them. What the
/// entry keeps otherwise than documented goes up and comes down so. Buffers go back when it does. The device,
/// the entry and the problem must outlive it.
class Binding {
 public:
  /// Throws ManifestError, std::invalid_argument (a tensor whose data does not follow from its shape, or
  /// cannot be kept as the entry says) or device::DeviceError.
  Binding(device::Device& device, device::KernelId kernel, const KernelEntry& entry, const Problem& problem);

  const device::Dispatch& dispatch() const { return dispatch_; }

  /// In the order of Problem::outputs, without optional ones that no argument binds.
  std::vector<Tensor> download_outputs() const;

  /// Where an output lies; nothing where no argument binds it.
  std::optional<device::BufferSlice> output(const std::string& tensor) const;

  /// Who stored each element of the outputs, by name, as a report of the launch says; empty where it says
  /// nothing.
  std::map<std::string, std::vector<device::Writer>> writers(const device::LaunchReport& report) const;

  /// Names of pure inputs whose bytes on the device are no longer those of the problem.
  std::vector<std::string> changed_inputs() const;

 private:
  struct Bound {
    std::string tensor;
    const Tensor* input;           // null: output only
    const OutputSpec* output;      // null: input only
    const Storage* storage;        // null: as documented
    std::optional<Layout> layout;  // of an input that does not lie as its shape has it
    device::Buffer buffer;
  };

  struct Packed {
    PackedBuffer contents;
    device::Buffer buffer;
  };

  const Bound& bind(const std::string& tensor);
  device::BufferSlice bind(const PackedArgument& argument, const Dims& dims);
  device::BufferSlice bind(const PackedField& pointer, const Dims& dims);
  device::BufferSlice keep(PackedBuffer contents);
  device::Texture bind_texture(std::size_t index);

  std::vector<std::byte> kept(const Bound& bound) const;
  std::vector<std::byte> shape_bytes(const ShapeArgument& argument) const;
  void fill(const Bound& bound);

  device::Device& device_;
  const KernelEntry& entry_;
  const Problem& problem_;
  std::vector<Bound> bound_;
  std::vector<Packed> packed_;
  device::Dispatch dispatch_;
};

}  // namespace assay
