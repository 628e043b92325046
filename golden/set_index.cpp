#include "golden/set_index.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "golden/content_hash.hpp"
#include "golden/golden_case.hpp"
#include "golden/safetensors_header.hpp"

namespace assay::golden {
namespace {

constexpr std::string_view kIndexSuffix = ".index.json";

/// What an index says of a file beside its name, as far as its metadata have it.
constexpr std::string_view kSaid[] = {"operation",     "case",      "model",          "tensor",
                                      "maximum_error", "rms_error", "relative_error", "bits_per_weight",
                                      "entropy"};

nlohmann::ordered_json line_of(const std::filesystem::path& path, const InputFile& file,
                               const Header& header) {
  nlohmann::ordered_json line = {{"file", path.filename().string()}};
  for (const std::string_view key : kSaid) {
    if (const auto found = header.metadata.find(std::string(key)); found != header.metadata.end())
      line[found->first] = found->second;
  }
  line["bytes"] = file.size();
  line[std::string(kHashKey)] = metadata_of(header.metadata, std::string(kHashKey));
  return line;
}

}  // namespace

std::string index_name(const std::string& set) { return set + std::string(kIndexSuffix); }

std::string set_of_index(const std::string& name) {
  return name.ends_with(kIndexSuffix) ? name.substr(0, name.size() - kIndexSuffix.size()) : std::string();
}

std::string index_text(const std::string& set, const std::vector<std::filesystem::path>& files) {
  nlohmann::ordered_json front = {{"set", set}};
  std::map<std::string, std::uint64_t> tags;
  std::string lines;
  for (const auto& path : files) {
    const InputFile file(path);
    const Header header = read_header(file);
    if (&path == &files.front()) {
      for (const char* key : {"source", "format", "program", "request"})
        front[key] = metadata_of(header.metadata, key);
    }
    lines += (lines.empty() ? "\n    " : ",\n    ") + line_of(path, file, header).dump();
    const auto covers = header.metadata.find("covers");
    if (covers == header.metadata.end()) continue;
    const std::string& text = covers->second;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++tags[text.substr(begin, end - begin)];
      begin = end + 1;
    }
  }
  std::string text = "{\n";
  for (const auto& [key, value] : front.items())
    text += fmt::format("  {}: {},\n", nlohmann::json(key).dump(), value.dump());
  text += fmt::format("  \"files\": [{}\n  ],\n  \"covers\": {}\n}}\n", lines, nlohmann::json(tags).dump());
  return text;
}

}  // namespace assay::golden
