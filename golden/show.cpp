#include "golden/show.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "golden/content_hash.hpp"
#include "golden/own_tensors.hpp"
#include "golden/safetensors_format.hpp"
#include "golden/safetensors_header.hpp"
#include "golden/show_tensor.hpp"
#include "golden/show_weights.hpp"
#include "harness/verify/compare.hpp"
#include "harness/verify/numbers.hpp"

namespace assay::golden {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;  // whole elements of every type
/// A file of at most so many bytes is also looked at as a problem, for which it is read whole.
constexpr std::uint64_t kMostTogether = std::uint64_t{64} << 20;
constexpr std::size_t kFirstElements = 8;
constexpr std::size_t kLongestName = 200, kLongestValue = 400;

/// As it is where that is plain, else in quotes and escaped; cut short.
std::string plain_or_escaped(const std::string& text, std::size_t longest) {
  const bool plain = !text.empty() && text.size() <= longest &&
                     std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }) &&
                     text.find_first_of("\"\\") == std::string::npos && text.front() != ' ' &&
                     text.back() != ' ';
  return plain ? text : escaped(text, longest);
}

std::string metadata_text(const std::map<std::string, std::string>& metadata) {
  if (metadata.empty()) return "";
  std::vector<std::pair<std::string, std::string>> lines;
  for (const char* key : {"operation", "case"}) {
    if (const auto found = metadata.find(key); found != metadata.end()) lines.push_back(*found);
  }
  for (const auto& one : metadata) {
    if (one.first != "operation" && one.first != "case") lines.push_back(one);
  }
  std::size_t width = 0;
  for (auto& [key, value] : lines) {
    key = plain_or_escaped(key, kLongestName);
    width = std::max(width, key.size());
  }
  std::string text = "\nmetadata\n";
  for (const auto& [key, value] : lines)
    text += fmt::format("  {:<{}}  {}\n", key, width, plain_or_escaped(value, kLongestValue));
  return text;
}

/// The statistics of one tensor, read a piece at a time.
std::string tensor_text(const InputFile& file, const Header& header, const HeaderEntry& entry) {
  std::string text = fmt::format("\n{}  {} [{}]  {}\n", plain_or_escaped(entry.name, kLongestName),
                                 plain_or_escaped(entry.dtype, kLongestName), fmt::join(entry.shape, ", "),
                                 counted(entry.end - entry.begin, "byte"));
  const auto known = std::find_if(kDTypeNames.begin(), kDTypeNames.end(),
                                  [&](const auto& one) { return one.second == entry.dtype; });
  if (known == kDTypeNames.end()) return text + "  elements of this type are not read here\n";
  const DType dtype = known->first;
  StatisticsGatherer gatherer(dtype);
  std::vector<double> first;
  Tensor piece{"", dtype, {}, {}};
  for (std::uint64_t at = entry.begin; at < entry.end; at += piece.data.size()) {
    piece.data.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, entry.end - at)));
    file.read(header.data_at + at, piece.data);
    gatherer.add(piece.data);
    if (at > entry.begin) continue;
    for (std::size_t i = 0; i < std::min(kFirstElements, piece.data.size() / size_of(dtype)); ++i)
      first.push_back(assay::decode(piece, i));
  }
  return text + statistics_text(dtype, gatherer.statistics(), first);
}

/// A line where the file has a content hash and is not what that says.
std::string damage_text(const InputFile& file, const Header& header) {
  if (!header.metadata.contains(std::string(kHashKey))) return "";
  try {
    check_hash(file, header);
    return "";
  } catch (const FormatError& error) {
    return fmt::format("damaged: {}\n", error.what());
  }
}

/// What the inputs are as those of an operation.
std::string weights_text(const InputFile& file, const Header& header) {
  const auto named = header.metadata.find("operation");
  if (named == header.metadata.end()) return "";
  const auto known = properties::operation_names();
  const std::string name = plain_or_escaped(named->second, kLongestName);
  if (std::find(known.begin(), known.end(), named->second) == known.end())
    return fmt::format("\nAssay does not know the operation {}; its tensors are shown one by one\n", name);
  if (file.size() > kMostTogether) {
    return fmt::format(
        "\nthe tensors are not looked at as a problem: the file has {} bytes, and up to {} are\n",
        grouped(file.size()), grouped(kMostTogether));
  }
  try {
    const auto& operation = properties::find_operation(named->second);
    return show_weights(operation, own_tensors(read_safetensors(file.path()), operation));
  } catch (const std::exception& error) {
    return fmt::format("\ncannot be read as a problem of {}: {}\n", name, error.what());
  }
}

}  // namespace

std::string show(const std::filesystem::path& path) {
  const InputFile file(path);
  const Header header = read_header(file);
  std::string text = fmt::format("{}: {}, {}\n", plain_or_escaped(path.string(), std::string::npos),
                                 counted(header.entries.size(), "tensor"), counted(file.size(), "byte")) +
                     damage_text(file, header) + metadata_text(header.metadata);
  for (const HeaderEntry& entry : header.entries) text += tensor_text(file, header, entry);
  return text + weights_text(file, header);
}

}  // namespace assay::golden
