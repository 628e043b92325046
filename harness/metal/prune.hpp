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

}  // namespace assay::metal
