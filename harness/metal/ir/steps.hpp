// Loops that count, so that a kernel can be stopped after so many rounds: the same place on any machine.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace assay::metal {

/// Makes every loop of the text take a step where its head is passed (harness/simulator/loop_steps.hpp).
/// Metal has no `goto` and no recursion: what does not end takes steps without end. Loops of the library,
/// which all end, and what the compiler computes take none.
void count_steps(llvm::Module& module, const std::string& library);

}  // namespace assay::metal
