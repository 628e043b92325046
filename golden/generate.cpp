#include "golden/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include "golden/golden_case.hpp"
#include "properties/operation.hpp"
#include "properties/search.hpp"

namespace assay::golden {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSuffix = ".safetensors";
/// Sets are kept in the tree, so their cases are small; their edges are those of the commonest tile.
constexpr properties::Budget kBudget = {
    .largest = std::int64_t{1} << 16, .least = std::int64_t{1} << 12, .longest = 0};
const properties::KernelTraits kTraits = {.tile = {64, 64, 32}, .requirements = {}, .arithmetic = {}};

std::string file_name(std::string_view operation, std::uint64_t seed, std::uint64_t index) {
  return fmt::format("{}-{}-{:04}{}", operation, seed, index, kSuffix);
}

std::uint64_t number_of(const Dataset& dataset, const std::string& key) {
  const std::string& text = metadata_of(dataset, key);
  std::uint64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stopped != text.data() + text.size() || text.empty()) {
    throw FormatError(fmt::format("metadata {}: \"{}\" is not a number", key, text));
  }
  return value;
}

/// Every field that is not as regenerated, `field: what`.
std::vector<std::string> differences(const Dataset& found, const Dataset& made) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : made.metadata) {
    const auto there = found.metadata.find(key);
    if (there == found.metadata.end()) {
      lines.push_back(fmt::format("metadata {}: missing", key));
    } else if (there->second != value) {
      lines.push_back(fmt::format("metadata {}: is \"{}\", regenerated \"{}\"", key, there->second, value));
    }
  }
  for (const auto& [key, value] : found.metadata) {
    if (!made.metadata.contains(key))
      lines.push_back(fmt::format("metadata {}: not part of format {}", key, kFormat));
  }
  for (const verify::Tensor& tensor : made.tensors) {
    const verify::Tensor* there = found.find(tensor.name);
    if (there == nullptr) {
      lines.push_back(fmt::format("tensor {}: missing", tensor.name));
    } else if (there->dtype != tensor.dtype || there->shape != tensor.shape) {
      lines.push_back(fmt::format("tensor {}: type or shape differs from the regenerated one", tensor.name));
    } else if (there->data != tensor.data) {
      const auto first = std::mismatch(tensor.data.begin(), tensor.data.end(), there->data.begin()).first;
      const auto element =
          static_cast<std::size_t>(first - tensor.data.begin()) / verify::size_of(tensor.dtype);
      lines.push_back(
          fmt::format("tensor {}: element {} differs from the regenerated one", tensor.name, element));
    }
  }
  for (const verify::Tensor& tensor : found.tensors) {
    if (made.find(tensor.name) == nullptr)
      lines.push_back(fmt::format("tensor {}: not in the regenerated set", tensor.name));
  }
  return lines;
}

/// Which files of a set are there: (operation, seed, cases) to indices.
using Sets = std::map<std::tuple<std::string, std::uint64_t, std::uint64_t>, std::set<std::uint64_t>>;

std::vector<std::string> check_file(const fs::path& path, Sets& sets) {
  const Dataset found = read_safetensors(path);
  for (const auto& [key, wanted] : {std::pair{"source", kSource}, std::pair{"format", kFormat}}) {
    const std::string& value = metadata_of(found, key);
    if (value != wanted) return {fmt::format("metadata {}: is \"{}\", must be \"{}\"", key, value, wanted)};
  }
  const std::string& operation = metadata_of(found, "operation");
  const std::uint64_t seed = number_of(found, "seed"), index = number_of(found, "index"),
                      cases = number_of(found, "cases");
  if (index >= cases) return {fmt::format("metadata index: {} is not below cases, {}", index, cases)};
  std::vector<std::string> lines = differences(found, make_dataset(operation, seed, index, cases));
  if (path.filename() != file_name(operation, seed, index)) {
    lines.push_back(fmt::format("name: must be {}", file_name(operation, seed, index)));
  }
  sets[{operation, seed, cases}].insert(index);
  return lines;
}

}  // namespace

Dataset make_dataset(std::string_view operation, std::uint64_t seed, std::uint64_t index,
                     std::uint64_t cases) {
  const properties::Operation& chosen = properties::find_operation(operation);
  const properties::Case described = properties::case_at(chosen.cases(kTraits, kBudget), seed, index);
  verify::Problem problem = chosen.make_problem(described);
  const std::vector<verify::Expectation> expectations = chosen.expect(problem, kTraits.arithmetic);
  Dataset dataset;
  dataset.metadata = {
      {"source", std::string(kSource)},
      {"format", std::string(kFormat)},
      {"operation", std::string(operation)},
      {"seed", std::to_string(seed)},
      {"index", std::to_string(index)},
      {"cases", std::to_string(cases)},
      {"case", to_line(described)},
      {"notes", properties::find_named(chosen.declaration().regimes, described.regime)->about},
      {"dequantize", std::string(properties::name_of(kTraits.arithmetic.dequantize))},
      {"accumulate", std::string(properties::name_of(kTraits.arithmetic.accumulate))},
  };
  dataset.tensors = std::move(problem.inputs);
  for (const verify::Expectation& expected : expectations) {
    const auto output = std::find_if(problem.outputs.begin(), problem.outputs.end(),
                                     [&](const auto& one) { return one.name == expected.tensor; });
    add_expectation(expected, *output, dataset);
  }
  return dataset;
}

std::vector<fs::path> make(std::string_view operation, std::uint64_t seed, std::uint64_t cases,
                           const fs::path& directory) {
  if (cases == 0) throw std::invalid_argument("cases: must be at least 1");
  properties::find_operation(operation);
  fs::create_directories(directory);
  std::vector<fs::path> written;
  for (std::uint64_t index = 0; index < cases; ++index) {
    written.push_back(directory / file_name(operation, seed, index));
    write_safetensors(written.back(), make_dataset(operation, seed, index, cases));
  }
  return written;
}

std::vector<std::string> check(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() == kSuffix) files.push_back(entry.path());
  }
  if (error) return {fmt::format("{}: directory: {}", directory.string(), error.message())};
  if (files.empty()) return {fmt::format("{}: directory: has no *{} file", directory.string(), kSuffix)};
  std::sort(files.begin(), files.end());
  std::vector<std::string> problems;
  std::set<std::string> unreadable;
  Sets sets;
  for (const fs::path& file : files) {
    std::vector<std::string> lines;
    try {
      lines = check_file(file, sets);
    } catch (const std::exception& fault) {
      lines = {fault.what()};
      unreadable.insert(file.filename().string());
    }
    for (const std::string& line : lines) {
      // Errors of the reader name the file themselves.
      const auto named = line.find(file.string());
      problems.push_back(named <= 1 ? line : fmt::format("{}: {}", file.string(), line));
    }
  }
  for (const auto& [set, indices] : sets) {
    const auto& [operation, seed, cases] = set;
    if (indices.size() == cases) continue;
    // A file that is there and cannot be read has been named already.
    std::uint64_t missing = 0;
    while (missing < cases &&
           (indices.contains(missing) || unreadable.contains(file_name(operation, seed, missing)))) {
      ++missing;
    }
    if (missing == cases) continue;
    problems.push_back(fmt::format("{}: {}: missing; the set has {} of {} cases", directory.string(),
                                   file_name(operation, seed, missing), indices.size(), cases));
  }
  return problems;
}

}  // namespace assay::golden
