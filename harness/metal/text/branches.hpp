// The conditions of a kernel, made to note what they were: which branches a run takes.
//
// Knows nothing of how a kernel is run; the notes are the simulator's (harness/simulator/branches.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/metal/text/outline.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::metal {

/// What an `if`, `while` or `for` asks, or what stands ahead of a `?`.
struct Condition {
  std::string file;
  std::uint32_t line = 0;
  std::string text;  ///< behind the preprocessor
};

struct Instrumented {
  std::string text;                   ///< every line keeps its number
  std::vector<Condition> conditions;  ///< condition n notes what it was as number n
};

/// Every condition of the live tokens (see metal::live_tokens), in the order of the text. Left out are those
/// that are no question to a run: of `if constexpr`, without a name in them, or that declare a variable.
Instrumented instrument(const TokenText& text, const std::vector<bool>& live, const Syntax& syntax);

}  // namespace assay::metal
