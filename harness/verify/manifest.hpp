// kernels.toml: what a kernel is, how it is launched and what it asks for. Adding a kernel is one entry.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/manifest_error.hpp"
#include "assay/problem.hpp"
#include "harness/verify/expression.hpp"
#include "harness/verify/mlx_body.hpp"
#include "harness/verify/stated_operation.hpp"
#include "harness/verify/storage.hpp"
#include "harness/verify/texture_argument.hpp"

namespace assay {

/// A manifest's `resident_threadgroups` is at most this: no GPU has room for more threadgroups.
inline constexpr std::int64_t kMostResidentThreadgroups = 1 << 16;

/// Element types of scalars passed by value, by their Metal names.
enum class ScalarType { uchar, char_, ushort, short_, uint, int_, ulong, long_, float_ };
std::size_t size_of(ScalarType type);
std::string_view name_of(ScalarType type);

/// One value passed by copy: a dimension, a number or an expression over dimensions and tile sizes.
struct ScalarField {
  Expression value;
  ScalarType type = ScalarType::uint;
  bool typed = false;  ///< the manifest names the type
  std::string tensor =
      {};  ///< of a resolved argument: the tensor whose one element it is, in place of `value`
};

/// "A", "M", "MNK", "K:ulong": what it stands for (tensor, scalar, or a vector of the scalars whose names
/// it strings together) depends on the operation and is settled by resolve_arguments (binding.hpp).
struct NamedArgument {
  std::string name;
  std::optional<ScalarType> type;
};

/// "=K/8", "16", ["M", "N", "K", "group_size"]: one field is a scalar, several are a struct of them. A field
/// of a struct may be the name of a tensor of one element, which then stands there itself.
struct ScalarArgument {
  std::vector<ScalarField> fields;
};

/// "-": a buffer index that the kernel declares and the launch leaves unbound.
struct UnboundArgument {};

/// What a pointer in a buffer leads to.
struct Pointee;

/// A field of a buffer that several share: a scalar, a tensor, the running sums of one, an array of structs,
/// or a pointer.
struct PackedField {
  std::string where;                 ///< in the manifest: "arguments[0].buffer[2]"
  ScalarField value;                 ///< a name stands for a tensor where the operation has such a tensor
  bool sums = false;                 ///< 0 and the running sums of the tensor along its last axis
  std::optional<std::int64_t> at;    ///< offset in bytes; none: the next that suits the type
  std::vector<PackedField> record;   ///< not empty: the fields of a struct, one for each row of its tensors
  std::optional<std::int64_t> size;  ///< bytes from one struct to the next; none: as few as its types allow
  std::shared_ptr<const Pointee> pointee = {};  ///< not null: a pointer to that
};

/// { buffer = ["scale", "N", { record = ["freq", "n_symbols"] }, { pointer = "x" }, "data"] }: inputs,
/// scalars and pointers in one buffer.
struct PackedArgument {
  std::vector<PackedField> fields;
};

/// The shape, the strides (in elements) or the number of axes of an input, as int[], int64[] and int.
struct ShapeArgument {
  enum class Part { shape, strides, ndim };
  std::string tensor;
  Part part = Part::shape;
};

using ArgumentEntry =
    std::variant<NamedArgument, ScalarArgument, UnboundArgument, PackedArgument, ShapeArgument>;

/// What an index of `arguments` may hold: a tensor, scalars in memory of their own, another buffer with
/// fields, or nothing (a null pointer). Of a resolved argument a NamedArgument is a tensor.
struct Pointee {
  ArgumentEntry argument;
};

struct Tile {
  std::int64_t m = 0, n = 0, k = 0;
};

enum class GridRule {
  tiles,     ///< threadgroups [ceil(N / tile.n), ceil(M / tile.m), 1]
  elements,  ///< threads [columns, rows, 1] of the first output
  rows,      ///< threadgroups [rows of the first output, 1, 1]
  list,      ///< three expressions
};

struct GridSpec {
  GridRule rule = GridRule::list;
  std::array<Expression, 3> size;  ///< of `list`
  bool in_threads = false;
};

enum class Precision { half_precision, float_precision };

/// Which rounding chain and accumulator the kernel declares (docs/formats.md, "INT4"; docs/operations.md,
/// "The forward error bound").
struct Arithmetic {
  Precision dequantize = Precision::half_precision;
  Precision accumulate = Precision::float_precision;
  Precision intermediate = Precision::half_precision;  ///< of what one product gives and the next takes
  /// No field of a manifest: the mode lets a compiler regroup products and sums of one type
  /// (docs/numerics.md).
  bool regrouped = false;
  /// No field of a manifest either: subnormals may be kept, or flushed to zero wherever arithmetic is done.
  bool flushed = false;
  /// The words of `semantics`, by field: what the kernel means that is other than what is documented. Which
  /// there are its operation declares (properties/cases/meaning.hpp).
  std::map<std::string, std::string, std::less<>> semantics = {};

  /// Whether `semantics` has this word for the field.
  bool means(std::string_view field, std::string_view word) const;
  bool operator==(const Arithmetic&) const = default;
};

/// What a kernel asks of one dimension: M_max = 16, K_multiple = 32, group_size = [32, 64].
struct Requirement {
  std::optional<std::int64_t> min, max;
  std::int64_t multiple = 1;
  std::vector<std::int64_t> one_of;  ///< empty: any

  bool allows(std::int64_t value) const;
  std::string describe() const;
};

struct KernelEntry {
  std::string name;
  std::string function;          ///< kernel function or host_name
  std::filesystem::path source;  ///< already relative to the manifest's folder
  std::string operation;         ///< kBuffersAlone where the entry states buffers and no operation
  /// What the manifest states of the operation; null where it is one of the program's.
  std::shared_ptr<const StatedOperation> stated = {};
  /// The kernel whose results are right, where the operation names one.
  std::shared_ptr<const KernelEntry> reference_kernel = {};
  std::vector<ArgumentEntry> arguments;                       ///< by buffer index
  std::vector<std::optional<TextureArgument>> textures = {};  ///< by texture index; nothing: unbound
  std::vector<std::optional<device::Sampler>> samplers = {};  ///< by sampler index
  /// By buffer index, the field that says what is bound there; those that are missing: "arguments[i]".
  std::vector<std::string> argument_fields = {};
  /// Of a source that holds a body alone; null: it is a whole file.
  std::shared_ptr<const MlxBody> mlx = {};
  /// The text around a body. Nothing until run::settle_mlx_body() has made it, before which nothing can be
  /// loaded.
  std::optional<device::ComposedText> composed = {};
  /// Outputs that the host fills before each launch: the bytes of an element, by name.
  std::map<std::string, std::vector<std::byte>, std::less<>> initial = {};
  device::Size3 threads_per_threadgroup;
  std::optional<Tile> tile;
  GridSpec grid;
  std::vector<Expression> threadgroup_memory;  ///< bytes of [[threadgroup(i)]]
  Arithmetic arithmetic;
  std::map<std::string, Requirement> requirements;  ///< by dimension
  std::map<std::string, std::string> defines;
  std::map<std::uint32_t, std::string> function_constants;
  std::vector<std::filesystem::path> include_dirs;
  std::vector<std::filesystem::path> text_prefix = {};  ///< files that a host puts ahead of the source
  std::map<std::string, double> claims;
  std::vector<Dims> shapes;  ///< that matter to the kernel: each is among the cases of every run
  std::uint32_t resident_threadgroups = 1;  ///< that must be in flight at once, as the author accepts
  /// Races of writes that store the same value are no fault of it, as the author accepts.
  bool accepts_same_value_writes = false;
  /// Conversions to integers may count on saturating, as the author accepts.
  bool accepts_saturating_conversions = false;
  /// What the words of `semantics` say of how tensors are kept; nothing until the operation has settled it
  /// (properties::settle_semantics), which an entry with such words must be before anything is bound.
  std::optional<Storages> storages = {};

  std::filesystem::path manifest;
  std::map<std::string, std::uint32_t> lines;  ///< where each field stands; "" is the entry itself

  /// What a device loads. Throws std::logic_error where the source is a body that nobody has settled.
  device::KernelSource kernel_source() const;
  /// What messages call the argument at a buffer index.
  std::string argument_field(std::size_t index) const;
  /// An error at one of this entry's fields.
  ManifestError error(const std::string& field, std::string_view what) const;
  /// `dims` with tile_m, tile_n and tile_k added where the entry has a tile.
  Dims with_tile(const Dims& dims) const;
  /// Why the kernel does not take these dimensions; nothing where it does. A requirement on a dimension
  /// that the operation lacks is a ManifestError.
  std::optional<std::string> unmet_requirement(const Dims& dims) const;
};

/// A [[kernel]] table that cannot be used, and why.
struct FaultyEntry {
  std::string name;  ///< "" where the table has none that could be asked for
  ManifestError error;
};

/// A manifest table by table: a fault in one says nothing of the others.
struct Manifest {
  std::filesystem::path file;
  std::vector<std::variant<KernelEntry, FaultyEntry>> entries;  ///< in the file's order

  /// All entries. Throws the error of the first that is faulty.
  std::vector<KernelEntry> sound() const;
};

/// Reads a manifest and checks its entries: sources and include directories must exist. Throws ManifestError
/// where the file cannot be read, is no TOML or holds something else than [[kernel]] and [[operation]]
/// tables.
Manifest read_entries(const std::filesystem::path& file);

/// As read_entries with the text given, and no look at sources and directories; `file` is used in messages
/// and to place relative paths.
Manifest parse_entries(std::string_view text, const std::filesystem::path& file);

/// The same for manifests that must be sound as a whole: throws the first fault of any entry.
std::vector<KernelEntry> read_manifest(const std::filesystem::path& file);
std::vector<KernelEntry> parse_manifest(std::string_view text, const std::filesystem::path& file);

}  // namespace assay
