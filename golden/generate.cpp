#include "golden/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "golden/golden_case.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/replace_file.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/search.hpp"

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
  const auto value = whole_number_in(text);
  // Written otherwise it would differ from what is regenerated, and say no other number.
  if (!value || std::to_string(*value) != text) {
    throw FormatError(fmt::format("metadata {}: \"{}\" is no whole number that fits", key, text));
  }
  return *value;
}

struct FileName {
  std::string operation;
  std::uint64_t seed = 0, index = 0;
};

/// Inverse of file_name; nothing for names that it does not give.
std::optional<FileName> parse_file_name(const std::string& name) {
  const auto last = name.rfind('-');
  if (last == std::string::npos || last == 0 || !name.ends_with(kSuffix)) return std::nullopt;
  const auto before = name.rfind('-', last - 1);
  if (before == std::string::npos) return std::nullopt;
  const std::string_view all = name;
  const auto seed = whole_number_in(all.substr(before + 1, last - before - 1));
  const auto index = whole_number_in(all.substr(last + 1, all.size() - kSuffix.size() - last - 1));
  if (!seed || !index || file_name(all.substr(0, before), *seed, *index) != name) return std::nullopt;
  return FileName{name.substr(0, before), *seed, *index};
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
  for (const Tensor& tensor : made.tensors) {
    const Tensor* there = found.find(tensor.name);
    if (there == nullptr) {
      lines.push_back(fmt::format("tensor {}: missing", tensor.name));
    } else if (there->dtype != tensor.dtype || there->shape != tensor.shape) {
      lines.push_back(fmt::format("tensor {}: type or shape differs from the regenerated one", tensor.name));
    } else if (there->data != tensor.data) {
      const auto first = std::mismatch(tensor.data.begin(), tensor.data.end(), there->data.begin()).first;
      const auto element =
          static_cast<std::size_t>(first - tensor.data.begin()) / assay::size_of(tensor.dtype);
      lines.push_back(
          fmt::format("tensor {}: element {} differs from the regenerated one", tensor.name, element));
    }
  }
  for (const Tensor& tensor : found.tensors) {
    if (made.find(tensor.name) == nullptr)
      lines.push_back(fmt::format("tensor {}: not in the regenerated set", tensor.name));
  }
  return lines;
}

/// The files of one operation and seed that are there: how many cases each says that the set has, by index.
struct Set {
  std::map<std::uint64_t, std::uint64_t> cases;
  std::set<std::uint64_t> unreadable;

  /// What is wrong with it as a set: files that speak of sets of different sizes, a file that is missing.
  std::vector<std::string> problems(const std::string& operation, std::uint64_t seed) const {
    if (cases.empty()) return {};
    const auto [first, all] = *cases.begin();
    for (const auto& [index, other] : cases) {
      if (other == all) continue;
      return {
          fmt::format("metadata cases: {} says {}, {} says {}: they are of two sets; make one of them anew",
                      file_name(operation, seed, first), all, file_name(operation, seed, index), other)};
    }
    std::uint64_t missing = 0;
    while (missing < all && (cases.contains(missing) || unreadable.contains(missing))) ++missing;
    if (missing == all) return {};
    return {fmt::format("{}: missing; the set has {} of {} cases", file_name(operation, seed, missing),
                        cases.size(), all)};
  }
};
using Sets = std::map<std::pair<std::string, std::uint64_t>, Set>;

/// The differences of one file, if it is this shard's; else it is only noted which set it is of. Throws where
/// it cannot be told what it should be.
std::vector<std::string> check_file(const fs::path& path, bool own, Sets& sets) {
  const Dataset found = read_safetensors(path);
  for (const auto& [key, wanted] : {std::pair{"source", kSource}, std::pair{"format", kFormat}}) {
    const std::string& value = metadata_of(found, key);
    if (value != wanted)
      throw FormatError(fmt::format("metadata {}: is \"{}\", must be \"{}\"", key, value, wanted));
  }
  const std::string& operation = metadata_of(found, "operation");
  const std::uint64_t seed = number_of(found, "seed"), index = number_of(found, "index"),
                      cases = number_of(found, "cases");
  if (index >= cases)
    throw FormatError(fmt::format("metadata index: {} is not below cases, {}", index, cases));
  std::vector<std::string> lines;
  if (own) lines = differences(found, make_dataset(operation, seed, index, cases));
  if (own && path.filename() != file_name(operation, seed, index)) {
    lines.push_back(fmt::format("name: must be {}", file_name(operation, seed, index)));
  }
  sets[{operation, seed}].cases[index] = cases;
  return lines;
}

/// Removes the files of a set from index `first` on, and what a run that was killed left of any, as far as
/// they are this shard's: another may be writing its own.
std::vector<fs::path> remove_later(std::string_view operation, std::uint64_t seed, std::uint64_t first,
                                   const fs::path& directory, const Shard& shard) {
  std::vector<fs::path> removed;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    std::string name = entry.path().filename().string();
    const bool part = name.ends_with(assay::kPartSuffix);
    if (part) name.resize(name.size() - assay::kPartSuffix.size());
    const auto parsed = parse_file_name(name);
    if (!parsed || parsed->operation != operation || parsed->seed != seed) continue;
    if (!shard.takes(parsed->index)) continue;
    if (part || parsed->index >= first) removed.push_back(entry.path());
  }
  for (const fs::path& path : removed) {
    fs::remove(path, error);
    if (error) throw FormatError(fmt::format("{}: cannot be removed: {}", path.string(), error.message()));
  }
  // What a run that was ended has left is nobody's file.
  std::erase_if(removed, [](const fs::path& path) { return path.native().ends_with(assay::kPartSuffix); });
  std::sort(removed.begin(), removed.end());
  return removed;
}

}  // namespace

Dataset make_dataset(std::string_view operation, std::uint64_t seed, std::uint64_t index,
                     std::uint64_t cases) {
  const properties::Operation& chosen = properties::find_operation(operation);
  const properties::Case described = properties::case_at(chosen.cases(kTraits, kBudget), seed, index);
  Problem problem = chosen.make_problem(described);
  const std::vector<Expectation> expectations = chosen.expect(problem, kTraits.arithmetic);
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
  for (const Expectation& expected : expectations) {
    const auto output = std::find_if(problem.outputs.begin(), problem.outputs.end(),
                                     [&](const auto& one) { return one.name == expected.tensor; });
    add_expectation(expected, *output, dataset);
  }
  return dataset;
}

Made make(std::string_view operation, std::uint64_t seed, std::uint64_t cases, const fs::path& directory,
          const Shard& shard) {
  if (cases == 0) throw std::invalid_argument("cases: must be at least 1");
  properties::find_operation(operation);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    throw FormatError(fmt::format("{}: cannot be made a directory: {}", directory.string(), error.message()));
  Made made;
  made.removed = remove_later(operation, seed, cases, directory, shard);
  for (std::uint64_t index = 0; index < cases; ++index) {
    if (!shard.takes(index)) continue;
    made.written.push_back(directory / file_name(operation, seed, index));
    write_safetensors(made.written.back(), make_dataset(operation, seed, index, cases));
  }
  return made;
}

Checked check(const fs::path& directory, const Shard& shard) {
  Checked checked;
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() == kSuffix) files.push_back(entry.path());
  }
  if (error) {
    checked.unreadable = {
        fmt::format("{}: cannot be read as a directory: {}", directory.string(), error.message())};
  } else if (files.empty()) {
    checked.unreadable = {fmt::format("{}: directory: has no *{} file", directory.string(), kSuffix)};
  }
  std::sort(files.begin(), files.end());
  checked.of = files.size();
  Sets sets;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const fs::path& file = files[i];
    const bool own = shard.takes(i);
    if (own) checked.files.push_back(file);
    try {
      for (const std::string& line : check_file(file, own, sets)) {
        checked.differing.push_back(fmt::format("{}: {}", file.string(), line));
      }
    } catch (const std::exception& fault) {
      const std::string what = fault.what();  // the reader's errors name the file themselves, in quotes
      const bool named = what.find(file.string()) <= 1;
      if (own) checked.unreadable.push_back(named ? what : fmt::format("{}: {}", file.string(), what));
      // It is there, whatever it holds.
      if (const auto name = parse_file_name(file.filename().string())) {
        sets[{name->operation, name->seed}].unreadable.insert(name->index);
      }
    }
  }
  if (shard.index != 1) return checked;
  for (const auto& [key, set] : sets) {
    for (const auto& line : set.problems(key.first, key.second)) {
      checked.differing.push_back(fmt::format("{}: {}", directory.string(), line));
    }
  }
  return checked;
}

}  // namespace assay::golden
