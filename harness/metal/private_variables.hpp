// Variables of a thread's own that are declared without a value: the checker can be told of them, and then
// knows which of their bytes have been written.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// `float sum, parts[4];`: two of them.
struct PrivateVariable {
  std::size_t name = 0;  ///< its token
  std::size_t end = 0;   ///< the ";" of its declaration
};

/// Those in the bodies of functions, in the order of the text. Pointers and references are none of them, nor
/// is what the head of a loop declares, and what is not understood.
std::vector<PrivateVariable> private_variables_of(const TokenText& text);

/// Makes each tell the checker where it lives, from its declaration to the end of its scope
/// (stdlib/metal/private_watch.h). To be among the last passes.
void watch_private_variables(TokenText& text, const std::vector<PrivateVariable>& variables);

}  // namespace assay::metal
