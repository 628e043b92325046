// Sets of golden files, written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "golden/safetensors.hpp"
#include "golden/set_request.hpp"
#include "harness/verify/shard.hpp"

namespace assay::golden {

/// How far a set has come.
struct MakeProgress {
  std::size_t files = 0, of = 0;        ///< whole ones; those of this shard
  std::uint64_t bytes = 0;              ///< written in this run
  double share = 0;                     ///< of the work of this run, 0 to 1
  std::filesystem::path finished = {};  ///< the file that has just become whole, if it is that which is told
};

struct MakeOptions {
  Shard shard = {};
  unsigned jobs = 1;   ///< processes at a time; no byte hangs on it
  bool fresh = false;  ///< write files anew that are there and whole
  std::function<void(const MakeProgress&)> progress = {};
};

/// What `make` has done to the directory.
struct Made {
  std::size_t of = 0;  ///< files of the set, those of all shards
  std::vector<std::filesystem::path> written;
  std::vector<std::filesystem::path>
      kept;  ///< there already, with the right bytes as far as their hash tells
  std::vector<std::filesystem::path> removed;  ///< whole files of a larger set of this name, made before
  std::filesystem::path index;                 ///< "" where files of other shards are missing yet
};

/// Writes SET-INDEX.safetensors for each case of the set, and SET.index.json once all are there. The
/// directory is made where it is missing. Files that an earlier run with the same request and program has
/// finished stay as they are; other files of these names are replaced, and those of later indices removed. A
/// shard does so for its own indices. Throws std::invalid_argument that names the field, or FormatError; what
/// was finished by then is there.
Made make(const SetRequest& request, const std::filesystem::path& directory, const MakeOptions& options = {});

/// A file that a set will have, and how to write it.
struct PlannedFile {
  std::filesystem::path path;
  /// What its metadata must say beside the content hash for it to be that file.
  std::map<std::string, std::string> identity;
  double work = 1;  ///< bytes that it will have, about
  /// Writes it with so many processes; `written` hears of bytes.
  std::function<void(unsigned workers, const std::function<void(std::uint64_t)>& written)> write;
};

/// Whether a file is there, undamaged, with that metadata.
bool is_whole(const PlannedFile& file);

/// Removes the files of a set from index `first` on, and what a run that was killed left of any, as far as
/// they are this shard's: another may be writing its own. Those that were whole files. Throws FormatError.
std::vector<std::filesystem::path> remove_later(const std::string& set, std::uint64_t first,
                                                const std::filesystem::path& directory, const Shard& shard);

/// Writes those that are not whole, several at a time, or one with several processes. Throws FormatError with
/// what the first that failed says.
void write_files(const std::vector<PlannedFile>& files, const MakeOptions& options, Made& made);

/// Writes the index of a set, if all of its files are there and are of it; "" else.
std::filesystem::path write_index(const std::string& set, const std::vector<PlannedFile>& files,
                                  const std::filesystem::path& directory);

}  // namespace assay::golden
