// What tests of golden sets share: a folder of their own, bytes of files, and sets made in short.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "golden/check.hpp"
#include "golden/content_hash.hpp"
#include "golden/make.hpp"

namespace assay::golden {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-golden.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Gives a file that was changed the hash that it should have, where it has one at all: so that what is found
/// is the change itself.
inline void reseal(const std::filesystem::path& path) {
  try {
    std::string digits;
    std::uint64_t place = 0;
    {
      const InputFile file(path);
      const Header header = read_header(file);
      place = place_of_hash(file, header);
      digits = content_hash(file, header);
    }
    std::string bytes = bytes_of(path);
    write_bytes(path, bytes.replace(static_cast<std::size_t>(place), digits.size(), digits));
  } catch (const FormatError&) {
  }
}

/// A drawn set, all of it written.
inline Made make_drawn(const std::string& operation, std::uint64_t seed, std::uint64_t cases,
                       const std::filesystem::path& directory) {
  return make({.operation = operation, .seed = seed, .cases = cases}, directory, {.fresh = true});
}

/// Every case is solved again.
inline Checked check_all(const std::filesystem::path& directory) { return check(directory, {.all = true}); }

inline void expect_clean(const std::filesystem::path& directory) {
  const auto checked = check_all(directory);
  EXPECT_EQ(checked.differing, std::vector<std::string>());
  EXPECT_EQ(checked.unreadable, std::vector<std::string>());
}

}  // namespace assay::golden
