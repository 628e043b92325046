#include "golden/model/model_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "golden/safetensors.hpp"
#include "golden/safetensors_format.hpp"

namespace assay::golden {
namespace {

using HeaderJson = nlohmann::json;

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 15> kElementBytes = {{
    {"BOOL", 1},
    {"U8", 1},
    {"I8", 1},
    {"F8_E4M3", 1},
    {"F8_E5M2", 1},
    {"U16", 2},
    {"I16", 2},
    {"F16", 2},
    {"BF16", 2},
    {"U32", 4},
    {"I32", 4},
    {"F32", 4},
    {"U64", 8},
    {"I64", 8},
    {"F64", 8},
}};

[[noreturn]] void refuse_entry(std::string_view tensor, const std::string& what) {
  throw FormatError(fmt::format("tensor {}: {}", escaped(tensor), what));
}

/// The header as JSON. Of two equal keys nlohmann-json keeps the last, which would hide a tensor.
HeaderJson header_json(std::string_view text) {
  std::vector<std::set<std::string>> open_objects;
  const auto watch_keys = [&](int, HeaderJson::parse_event_t event, HeaderJson& value) {
    if (event == HeaderJson::parse_event_t::object_start) open_objects.emplace_back();
    if (event == HeaderJson::parse_event_t::object_end) open_objects.pop_back();
    if (event == HeaderJson::parse_event_t::key &&
        !open_objects.back().insert(value.get<std::string>()).second) {
      throw FormatError(
          fmt::format("header: key {} stands twice in one object", escaped(value.get<std::string>())));
    }
    return true;
  };
  try {
    HeaderJson header = HeaderJson::parse(text.begin(), text.end(), watch_keys);
    if (header.is_object()) return header;
  } catch (const HeaderJson::exception& error) {
    throw FormatError(fmt::format("header: is not usable JSON: {}", escaped(error.what())));
  }
  throw FormatError("header: must be a JSON object");
}

const HeaderJson& field_of_entry(const std::string& tensor, const HeaderJson& entry, const char* name) {
  const auto found = entry.find(name);
  if (found == entry.end()) refuse_entry(tensor, fmt::format("{}: is missing", name));
  return *found;
}

std::vector<std::uint64_t> integers_of_entry(const std::string& tensor, const HeaderJson& entry,
                                             const char* name) {
  const HeaderJson& list = field_of_entry(tensor, entry, name);
  std::vector<std::uint64_t> found;
  bool right = list.is_array();
  for (const HeaderJson& item : list) {
    right = right && item.is_number_unsigned();
    if (right) found.push_back(item.get<std::uint64_t>());
  }
  if (!right) refuse_entry(tensor, fmt::format("{}: must be an array of integers from 0 to 2^64-1", name));
  return found;
}

ModelTensor model_tensor_of(const std::string& name, const HeaderJson& entry, std::uint64_t data_bytes) {
  if (!entry.is_object()) refuse_entry(name, "must be an object");
  ModelTensor tensor{.name = name, .dtype = {}, .shape = integers_of_entry(name, entry, "shape")};
  const HeaderJson& dtype = field_of_entry(name, entry, "dtype");
  if (!dtype.is_string()) refuse_entry(name, "dtype: must be a string");
  tensor.dtype = dtype.get<std::string>();
  const auto offsets = integers_of_entry(name, entry, "data_offsets");
  if (offsets.size() != 2)
    refuse_entry(name, fmt::format("data_offsets: must be [begin, end], has {} items", offsets.size()));
  tensor.begin = offsets[0];
  tensor.end = offsets[1];
  const std::string range = fmt::format("data_offsets: [{}, {}]", tensor.begin, tensor.end);
  if (tensor.begin > tensor.end) refuse_entry(name, range + " ends before it begins");
  if (tensor.end > data_bytes) {
    refuse_entry(name,
                 fmt::format("{} reaches past the end: the file holds {} bytes of data", range, data_bytes));
  }
  std::uint64_t needed = model_element_bytes(tensor.dtype);
  if (needed == 0) return tensor;
  for (const std::uint64_t extent : tensor.shape) {
    if (__builtin_mul_overflow(needed, extent, &needed))
      refuse_entry(name, "shape: its product does not fit in 64 bits");
  }
  if (tensor.end - tensor.begin != needed)
    refuse_entry(name, fmt::format("{} must have the {} bytes that dtype and shape need", range, needed));
  return tensor;
}

}  // namespace

std::uint64_t model_element_bytes(std::string_view dtype) {
  for (const auto& [name, bytes] : kElementBytes) {
    if (name == dtype) return bytes;
  }
  return 0;
}

std::vector<ModelTensor> parse_model_header(std::string_view text, std::uint64_t data_bytes) {
  std::vector<ModelTensor> tensors;
  const HeaderJson header = header_json(text);
  for (const auto& [name, entry] : header.items()) {
    if (name != kMetadataKey) tensors.push_back(model_tensor_of(name, entry, data_bytes));
  }
  std::sort(tensors.begin(), tensors.end(), [](const ModelTensor& a, const ModelTensor& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::uint64_t covered = 0;
  for (const ModelTensor& one : tensors) {
    if (one.begin < covered) refuse_entry(one.name, "data_offsets: overlaps the tensor before it");
    if (one.begin > covered)
      refuse_entry(one.name, fmt::format("data_offsets: leaves {} bytes before it that belong to no tensor",
                                         one.begin - covered));
    covered = one.end;
  }
  if (covered != data_bytes) {
    throw FormatError(fmt::format("has {} bytes at the end that belong to no tensor", data_bytes - covered));
  }
  return tensors;
}

}  // namespace assay::golden
