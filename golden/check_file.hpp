// One golden file, held against what its metadata say it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace assay::golden {

/// How much of a file is worked out again.
enum class Solve {
  nothing,  ///< its hash and its metadata are looked at
  sample,   ///< also its inputs, and at most four blocks of its outputs
  all,      ///< also all of its outputs, so that no byte of it is not looked at
};

/// What a file says that it is.
struct FileIdentity {
  std::string set;  ///< the set's name; "" where that could not be told
  std::uint64_t index = 0, cases = 0;
};

/// The set that a file is of. Throws FormatError where its header does not say.
FileIdentity identity_of(const std::filesystem::path& path);

/// Every field that is not as it should be, `field: what`. Throws FormatError where the file is damaged, or
/// it cannot be told what it should be.
std::vector<std::string> differences_of(const std::filesystem::path& path, Solve solve);

}  // namespace assay::golden
