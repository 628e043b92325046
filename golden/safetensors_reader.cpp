#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "golden/safetensors.hpp"
#include "golden/safetensors_format.hpp"

static_assert(std::endian::native == std::endian::little, "tensor data is copied as it lies in the file");

namespace assay::golden {
namespace {

using Json = nlohmann::json;

/// One file being read; gives every message the file's name.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path) {}

  Dataset read() {
    const std::string bytes = read_bytes();
    const std::string_view header_text = header_of(bytes);
    const std::string_view data = std::string_view(bytes).substr(kLengthBytes + header_text.size());
    const Json header = parse(header_text);

    Dataset dataset;
    std::vector<Placed> placed;
    for (const auto& [name, entry] : header.items()) {
      if (name == kMetadataKey) {
        dataset.metadata = metadata_of(entry);
      } else {
        placed.push_back(place(name, entry, data.size()));
      }
    }
    std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    check_coverage(placed, data.size());
    for (Placed& one : placed) {
      const auto* first = reinterpret_cast<const std::byte*>(data.data()) + one.begin;
      one.tensor.data.assign(first, first + (one.end - one.begin));
      dataset.tensors.push_back(std::move(one.tensor));
    }
    return dataset;
  }

 private:
  /// A tensor without its data yet, and where in the data section that lies.
  struct Placed {
    Tensor tensor;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(escaped(path_.string(), std::string::npos) + ": " + what);
  }
  [[noreturn]] void fail(std::string_view tensor, const std::string& what) const {
    fail("tensor " + escaped(tensor) + ": " + what);
  }

  std::string read_bytes() const {
    std::error_code error;
    const auto status = std::filesystem::status(path_, error);
    if (!std::filesystem::exists(status)) fail("no such file");
    if (!std::filesystem::is_regular_file(status)) fail("is not a regular file");
    std::ifstream file(path_, std::ios::binary);
    if (!file) fail("cannot be opened for reading");
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (file.bad()) fail("cannot be read to its end");
    return bytes;
  }

  std::string_view header_of(const std::string& bytes) const {
    if (bytes.size() < kLengthBytes) {
      fail("is cut short: has " + std::to_string(bytes.size()) + " bytes, the header length alone takes 8");
    }
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i) {
      length |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    const std::size_t rest = bytes.size() - kLengthBytes;
    if (length > rest) {
      fail("is cut short or no safetensors file: header length is " + std::to_string(length) + " bytes, " +
           std::to_string(rest) + " follow");
    }
    return std::string_view(bytes).substr(kLengthBytes, static_cast<std::size_t>(length));
  }

  /// The header as JSON. nlohmann-json lets the last of two equal keys win, which would hide a tensor, so the
  /// keys of the objects that are open are watched.
  Json parse(std::string_view text) const {
    std::vector<std::set<std::string>> open_objects;
    const auto watch_keys = [&](int, Json::parse_event_t event, Json& value) {
      if (event == Json::parse_event_t::object_start) open_objects.emplace_back();
      if (event == Json::parse_event_t::object_end) open_objects.pop_back();
      if (event == Json::parse_event_t::key && !open_objects.back().insert(value.get<std::string>()).second) {
        fail("header: key " + escaped(value.get<std::string>()) + " stands twice in one object");
      }
      return true;
    };
    Json header;
    try {
      header = Json::parse(text.begin(), text.end(), watch_keys);
    } catch (const Json::parse_error& error) {
      fail("header: is not JSON, at byte " + std::to_string(error.byte) + " of it");
    } catch (const Json::exception& error) {
      fail("header: is not usable JSON, " + escaped(error.what()));
    }
    if (!header.is_object()) fail("header: must be a JSON object, is " + std::string(header.type_name()));
    return header;
  }

  std::map<std::string, std::string> metadata_of(const Json& entry) const {
    if (!entry.is_object()) fail("__metadata__: must be an object, is " + std::string(entry.type_name()));
    std::map<std::string, std::string> metadata;
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) {
        fail("__metadata__: " + escaped(key) + " must be a string, is " + std::string(value.type_name()));
      }
      metadata.emplace(key, value.get<std::string>());
    }
    return metadata;
  }

  const Json& field_of(std::string_view name, const Json& entry, const char* field) const {
    const auto found = entry.find(field);
    if (found == entry.end()) fail(name, std::string(field) + ": is missing");
    return *found;
  }

  /// A JSON array of integers that are not negative.
  std::vector<std::uint64_t> integers_of(std::string_view name, const Json& entry, const char* field) const {
    const Json& list = field_of(name, entry, field);
    if (!list.is_array()) fail(name, std::string(field) + ": must be an array of integers");
    std::vector<std::uint64_t> integers;
    for (const Json& item : list) {
      if (!item.is_number_unsigned()) {
        fail(name, std::string(field) + ": must hold integers from 0 to 2^64-1 only, item " +
                       std::to_string(integers.size()) + " is none");
      }
      integers.push_back(item.get<std::uint64_t>());
    }
    return integers;
  }

  DType dtype_of(std::string_view name, const Json& entry) const {
    const Json& value = field_of(name, entry, "dtype");
    if (!value.is_string()) fail(name, "dtype: must be a string, is " + std::string(value.type_name()));
    const auto& text = value.get_ref<const std::string&>();
    std::string known;
    for (const auto& [dtype, dtype_name] : kDTypeNames) {
      if (text == dtype_name) return dtype;
      known += " " + std::string(dtype_name);
    }
    fail(name, "dtype: " + escaped(text) + " is none of" + known);
  }

  /// Checks one tensor's entry by itself and against the size of the data section.
  Placed place(const std::string& name, const Json& entry, std::size_t data_bytes) const {
    if (!entry.is_object()) fail(name, "must be an object, is " + std::string(entry.type_name()));
    for (const auto& [key, value] : entry.items()) {
      if (key != "dtype" && key != "shape" && key != "data_offsets")
        fail(name, escaped(key) + ": unknown field");
    }
    Placed placed;
    placed.tensor.name = name;
    placed.tensor.dtype = dtype_of(name, entry);
    for (const std::uint64_t extent : integers_of(name, entry, "shape")) {
      placed.tensor.shape.push_back(static_cast<std::size_t>(extent));
    }
    std::size_t needed = 0;
    try {
      needed = placed.tensor.element_count() * assay::size_of(placed.tensor.dtype);
    } catch (const std::length_error&) {
      fail(name, "shape: its product does not fit in 64 bits");
    }
    const std::vector<std::uint64_t> offsets = integers_of(name, entry, "data_offsets");
    if (offsets.size() != 2) {
      fail(name, "data_offsets: must be [begin, end], has " + std::to_string(offsets.size()) + " items");
    }
    placed.begin = offsets[0];
    placed.end = offsets[1];
    const std::string range =
        "data_offsets: [" + std::to_string(placed.begin) + ", " + std::to_string(placed.end) + "] ";
    if (placed.begin > placed.end) fail(name, range + "ends before it begins");
    if (placed.end > data_bytes) {
      fail(name, range + "reaches past the end, the file is cut short or the offset wrong: it holds " +
                     std::to_string(data_bytes) + " bytes of data");
    }
    if (placed.end - placed.begin != needed) {
      fail(name, range + "is not the size of the tensor: dtype and shape need " + std::to_string(needed) +
                     " bytes");
    }
    return placed;
  }

  /// `placed` is sorted. The format asks for tensors side by side that fill the data section.
  void check_coverage(std::span<const Placed> placed, std::size_t data_bytes) const {
    std::uint64_t covered = 0;
    std::string_view before;
    for (const Placed& one : placed) {
      if (one.begin < covered) fail(one.tensor.name, "data_offsets: overlaps tensor " + escaped(before));
      if (one.begin > covered) {
        fail(one.tensor.name, "data_offsets: leaves " + std::to_string(one.begin - covered) +
                                  " bytes before it that belong to no tensor");
      }
      covered = one.end;
      before = one.tensor.name;
    }
    if (covered != data_bytes) {
      fail("has " + std::to_string(data_bytes - covered) + " bytes at the end that belong to no tensor");
    }
  }

  std::filesystem::path path_;
};

}  // namespace

Dataset read_safetensors(const std::filesystem::path& path) { return Reader(path).read(); }

}  // namespace assay::golden
