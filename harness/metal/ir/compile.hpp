// From the IR of a kernel to its object.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string>
#include <vector>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

struct CompileRequest {
  bool checked = false;  ///< accesses and what is undefined call the checker
  std::string library;   ///< the folder of the stand-in headers
};

/// Runs the passes of this folder and LLVM's over the module, and gives the bytes of an object that is not
/// linked yet. "" where something is refused, which then is in `errors`.
std::string compile_module(llvm::Module& module, llvm::TargetMachine& machine, const CompileRequest& request,
                           std::vector<Diagnostic>& errors);

/// What makes code for that processor, as LLVM names it and its features; null where this LLVM cannot.
std::unique_ptr<llvm::TargetMachine> machine_for(const std::string& cpu,
                                                 const std::vector<std::string>& features);

}  // namespace assay::metal
