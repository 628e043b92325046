// Kernels: what they compute and how they are launched.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/manifest_error.hpp"

namespace assay {

struct KernelEntry;
struct Manifest;

/// A kernel that was read and checked. Copies are the same kernel.
class Kernel {
 public:
  explicit Kernel(KernelEntry entry);

  const std::string& name() const;
  /// The name of what it computes.
  const std::string& operation() const;
  /// What Assay knows it as.
  const KernelEntry& entry() const { return *entry_; }

 private:
  std::shared_ptr<const KernelEntry> entry_;
};

/// The kernels of a manifest (docs/manifest.md), in its order.
class Kernels {
 public:
  explicit Kernels(Manifest manifest);

  /// The kernel of that name. Throws std::invalid_argument that lists the names there are, and the
  /// ManifestError of an entry that cannot be used; a fault in one entry says nothing of the others.
  Kernel operator[](std::string_view name) const;

  /// All of them. Throws the ManifestError of the first entry that cannot be used.
  std::vector<Kernel> all() const;

  /// Also of those that cannot be used.
  std::vector<std::string> names() const;

 private:
  std::shared_ptr<const Manifest> manifest_;
};

/// Reads a manifest and checks every entry against its operation. Throws ManifestError where the file is
/// none.
Kernels load_manifest(const std::filesystem::path& file);

/// The names of a manifest's kernels, of which nothing else is read: operations need not be registered yet.
std::vector<std::string> kernel_names(const std::filesystem::path& manifest);

/// A dimension of an operation that is described: the fields of docs/own_operation.md, "Fields".
struct DimensionDescription {
  std::string name;
  std::int64_t least = 0, multiple = 0, largest = 0;  ///< 0: not said
  std::vector<std::int64_t> values = {}, edges = {};
  std::string tile = {};  ///< "m", "n" or "k"
  bool reduced = false, independent = false;
};

/// How the elements of an input are drawn: one of these, or nothing ("normal", or "integers").
struct ValuesDescription {
  std::string word = {};  ///< "positive", "bits", ...
  std::optional<double> number = {};
  std::string below = {};  ///< a dimension: indices
  std::optional<std::array<double, 2>> from_to = {};
  std::vector<double> one_of = {};
};

struct TensorDescription {
  std::string name, type;               ///< "half", "float", "uint", ...
  std::vector<std::string> shape = {};  ///< numbers and expressions over dimensions; nothing: one number
  std::string access = "in";            ///< "in", "out", "inout"
  ValuesDescription values = {};
  std::vector<std::string> never = {};
};

/// A kernel without a manifest: the fields of docs/manifest.md, with the same meaning and the same checks.
struct KernelDescription {
  std::string name;
  std::filesystem::path source;        ///< the .metal file; relative to the describing source file's folder
  std::string function = {};           ///< nothing: `name`
  std::string operation = {};          ///< "gemm_fp4", or one of your own; nothing: what `tensors` state
  std::vector<std::string> arguments;  ///< by buffer index: tensors and scalars of the operation
  std::array<std::uint32_t, 3> threads_per_threadgroup = {1, 1, 1};
  std::map<std::string, std::int64_t> tile = {};  ///< {{"m", 64}, {"n", 64}, {"k", 32}}; nothing: none
  std::vector<std::string> grid = {};  ///< three expressions, or one of "tiles", "elements", "rows"
  std::string grid_unit = {};          ///< what expressions count: "threadgroups", or "threads"
  std::vector<std::string> threadgroup_memory = {};    ///< bytes of each [[threadgroup(i)]]: expressions
  std::map<std::string, std::string> arithmetic = {};  ///< {{"dequantize", "half"}, {"accumulate", "float"}}
  std::map<std::string, std::string> semantics = {};   ///< {{"scales", "N x groups"}}; nothing: as documented
  std::map<std::string, std::int64_t> requires_dims = {};  ///< {{"K_multiple", 32}, {"M_max", 16}}
  std::map<std::string, std::string> defines = {};
  /// An operation of this kernel's own, in place of `operation`; without a reference, results are not judged.
  std::vector<DimensionDescription> dimensions = {};
  std::vector<TensorDescription> tensors = {};
  std::filesystem::path reference = {};  ///< a file of docs/own_operation.md, relative as `source` is
  /// Or its text. What is wrong with it has its place in the describing source file, where a raw string
  /// literal holds it.
  std::string reference_text = {};
  std::string math = {};  ///< "fast" or "precise": whose tables bound functions
};

/// A line of the caller's text. As std::source_location, which clang 14 does not have.
struct SourceLine {
  const char* file = "";
  unsigned line = 0;

  static constexpr SourceLine current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

/// Throws ManifestError that names the field, and std::invalid_argument for an unknown operation.
Kernel describe_kernel(const KernelDescription& description, SourceLine where = SourceLine::current());

}  // namespace assay
