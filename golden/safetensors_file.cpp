#include "golden/safetensors_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "golden/content_hash.hpp"
#include "golden/safetensors.hpp"
#include "golden/safetensors_format.hpp"
#include "harness/verify/replace_file.hpp"

static_assert(std::endian::native == std::endian::little, "tensor data is copied as it lies in memory");

namespace assay::golden {
namespace {

/// Keys stay in the order of insertion, so the header lists tensors as their data lies.
using OrderedJson = nlohmann::ordered_json;

std::string_view format_name_of(DType dtype) {
  return std::find_if(kDTypeNames.begin(), kDTypeNames.end(),
                      [&](const auto& entry) { return entry.first == dtype; })
      ->second;
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw FormatError(escaped(path.string(), std::string::npos) + ": " + what);
}

/// In bytes. Throws std::length_error where they do not fit.
std::uint64_t bytes_of(const TensorLayout& tensor) {
  const Tensor shaped{.name = tensor.name, .dtype = tensor.dtype, .shape = tensor.shape, .data = {}};
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(shaped.element_count(), assay::size_of(tensor.dtype), &bytes))
    throw std::length_error(tensor.name);
  return bytes;
}

}  // namespace

FileFront front_of(const std::filesystem::path& path, const std::map<std::string, std::string>& metadata,
                   std::vector<TensorLayout> tensors) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorLayout& a, const TensorLayout& b) {
    const std::size_t a_size = assay::size_of(a.dtype), b_size = assay::size_of(b.dtype);
    return a_size != b_size ? a_size > b_size : a.name < b.name;
  });
  FileFront front;
  auto said = metadata;
  if (const auto hash = said.find(std::string(kHashKey)); hash != said.end()) {
    hash->second.assign(kHashDigits, '0');
    front.sealed = true;
  }
  OrderedJson header = OrderedJson::object();
  if (!said.empty()) header[std::string(kMetadataKey)] = said;
  std::uint64_t offset = 0;
  for (const TensorLayout& tensor : tensors) {
    const std::string label = "tensor " + escaped(tensor.name) + ": ";
    if (tensor.name == kMetadataKey) fail(path, label + "the format keeps this name for the metadata");
    if (header.contains(tensor.name)) fail(path, label + "stands twice in the dataset");
    std::uint64_t bytes = 0, end = 0;
    try {
      bytes = bytes_of(tensor);
    } catch (const std::length_error&) {
      fail(path, label + "shape: its product does not fit in memory");
    }
    if (__builtin_add_overflow(offset, bytes, &end))
      fail(path, label + "shape: its product does not fit in memory");
    header[tensor.name] = {
        {"dtype", format_name_of(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    front.places[tensor.name] = {offset, bytes, assay::size_of(tensor.dtype)};
    offset = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const OrderedJson::type_error&) {
    fail(path, "a name or a metadata string is not UTF-8");
  }
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');  // data starts aligned
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    front.bytes += static_cast<char>(static_cast<std::uint64_t>(text.size()) >> (8 * i) & 0xFF);
  front.bytes += text;
  for (auto& [name, place] : front.places) place.at += front.bytes.size();
  front.size = front.bytes.size() + offset;
  return front;
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path,
                                 const std::map<std::string, std::string>& metadata,
                                 std::vector<TensorLayout> tensors)
    : path_(path), front_(front_of(path, metadata, std::move(tensors))) {
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail("cannot be written: is not a regular file");
  try {
    assay::check_replaceable(path_);
  } catch (const std::runtime_error& unwritable) {
    throw FormatError(unwritable.what());
  }
  part_ = path_.string() + std::string(assay::kPartSuffix);
  fd_ = open(part_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd_ < 0) fail(std::string("cannot be written: ") + std::strerror(errno));
  try {
    put(0, std::as_bytes(std::span(front_.bytes)));
    if (ftruncate(fd_, static_cast<off_t>(front_.size)) != 0)
      fail(std::string("cannot be written: ") + std::strerror(errno));
  } catch (const FormatError&) {
    close(fd_);
    unlink(part_.c_str());
    throw;
  }
}

SafetensorsFile::~SafetensorsFile() {
  if (fd_ < 0) return;
  close(fd_);
  unlink(part_.c_str());
}

void SafetensorsFile::fail(const std::string& what) const { golden::fail(path_, what); }

void SafetensorsFile::put(std::uint64_t at, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(std::string("cannot be written: ") + std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    at += static_cast<std::uint64_t>(done);
  }
}

void SafetensorsFile::write(const std::string& tensor, std::size_t first,
                            std::span<const std::byte> bytes) const {
  const auto found = front_.places.find(tensor);
  if (found == front_.places.end()) fail("tensor " + escaped(tensor) + ": is not in the header");
  const auto& [at, size, element] = found->second;
  const std::uint64_t begin = std::uint64_t{first} * element;
  if (begin > size || bytes.size() > size - begin) {
    fail("tensor " + escaped(tensor) + ": data: reaches to byte " + std::to_string(begin + bytes.size()) +
         ", dtype and shape need " + std::to_string(size));
  }
  put(at + begin, bytes);
}

void SafetensorsFile::finish() {
  if (front_.sealed) {
    const InputFile written(part_);
    const Header header = read_header(written);
    const std::string digits = content_hash(written, header);
    put(place_of_hash(written, header), std::as_bytes(std::span(digits)));
  }
  const int closed = close(fd_);
  fd_ = -1;
  if (closed != 0 || std::rename(part_.c_str(), path_.c_str()) != 0) {
    const int why = errno;
    unlink(part_.c_str());
    fail(std::string("cannot be written: ") + std::strerror(why));
  }
}

}  // namespace assay::golden
