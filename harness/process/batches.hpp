// Pieces of work, several to a process, that survive the death of any of them.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/process/child.hpp"
#include "harness/process/slots.hpp"

namespace assay::process {

/// Numbers of pieces that share a process, and so the start of a compiler.
using Batch = std::vector<std::size_t>;

/// Runs the pieces in batches of `size`, each while it has a slot. `work` runs in a child and sends one
/// message with the field "index" for each piece; `take` gets these. A process that dies leaves the rest of
/// its batch to be done one by one. Throws std::runtime_error where a piece takes its process down alone.
void run_in_batches(const Slots& slots, const std::vector<std::size_t>& pieces, std::size_t size,
                    const std::function<void(const Batch&, const Reporter&)>& work,
                    const std::function<void(const nlohmann::json&)>& take);

}  // namespace assay::process
