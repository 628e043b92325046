#include "golden/show.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "golden/dtype_text.hpp"
#include "golden/own_tensors.hpp"
#include "golden/safetensors_format.hpp"
#include "golden/show_tensor.hpp"
#include "golden/show_weights.hpp"
#include "harness/verify/compare.hpp"
#include "harness/verify/numbers.hpp"

namespace assay::golden {
namespace {

constexpr std::size_t kFirstElements = 8;
constexpr std::size_t kLongestName = 200, kLongestValue = 400;

/// As it is where that is plain, else in quotes and escaped; cut short.
std::string plain_or_escaped(const std::string& text, std::size_t longest) {
  const bool plain = !text.empty() && text.size() <= longest &&
                     std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }) &&
                     text.find_first_of("\"\\") == std::string::npos && text.front() != ' ' && text.back() != ' ';
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

std::string tensor_text(const Tensor& tensor) {
  std::vector<double> first;
  for (std::size_t i = 0; i < std::min(kFirstElements, tensor.element_count()); ++i)
    first.push_back(assay::decode(tensor, i));
  return fmt::format("\n{}  {} [{}]  {} bytes\n", plain_or_escaped(tensor.name, kLongestName),
                     dtype_text(tensor.dtype), fmt::join(tensor.shape, ", "), grouped(tensor.data.size())) +
         statistics_text(tensor.dtype, assay::statistics_of(tensor), first);
}

/// What the inputs are as those of an operation.
std::string weights_text(const Dataset& dataset) {
  const auto named = dataset.metadata.find("operation");
  if (named == dataset.metadata.end()) return "";
  const auto known = properties::operation_names();
  const std::string name = plain_or_escaped(named->second, kLongestName);
  if (std::find(known.begin(), known.end(), named->second) == known.end())
    return fmt::format("\nno operation {} is known here: its tensors are shown one by one\n", name);
  try {
    const auto& operation = properties::find_operation(named->second);
    return show_weights(operation, own_tensors(dataset, operation));
  } catch (const std::exception& error) {
    return fmt::format("\nno problem of {}: {}\n", name, error.what());
  }
}

}  // namespace

std::string show(const std::filesystem::path& path) {
  const Dataset dataset = read_safetensors(path);
  std::string text = fmt::format("{}: {} tensors\n", plain_or_escaped(path.string(), std::string::npos),
                                 dataset.tensors.size()) +
                     metadata_text(dataset.metadata);
  for (const Tensor& tensor : dataset.tensors) text += tensor_text(tensor);
  return text + weights_text(dataset);
}

}  // namespace assay::golden
