// From the IR of a kernel to its object.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string>
#include <vector>

#include "harness/metal/clang/reader.hpp"
#include "harness/metal/ir/arithmetic.hpp"

namespace assay::metal {

/// What is made of a text.
enum class CodeKind {
  fast,       ///< a kernel, optimised
  checked,    ///< a kernel: accesses and what is undefined call the checker
  watched,    ///< and variables of a thread's own that begin without a value do
  reference,  ///< C++ that says what is right: nothing of the passes of this folder
};

struct CompileRequest {
  CodeKind kind = CodeKind::fast;
  Arithmetic arithmetic = Arithmetic::strict;
  bool count_steps = false;  ///< of loops (steps.hpp)
  bool quick = false;        ///< optimised no more than a program needs that runs for a moment
  bool compared = false;     ///< calls are inlined, so that texts of one program have one code
  bool unrolled = false;     ///< loops are unrolled, so that more have
  bool places = true;        ///< false: the code is the same wherever its text lies, and tells no places
  std::string library;       ///< the folder of the stand-in headers
};

/// Runs the passes of this folder and LLVM's over the module, and gives the bytes of an object that is not
/// linked yet. "" where something is refused, which then is in `errors`.
std::string compile_module(llvm::Module& module, llvm::TargetMachine& machine, const CompileRequest& request,
                           std::vector<Diagnostic>& errors);

/// What makes code for that processor, as LLVM names it and its features; null where this LLVM cannot.
std::unique_ptr<llvm::TargetMachine> machine_for(const std::string& triple, const std::string& cpu,
                                                 const std::vector<std::string>& features);

}  // namespace assay::metal
