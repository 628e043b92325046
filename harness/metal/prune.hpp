// Drops what a kernel does not use, so that one kernel compiles quickly and out of any file.
#pragma once

#include <optional>
#include <vector>

#include "harness/metal/declaration.hpp"

namespace assay::metal {

/// Which declarations stay: the one numbered `kernel`, whatever has a name that something which stays
/// mentions (or `instantiation` does, the explicit instantiation that was asked for), and those whose names
/// are not known (operators, static_assert, `using namespace`). Explicit instantiations go. A function can be
/// called by its name only, so nothing that is needed is dropped.
std::vector<bool> reachable(const TokenText& text, const std::vector<Declaration>& declarations,
                            std::size_t kernel, std::optional<std::size_t> instantiation);

/// Drops the others, from the text and from the list, and numbers the tokens of those that stay anew. What is
/// left of others that stand in a row is one token, of white space and line markers: every pass from there on
/// costs as much as the text that stays, however long the file is.
void keep_only(TokenText& text, std::vector<Declaration>& declarations, const std::vector<bool>& stays);

}  // namespace assay::metal
