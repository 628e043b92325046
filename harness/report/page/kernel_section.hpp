// One verified kernel: what became of it in each mode, and what that rests on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "harness/report/page/parts.hpp"
#include "harness/report/results.hpp"

namespace assay::report::page {

/// Where a kernel's mutants were counted.
struct MutationScore {
  std::size_t killed = 0, faulty = 0;  ///< faulty: other programs than the kernel, as far as is known
  std::string file;                    ///< the page with them
};

/// Open for a kernel that does not pass, folded for one that does. `index`: in the JSON report.
Html kernel_section(const KernelResult& kernel, std::size_t index, const std::optional<MutationScore>& score,
                    Ids& ids);

/// "kernel-3": what links to it name.
std::string anchor_of(std::size_t index);

/// The mode whose right results come nearest to what they may be off; nothing where no results were compared.
std::optional<std::size_t> mode_with_worst_error(const KernelResult& kernel);

}  // namespace assay::report::page
