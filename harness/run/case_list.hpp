// What a run would run, case by case, without running it.
#pragma once

#include <string>

#include "harness/run/verifier.hpp"

namespace assay::run {

/// "  23  gemm_fp4 M=33 N=65 ...  # 61 pairs of classes; K = 33", a line for each case of one mode in strict
/// arithmetic: its number, the case as replay lines have it, and what it is there for.
std::string case_list(const KernelEntry& entry, Mode mode, const VerifyOptions& options);

/// "    sizes     7,276 of 11,376 pairs of classes, ..." of the sizes that the run designs (size_design.hpp);
/// "" where none are.
std::string sizes_text(const KernelEntry& entry, const VerifyOptions& options);

}  // namespace assay::run
