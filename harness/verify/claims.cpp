#include "harness/verify/claims.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "harness/verify/numbers.hpp"

namespace assay {
namespace {

using Subject = Counter::Subject;
using Per = Counter::Per;

constexpr Counter kCounters[] = {
    {"threads", Subject::kernel, Per::launch, "threads of a threadgroup"},
    {"threadgroup_bytes", Subject::kernel, Per::launch,
     "bytes of its variables in threadgroup memory and its [[threadgroup(i)]] arguments, without padding"},
    {"threadgroup_bytes", Subject::variable, Per::launch, "of these, the bytes of one variable"},
    {"occupancy", Subject::kernel, Per::launch,
     "threadgroups that a core of 32,768 bytes has room for: that size by `threadgroup_bytes`, rounded down"},
    {"threadgroups", Subject::kernel, Per::launch, "threadgroups of the launch"},
    {"threadgroup_barriers", Subject::kernel, Per::launch,
     "threadgroup barriers that the threads of a threadgroup meet at, from its first to its last "
     "instruction"},
    {"threadgroup_barriers_per_k_tile", Subject::kernel, Per::k_tile,
     "threadgroup barriers that the threads of a threadgroup meet at"},
    {"threadgroup_barriers_outside_k", Subject::kernel, Per::k_tile,
     "threadgroup barriers for each tile of the output, before and after its K tiles"},
    {"simdgroup_barriers_per_k_tile", Subject::kernel, Per::k_tile,
     "simdgroup barriers of the simdgroup that meets at most of them"},
    {"matrix_operations_per_k_tile", Subject::kernel, Per::k_tile,
     "8x8 multiply-accumulates of the simdgroup that does most"},
    {"threadgroup_matrix_operations_per_k_tile", Subject::kernel, Per::k_tile,
     "8x8 multiply-accumulates of all simdgroups"},
    {"threadgroup_matrix_operations", Subject::kernel, Per::launch,
     "8x8 multiply-accumulates of a threadgroup, on average, where the operation has no K"},
    {"threadgroup_matrix_loads", Subject::kernel, Per::launch,
     "`simdgroup_load`s of a threadgroup, on average, where the operation has no K"},
    {"matrix_loads_per_k_tile", Subject::kernel, Per::k_tile,
     "`simdgroup_load`s of the simdgroup that does most"},
    {"threadgroup_bytes_stored_per_k_tile", Subject::kernel, Per::k_tile,
     "bytes that threads store into threadgroup memory"},
    {"loads", Subject::tensor, Per::launch,
     "how often a threadgroup loads each byte of a tensor that it loads at all: each packed word of `B`"},
    {"bytes_per_transaction", Subject::tensor, Per::launch,
     "of each aligned 128 bytes that the lanes of a simdgroup touch together, the bytes that they ask for, "
     "on "
     "average, loads and stores alike"},
    {"loaders", Subject::tensor, Per::launch, "threads of a threadgroup that load from a tensor"},
    {"loaders_per_stream", Subject::tensor, Per::stream,
     "how many more of these each further interleaved stream takes"},
    {"bytes", Subject::tensor, Per::launch,
     "bytes of a tensor that a threadgroup loads, each counted once, on average over threadgroups"},
    {"loaded_bytes_per_batch_row", Subject::tensor, Per::batch_row,
     "bytes of a tensor that a threadgroup loads more, each as often as it is loaded, for each further row "
     "of "
     "a batch"},
    {"bytes_per_k_tile", Subject::tensor, Per::k_tile,
     "bytes of a tensor that a threadgroup loads, each counted once"},
    {"loaded_bytes_per_k_tile", Subject::tensor, Per::k_tile,
     "bytes of a tensor that a threadgroup loads, each as often as it is loaded"},
    {"reads", Subject::variable, Per::launch,
     "bytes loaded from a variable in threadgroup memory for each byte stored into it"},
    {"readers", Subject::variable, Per::launch,
     "threads that load from a variable; a matrix is loaded by all lanes"},
    {"writers", Subject::variable, Per::launch, "threads that store into a variable"},
};

constexpr std::string_view kOf = "_of_";

std::string name_text(const Counter& counter) {
  switch (counter.subject) {
    case Subject::tensor:
      return std::string(counter.name) + "_of_TENSOR";
    case Subject::variable:
      return std::string(counter.name) + "_of_VARIABLE";
    default:
      return std::string(counter.name);
  }
}

/// "loads_of_B" -> "loads", "B"; no subject where there is no "_of_".
std::pair<std::string_view, std::string_view> split(std::string_view name) {
  const auto at = name.find(kOf);
  if (at == std::string_view::npos) return {name, {}};
  return {name.substr(0, at), name.substr(at + kOf.size())};
}

/// The dimension that the two launches of a difference differ in.
std::string_view dimension_of(Per per) {
  return per == Per::stream ? "streams" : per == Per::batch_row ? "batch" : "K";
}

}  // namespace

std::string number_text(double value) {
  if (std::isinf(value)) return "unlimited";
  if (value == std::floor(value) && std::abs(value) < 1e15) {
    return (value < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(std::abs(value)));
  }
  return fmt::format("{:.6g}", value);
}

std::string to_text(const Figure& figure) {
  if (figure.low == figure.high) return number_text(figure.low);
  return fmt::format("{} to {}", number_text(figure.low), number_text(figure.high));
}

std::span<const Counter> counters() { return kCounters; }

const Counter* find_counter(std::string_view name) {
  const auto [stem, subject] = split(name);
  const bool has_subject = name.size() != stem.size();
  if (has_subject && subject.empty()) return nullptr;
  for (const Counter& counter : kCounters) {
    if (counter.name == stem && (counter.subject != Subject::kernel) == has_subject) return &counter;
  }
  return nullptr;
}

void check_claims(const KernelEntry& entry, const ArgumentNames& signature) {
  for (const auto& [name, unused] : entry.claims) {
    const std::string field = "claims." + name;
    const Counter* counter = find_counter(name);
    if (counter == nullptr) {
      std::vector<std::string> names;
      for (const Counter& one : kCounters) names.push_back(name_text(one));
      throw entry.error(field,
                        fmt::format("nothing of this name is counted; there are {}", fmt::join(names, ", ")));
    }
    const std::string tensor(split(name).second);
    if (counter->subject == Subject::tensor &&
        std::find(signature.tensors.begin(), signature.tensors.end(), tensor) == signature.tensors.end()) {
      throw entry.error(field, fmt::format("operation {} has no tensor {}; it has {}", entry.operation,
                                           tensor, fmt::join(signature.tensors, ", ")));
    }
    if (counter->per == Per::launch) continue;
    if (counter->per == Per::k_tile && !entry.tile)
      throw entry.error(field, "needs the field tile = { m = ..., n = ..., k = ... }");
    const std::string_view varied = dimension_of(counter->per);
    if (std::find(signature.scalars.begin(), signature.scalars.end(), varied) == signature.scalars.end()) {
      throw entry.error(field,
                        fmt::format("operation {} has no {}; leave the claim out", entry.operation, varied));
    }
  }
}

std::string ClaimResult::text() const {
  const std::string found =
      measured ? "measured: " + to_text(*measured) : std::string("the kernel has nothing of this name");
  return fmt::format("{} is claimed to be {}; {}", name, number_text(claimed), found);
}

std::vector<ClaimResult> compare_claims(const KernelEntry& entry, const Figures& figures) {
  std::vector<ClaimResult> results;
  for (const auto& [name, claimed] : entry.claims) {
    const auto measured = figures.find(name);
    results.push_back(
        {name, claimed, measured == figures.end() ? std::nullopt : std::optional(measured->second)});
  }
  return results;
}

}  // namespace assay
