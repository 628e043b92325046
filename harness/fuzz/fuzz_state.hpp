// How far fuzzing has come: what the next run goes on from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/fuzz/kept_finding.hpp"

namespace assay::fuzz {

/// Cases that a kernel and mode run with one seed. Few: what starts a process costs as much as some ten
/// cases, and every kernel has its turn soon.
inline constexpr std::uint64_t kCasesOfRound = 20;

/// Where a kernel stands in one mode. Every round is a fresh seed.
struct Position {
  std::uint64_t round = 0;
  std::uint64_t done = 0;  ///< cases of the round; below kCasesOfRound

  auto operator<=>(const Position&) const = default;  // NOLINT(modernize-use-nullptr)
  void advance(std::uint64_t cases);
};

struct FuzzState {
  /// Of round 0; of the others, this and the number of the round.
  std::uint64_t seed = 0;
  std::uint64_t cases = 0;  ///< run so far
  /// By manifest, kernel and mode.
  std::map<std::tuple<std::string, std::string, std::string>, Position> positions;
  std::vector<KeptFinding> findings;  ///< in the order in which they were found
};

std::string to_text(const FuzzState& state);
/// Throws std::invalid_argument that says why the text is none.
FuzzState state_from_text(std::string_view text);

}  // namespace assay::fuzz
