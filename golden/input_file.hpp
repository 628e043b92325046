// A file that is read in pieces: what a stranger's header says of it is held against its size before anything
// is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace assay::golden {

/// A regular file, open for reading. Reading is by place, so that several may read the same file.
class InputFile {
 public:
  /// Throws FormatError `FILE: why`: no such file, no regular file, no permission.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// In bytes, when it was opened.
  std::uint64_t size() const { return size_; }

  /// Fills `to` with the bytes from `at` on. Throws FormatError where the file does not have them any more.
  void read(std::uint64_t at, std::span<std::byte> to) const;

  /// Throws FormatError `FILE: what`, the name in quotes where it is not plain.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace assay::golden
