#include "harness/verify/shard.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "harness/verify/numbers.hpp"
#include "harness/verify/shown.hpp"

namespace assay {
namespace {

// 0 where the text is no number from 1 to kMostShards.
std::uint64_t number(std::string_view text) {
  const std::uint64_t value = whole_number_in(text).value_or(0);
  return value <= kMostShards ? value : 0;
}

}  // namespace

std::string to_text(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.of); }

Shard parse_shard(std::string_view text) {
  const auto slash = text.find('/');
  const auto of = slash == text.npos ? 0 : number(text.substr(slash + 1));
  const auto index = number(text.substr(0, slash));
  if (index == 0 || of == 0 || index > of) {
    throw std::invalid_argument(
        fmt::format("`{}` is not a shard; write I/N, e.g. 2/3 for the second of three, N at most {}",
                    shown(text), kMostShards));
  }
  return {index, of};
}

}  // namespace assay
