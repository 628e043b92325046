// From texts to shared objects, by way of the disk.
#pragma once

#include <string>
#include <vector>

#include "harness/metal/clang/reader.hpp"
#include "harness/metal/ir/compile.hpp"

namespace assay::metal {

/// Errors as they are printed, a line each:
///   FILE:LINE:COLUMN: required from here
///   FILE:LINE:COLUMN: error: MESSAGE
std::string words_of(const std::vector<Diagnostic>& errors);

/// What code is made for, in LLVM's words.
struct Processor {
  std::string triple, name;
  std::vector<std::string> features;  ///< "+avx2", "-avx512fp16"
};

/// Compiles each of `files`, read as `how_to_read` says, to a shared object FILE.so, or writes what is wrong
/// with it to FILE.err. Several are compiled by a process each: one that ends the compiler leaves neither,
/// and the others are not affected. False where any has no object.
bool compile_objects(const ReadRequest& how_to_read, const CompileRequest& how, const Processor& processor,
                     const std::vector<std::string>& files);

}  // namespace assay::metal
