// A share of a run: several machines do it together and need not talk to one another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

/// The most shards that a run is split into.
inline constexpr std::uint64_t kMostShards = 100'000;

/// Number `index`, from 1, of `of` shards. Units of work are numbered from 0 and dealt out in turn, so that
/// which shard does what follows from these two numbers alone.
struct Shard {
  std::uint64_t index = 1, of = 1;

  bool takes(std::uint64_t unit) const { return unit % of == index - 1; }
  bool whole() const { return of == 1; }
  bool operator==(const Shard&) const = default;
};

/// "2/3".
std::string to_text(const Shard& shard);

/// Inverse of to_text. Throws std::invalid_argument that says what a shard is, without a name before it.
Shard parse_shard(std::string_view text);

}  // namespace assay
