#include "harness/report/shard_choice.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "harness/verify/numbers.hpp"
#include "harness/verify/shown.hpp"

namespace assay::report {
namespace {

constexpr const char* kInstead = "or say --shard I/N (1/1 for all)";

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument(fmt::format("{}, {}", what, kInstead));
}

std::uint64_t number(const char* name, const std::string& text) {
  const auto value = whole_number_in(text);
  if (!value) refuse(fmt::format("{}: `{}` is not a whole number; correct it", name, shown(text)));
  return *value;
}

std::optional<std::uint64_t> number_of(const Environment& of, const char* name) {
  const auto text = of(name);
  return text ? std::optional(number(name, *text)) : std::nullopt;
}

// `index` from 0.
ShardChoice choice(const char* index_name, std::uint64_t index, const char* of_name, std::uint64_t of) {
  if (of == 0 || of > kMostShards)
    refuse(fmt::format("{}: {} is not from 1 to {}; correct it", of_name, of, kMostShards));
  if (index >= of)
    refuse(fmt::format("{} names a shard beyond the {} of {}; correct one of them", index_name, of, of_name));
  return {{index + 1, of}, index_name};
}

// Both or none, from 0.
std::optional<ShardChoice> pair_of(const Environment& of, const char* index_name, const char* of_name) {
  const auto index = number_of(of, index_name), count = number_of(of, of_name);
  if (!index && !count) return std::nullopt;
  if (!index) refuse(fmt::format("{} is set and {} is not; set both", of_name, index_name));
  if (!count) refuse(fmt::format("{} is set and {} is not; set both", index_name, of_name));
  return choice(index_name, *index, of_name, *count);
}

// Task numbers of an array begin where its author likes, and may have steps.
std::optional<ShardChoice> slurm(const Environment& of) {
  constexpr const char *kId = "SLURM_ARRAY_TASK_ID", *kCount = "SLURM_ARRAY_TASK_COUNT",
                       *kMin = "SLURM_ARRAY_TASK_MIN", *kMax = "SLURM_ARRAY_TASK_MAX",
                       *kStep = "SLURM_ARRAY_TASK_STEP";
  const auto id = number_of(of, kId), count = number_of(of, kCount), min = number_of(of, kMin);
  if (!id && !count && !min) return std::nullopt;
  for (const auto& [name, value] : {std::pair{kId, id}, {kCount, count}, {kMin, min}}) {
    if (!value)
      refuse(
          fmt::format("{}, {} and {} belong together, but {} is not set; set it", kId, kCount, kMin, name));
  }
  const auto step = number_of(of, kStep).value_or(1);
  const auto max = number_of(of, kMax);
  const bool even = step > 0 && *id >= *min && (*id - *min) % step == 0 &&
                    (!max || (*max >= *min && (*max - *min) / step + 1 == *count));
  if (!even)
    refuse(fmt::format(
        "{} {} does not belong to an array of {} tasks from {} in even steps; submit --array=1-{}", kId, *id,
        *count, *min, *count));
  return choice(kId, (*id - *min) / step, kCount, *count);
}

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

std::string ShardChoice::note() const {
  return from.empty() ? ""
                      : fmt::format("this is shard {}, as {} says; the other shards run elsewhere\n",
                                    to_text(shard), from);
}

ShardChoice choose_shard(const std::optional<std::string>& asked, const Environment& of) {
  if (asked) return {parse_shard(*asked), ""};
  ShardChoice chosen;
  for (const auto& one : {pair_of(of, "GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS"), slurm(of),
                          pair_of(of, "JOB_COMPLETION_INDEX", "ASSAY_SHARDS")}) {
    if (!one) continue;
    if (!chosen.from.empty() && one->shard != chosen.shard) {
      refuse(fmt::format("{} says shard {}, {} says {}; unset one", chosen.from, to_text(chosen.shard),
                         one->from, to_text(one->shard)));
    }
    if (chosen.from.empty()) chosen = *one;
  }
  return chosen;
}

}  // namespace assay::report
