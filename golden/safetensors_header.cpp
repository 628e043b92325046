#include "golden/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "assay/tensor.hpp"
#include "golden/safetensors_format.hpp"
#include "harness/process/json_words.hpp"
#include "harness/process/watch_json.hpp"

namespace assay::golden {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<std::string_view, std::size_t>, 15> kElementBytes = {{
    {"BOOL", 1},
    {"U8", 1},
    {"I8", 1},
    {"F8_E5M2", 1},
    {"F8_E4M3", 1},
    {"I16", 2},
    {"U16", 2},
    {"F16", 2},
    {"BF16", 2},
    {"I32", 4},
    {"U32", 4},
    {"F32", 4},
    {"F64", 8},
    {"I64", 8},
    {"U64", 8},
}};

/// The header of one file being read; gives every message the file's name.
class Reader {
 public:
  explicit Reader(const InputFile& file) : file_(file) {}

  Header read() const {
    const std::string text = read_text();
    Header header;
    header.data_at = kLengthBytes + text.size();
    const std::uint64_t data_bytes = file_.size() - header.data_at;
    const Json parsed = parse(text);
    for (const auto& [name, entry] : parsed.items()) {
      if (name == kMetadataKey) {
        header.metadata = metadata_of(entry);
      } else {
        header.entries.push_back(place(name, entry, data_bytes));
      }
    }
    std::sort(header.entries.begin(), header.entries.end(), [](const HeaderEntry& a, const HeaderEntry& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    check_coverage(header.entries, data_bytes);
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { file_.fail(what); }
  [[noreturn]] void fail(std::string_view tensor, const std::string& what) const {
    fail("tensor " + escaped(tensor) + ": " + what);
  }

  std::string read_text() const {
    if (file_.size() < kLengthBytes) {
      fail("is cut short: has " + std::to_string(file_.size()) + " bytes, the header length alone takes 8");
    }
    std::array<std::byte, kLengthBytes> bytes = {};
    file_.read(0, bytes);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i)
      length |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    const std::uint64_t rest = file_.size() - kLengthBytes;
    if (length > rest) {
      fail("is cut short or no safetensors file: header length is " + std::to_string(length) + " bytes, " +
           std::to_string(rest) + " follow");
    }
    if (length > kLongestHeader) {
      fail("header length is " + std::to_string(length) + " bytes, the format allows " +
           std::to_string(kLongestHeader));
    }
    std::string text(static_cast<std::size_t>(length), '\0');
    file_.read(kLengthBytes, std::as_writable_bytes(std::span(text)));
    return text;
  }

  /// The header as JSON. nlohmann-json lets the last of two equal keys win, which would hide a tensor.
  Json parse(std::string_view text) const {
    process::JsonWatch watch;
    watch.twice = [&](const std::string& key) {
      fail("header: key " + escaped(key) + " stands twice in one object");
    };
    watch.look(text);
    Json header;
    try {
      header = Json::parse(text.begin(), text.end());
    } catch (const Json::parse_error& error) {
      fail("header: is not JSON, at byte " + std::to_string(error.byte) + " of it");
    } catch (const Json::exception& error) {
      fail("header: is not usable JSON, " + escaped(process::words_of(error)));
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

  /// Checks one tensor's entry by itself and against the size of the data section.
  HeaderEntry place(const std::string& name, const Json& entry, std::uint64_t data_bytes) const {
    if (!entry.is_object()) fail(name, "must be an object, is " + std::string(entry.type_name()));
    for (const auto& [key, value] : entry.items()) {
      if (key != "dtype" && key != "shape" && key != "data_offsets")
        fail(name, escaped(key) + ": unknown field");
    }
    HeaderEntry placed;
    placed.name = name;
    const Json& dtype = field_of(name, entry, "dtype");
    if (!dtype.is_string()) fail(name, "dtype: must be a string, is " + std::string(dtype.type_name()));
    placed.dtype = dtype.get<std::string>();
    for (const std::uint64_t extent : integers_of(name, entry, "shape")) {
      placed.shape.push_back(static_cast<std::size_t>(extent));
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
    const std::size_t bytes = element_bytes(placed.dtype);
    if (bytes != 0 && placed.end - placed.begin != bytes_of(placed, bytes)) {
      fail(name, range + "is not the size of the tensor: dtype and shape need " +
                     std::to_string(bytes_of(placed, bytes)) + " bytes");
    }
    return placed;
  }

  std::uint64_t bytes_of(const HeaderEntry& entry, std::size_t element) const {
    std::uint64_t product = element;
    for (const std::size_t extent : entry.shape) {
      if (__builtin_mul_overflow(product, extent, &product))
        fail(entry.name, "shape: its product does not fit in 64 bits");
    }
    return product;
  }

  /// `placed` is sorted. The format asks for tensors side by side that fill the data section.
  void check_coverage(const std::vector<HeaderEntry>& placed, std::uint64_t data_bytes) const {
    std::uint64_t covered = 0;
    std::string_view before;
    for (const HeaderEntry& one : placed) {
      if (one.begin < covered) fail(one.name, "data_offsets: overlaps tensor " + escaped(before));
      if (one.begin > covered) {
        fail(one.name, "data_offsets: leaves " + std::to_string(one.begin - covered) +
                           " bytes before it that belong to no tensor");
      }
      covered = one.end;
      before = one.name;
    }
    if (covered != data_bytes) {
      fail("has " + std::to_string(data_bytes - covered) + " bytes at the end that belong to no tensor");
    }
  }

  const InputFile& file_;
};

}  // namespace

const HeaderEntry* Header::find(std::string_view name) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const HeaderEntry& one) { return one.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

std::size_t element_bytes(std::string_view dtype) {
  const auto found = std::find_if(kElementBytes.begin(), kElementBytes.end(),
                                  [&](const auto& one) { return one.first == dtype; });
  return found == kElementBytes.end() ? 0 : found->second;
}

Header read_header(const InputFile& file) { return Reader(file).read(); }

}  // namespace assay::golden
