// What `assay repair` says of a kernel.
#pragma once

#include <cstdint>
#include <string>

#include "harness/mutate/repair_run.hpp"

namespace assay::mutate {

/// How the kernel of that name is rejected, and each change that lets it pass as a diff, or that none does;
/// one line where it passes. `cases`: RepairOptions::cases of the search.
std::string repair_text(const std::string& name, const Repairs& repairs, std::uint64_t cases);

}  // namespace assay::mutate
