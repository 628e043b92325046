// States of a stream on either side of each bound that a decoder may ask about, in mid-stream: the planned
// regime "states".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

inline constexpr const char* kStates = "states";
PlannedRegime rans_states_regime();

/// A state that decoders come to, with symbols remaining.
struct StateInMidStream {
  const char* words;
  std::uint32_t state;
  bool behind_bytes;  ///< with the bytes that bring it back to 2^23; otherwise ahead of them
  std::vector<std::uint8_t> last_symbols;  ///< that lead from it to the end of the stream, the last one first
};

const std::vector<StateInMidStream>& states_in_mid_stream();

/// Where the case has that regime: the frequencies of all tiles, and the last symbols of each stream of a
/// tile for each state that it shows. Other symbols stay.
void lead_to_states(const Case& test_case, std::span<std::uint8_t> symbols);
std::vector<std::uint16_t> frequencies_for_states(std::size_t tiles);

}  // namespace assay::properties
