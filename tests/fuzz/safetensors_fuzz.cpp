// Files that call themselves safetensors: refused with an error that names the file, or read within it.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "golden/safetensors.hpp"
#include "tests/fuzz/bytes.hpp"

namespace {

/// A file in memory, written anew for each input.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("fuzzed", 0)) { assay::fuzz::require(descriptor_ >= 0); }
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  void write(const std::uint8_t* data, std::size_t size) {
    assay::fuzz::require(ftruncate(descriptor_, 0) == 0);
    assay::fuzz::require(pwrite(descriptor_, data, size, 0) == static_cast<ssize_t>(size));
  }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  // Mostly with a header length before it that fits, so that a mutated header is still read.
  const std::span<const std::uint8_t> text(data, size);
  std::string content;
  if (!text.empty() && text.back() % 4 != 0) {
    const std::size_t header = size - text.back() / 4;
    for (int i = 0; i < 8; ++i) content += static_cast<char>((header >> (8 * i)) & 0xFF);
  }
  content.append(text.begin(), text.end());
  file.write(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
  try {
    for (const auto& tensor : assay::golden::read_safetensors(file.path()).tensors) {
      assay::fuzz::require(tensor.data.size() == tensor.element_count() * assay::size_of(tensor.dtype));
    }
  } catch (const assay::golden::FormatError&) {
  }
  return 0;
}
