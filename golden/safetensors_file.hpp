// A safetensors file that is written in pieces: its header first, then data in any order, by any process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "assay/tensor.hpp"

namespace assay::golden {

/// A tensor that a file will have.
struct TensorLayout {
  std::string name;
  DType dtype{};
  std::vector<std::size_t> shape;
};

/// Where a tensor lies in a file.
struct Place {
  std::uint64_t at = 0, bytes = 0;
  std::size_t element = 1;  ///< bytes of one
};

/// How a file begins, before its data: length and header. Tensors are laid out by falling element size, then
/// name, which aligns each of them: equal layouts give equal bytes, whatever their order. A content hash is
/// zeros.
struct FileFront {
  std::string bytes;
  std::map<std::string, Place> places;
  std::uint64_t size = 0;  ///< of the whole file
  bool sealed = false;     ///< it will have a content hash
};

/// Throws FormatError `FILE: why` where the format cannot hold it.
FileFront front_of(const std::filesystem::path& path, const std::map<std::string, std::string>& metadata,
                   std::vector<TensorLayout> tensors);

/// A file under way. Until finish() it lies beside its place under another name, and nothing of it is left
/// where it is given up. After fork() both processes may write(); one finishes it.
class SafetensorsFile {
 public:
  /// Throws FormatError.
  SafetensorsFile(const std::filesystem::path& path, const std::map<std::string, std::string>& metadata,
                  std::vector<TensorLayout> tensors);
  ~SafetensorsFile();
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  /// Writes elements of a tensor from that one on. Throws FormatError where the file system does not take
  /// them.
  void write(const std::string& tensor, std::size_t first, std::span<const std::byte> bytes) const;

  /// Bytes of the whole file.
  std::uint64_t size() const { return front_.size; }

  /// Seals it with its content hash, where the metadata has that key (content_hash.hpp), and puts it in its
  /// place. What was not written is zero.
  void finish();

 private:
  void put(std::uint64_t at, std::span<const std::byte> bytes) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path path_, part_;
  FileFront front_;
  int fd_ = -1;
};

}  // namespace assay::golden
