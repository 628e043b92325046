#include "harness/run/golden_cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "properties/cases/axes.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/traits.hpp"
#include "properties/large/part.hpp"

namespace assay::run {
namespace {

using golden::FileSummary;
using properties::Case;
using properties::Part;

/// Whether a kernel is asked values of that regime; of one that the operation does not know, always.
bool is_asked(const properties::Operation& operation, const properties::CaseSpace& space,
              const properties::KernelTraits& traits, const std::string& regime) {
  if (const auto* planned = properties::find_planned(operation.declaration(), regime))
    return !properties::is_left_out(*planned, traits);
  return properties::find_named(operation.declaration().regimes, regime) == nullptr || space.asks(regime);
}

/// The product of sizes of a part, as Budget counts it.
double work_of(const properties::OperationDeclaration& declaration, const Dims& dims, const Part& part) {
  double work = 1;
  for (const auto& one : declaration.dimensions) {
    if (one.is_choice()) continue;
    const auto range = part.find(one.name);
    work *= range == part.end() ? static_cast<double>(properties::dim(dims, one.name))
                                : static_cast<double>(range->second.end - range->second.begin);
  }
  return work;
}

/// Of a file, a part from the beginning of rows and columns that has at most so much work. Nothing where it
/// cannot be cut so.
std::optional<Part> first_part(const properties::Operation& operation, const Dims& dims, double most) {
  const auto& declaration = operation.declaration();
  Part first;
  for (const auto& one : declaration.dimensions) {
    if (properties::can_cut(operation, dims, one) && properties::is_free(declaration, one.name))
      first[one.name] = {0, properties::extent(dims, one.name)};
  }
  while (work_of(declaration, dims, first) > most) {
    Part smaller = first;
    const auto longest = std::max_element(smaller.begin(), smaller.end(), [](const auto& a, const auto& b) {
      return a.second.end < b.second.end;
    });
    if (longest == smaller.end()) return std::nullopt;
    longest->second.end = (longest->second.end + 1) / 2;
    smaller = properties::widened(operation, dims, smaller);
    if (smaller == first) return std::nullopt;  // of one piece
    first = std::move(smaller);
  }
  std::erase_if(first,
                [&](const auto& one) { return one.second.end == properties::extent(dims, one.first); });
  return first;
}

/// Rows and columns of a file that can be run, each as large as `most` allows: the first and the last at the
/// corners of the outputs, with others between them. Nothing where it cannot be cut so.
std::vector<Part> parts_of(const properties::Operation& operation, const Dims& dims, double most) {
  const auto first = first_part(operation, dims, most);
  if (!first) return {};
  std::vector<Part> parts;
  for (std::size_t i = 0; i < kMostParts; ++i) {
    Part part = *first;
    for (auto& [dimension, range] : part) {
      const std::size_t all = properties::extent(dims, dimension), size = range.end;
      range.begin = (all - size) * i / (kMostParts - 1);
      range.end = range.begin + size;
    }
    part = properties::widened(operation, dims, part);
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(std::move(part));
  }
  return parts;
}

/// Files of which something is said: how many, and of the first what.
struct Files {
  std::size_t count = 0;
  std::string first = {};
  void add(const FileSummary& file, const std::string& what) {
    if (count++ == 0) first = fmt::format("{}: {}", file.path.string(), what);
  }
};

/// A file as a case, or where it is too large as some of its parts; none where these cannot be cut out.
std::vector<Case> cases_of(const KernelEntry& entry, const properties::Operation& operation,
                           const FileSummary& file, std::size_t index, std::uint64_t budget) {
  const double most = static_cast<double>(properties::Budget{}.longest) * static_cast<double>(budget);
  const Case whole{.operation = file.operation,
                   .dims = file.dims,
                   .regime = file.regime,
                   .knobs = {},
                   .seed = index,
                   .budget = budget,
                   .schedule = {},
                   .golden = file.path.string(),
                   .part = {}};
  if (work_of(operation.declaration(), file.dims, {}) <= most) return {whole};
  std::vector<Case> cases;
  for (Part& part : parts_of(operation, file.dims, most)) {
    Case one = whole;
    for (const auto& [dimension, range] : part)
      one.dims[dimension] = static_cast<std::int64_t>(range.end - range.begin);
    one.part = std::move(part);
    if (!entry.unmet_requirement(one.dims)) cases.push_back(std::move(one));
  }
  return cases;
}

std::string arithmetic_text(const Arithmetic& arithmetic) {
  return fmt::format("dequantize = {}, accumulate = {}", properties::name_of(arithmetic.dequantize),
                     properties::name_of(arithmetic.accumulate));
}

}  // namespace

GoldenSet read_golden_set(const std::string& directory) { return {directory, golden::read_set(directory)}; }

GoldenCases golden_cases(const KernelEntry& entry, const GoldenSet& set, std::uint64_t budget, Mode mode) {
  const auto& operation = properties::operation_of(entry);
  const auto traits = properties::traits_of(entry);
  const auto space = operation.cases(traits);
  GoldenCases golden;
  std::size_t files = 0;
  Files left_out, too_large, in_parts, of_other_arithmetic, planned;
  for (std::size_t i = 0; i < set.files.size(); ++i) {
    const FileSummary& file = set.files[i];
    if (file.operation != entry.operation) continue;
    ++files;
    if (const auto unmet = entry.unmet_requirement(file.dims)) {
      left_out.add(file, *unmet);
      continue;
    }
    if (!is_asked(operation, space, traits, file.regime)) {
      left_out.add(file, fmt::format("the kernel is not run on values of regime {}", file.regime));
      continue;
    }
    auto cases = cases_of(entry, operation, file, i, budget);
    if (cases.empty()) {
      too_large.add(file, "raise --budget");
      continue;
    }
    if (!cases.front().part.empty()) in_parts.add(file, fmt::format("{} parts of it are run", cases.size()));
    if (file.arithmetic != entry.arithmetic) of_other_arithmetic.add(file, arithmetic_text(file.arithmetic));
    const bool is_planned = properties::find_planned(operation.declaration(), file.regime) != nullptr;
    if (is_planned && numerics_of(mode) != Numerics::strict) {
      planned.add(file, "regime " + file.regime);
      continue;
    }
    golden.cases.insert(golden.cases.end(), cases.begin(), cases.end());
  }
  if (files == 0)
    throw std::invalid_argument(
        fmt::format("{} holds no file of operation {}", set.directory, entry.operation));
  if (too_large.count > 0)
    golden.unjudged = fmt::format("{} of {} files are too large to be run whole, and cannot be cut: {}",
                                  too_large.count, files, too_large.first);
  if (golden.cases.empty()) {
    throw std::invalid_argument(fmt::format("the kernel takes none of the {} files of operation {} in {}; {}",
                                            files, entry.operation, set.directory,
                                            left_out.count > 0    ? left_out.first
                                            : too_large.count > 0 ? golden.unjudged
                                                                  : planned.first));
  }
  const auto note = [&](const Files& some, const std::string& what) {
    if (some.count > 0) golden.notes.push_back(fmt::format("{} of {} files {}", some.count, files, what));
  };
  note(left_out, "were left out: " + left_out.first);
  if (!golden.unjudged.empty()) golden.notes.push_back(golden.unjudged);
  note(planned,
       fmt::format("have planned values ({}), which are run in strict arithmetic only", planned.first));
  note(in_parts, fmt::format("are too large to be run whole ({}); --budget runs more", in_parts.first));
  note(of_other_arithmetic,
       fmt::format("were made for other arithmetic ({}); where it matters, the reference "
                   "says what is right for this kernel",
                   of_other_arithmetic.first));
  return golden;
}

bool has_golden_cases(const KernelEntry& entry, const GoldenSet& set, std::uint64_t budget, Mode mode) {
  try {
    golden_cases(entry, set, budget, mode);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

Manifest with_golden_cases(Manifest manifest, const GoldenSet& set) {
  std::erase_if(manifest.entries, [&](const auto& one) {
    const auto* entry = std::get_if<KernelEntry>(&one);
    return entry != nullptr && !has_golden_cases(*entry, set);  // what is faulty is said to be elsewhere
  });
  const bool any = std::any_of(manifest.entries.begin(), manifest.entries.end(),
                               [](const auto& one) { return std::holds_alternative<KernelEntry>(one); });
  if (!any) {
    throw std::invalid_argument(
        fmt::format("{}: none of its kernels has a file in {}", manifest.file.string(), set.directory));
  }
  return manifest;
}

}  // namespace assay::run
