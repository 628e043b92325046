// Datasets made from generated cases: one file per case, with inputs, what is right, and where it comes from.
//
// Metadata of a file, all strings: source, format, operation, seed, index and cases (case number `index` of
// the `cases` that the seed gives), case (its line, see properties/case.hpp), notes, dequantize and
// accumulate (the arithmetic that the expected values hold for), and for each output T bound.T and
// signed_zero.T. The tensors are those of golden_case.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "golden/safetensors.hpp"
#include "harness/verify/shard.hpp"

namespace assay::golden {

inline constexpr std::string_view kSource = "assay golden make";
inline constexpr std::string_view kFormat = "1";

/// Case number `index` of a set: the same arguments give the same dataset on every machine. Throws
/// std::invalid_argument on an unknown operation.
Dataset make_dataset(std::string_view operation, std::uint64_t seed, std::uint64_t index,
                     std::uint64_t cases);

/// What `make` has done to the directory.
struct Made {
  std::vector<std::filesystem::path> written;
  std::vector<std::filesystem::path>
      removed;  ///< whole files of a larger set of this operation and seed, made before
};

/// Writes OPERATION-SEED-INDEX.safetensors for each index below `cases`. The directory is made where it is
/// missing; files of these names are replaced, and those of later indices removed: the directory holds this
/// set and no other of the operation and seed. A shard does all this for its own indices. Throws
/// std::invalid_argument that names the argument, or FormatError.
Made make(std::string_view operation, std::uint64_t seed, std::uint64_t cases,
          const std::filesystem::path& directory, const Shard& shard = {});

/// What `check` has found: lines `file: field: what is wrong`. None is right.
struct Checked {
  std::vector<std::filesystem::path> files;  ///< that were regenerated
  std::size_t of = 0;                        ///< files of all shards together
  std::vector<std::string>
      differing;  ///< files that are not what their metadata says, files missing from a set
  std::vector<std::string> unreadable;  ///< what could not be judged: damaged files, none at all
};

/// Regenerates every *.safetensors file of a directory and compares, metadata and bytes. A shard does so with
/// its share of them; what is wrong with a set as a whole is for the first to say.
Checked check(const std::filesystem::path& directory, const Shard& shard = {});

}  // namespace assay::golden
