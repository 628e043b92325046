// What clang says of a text, as data. Clang's types stay within this folder.
#pragma once

#include <clang/Basic/Diagnostic.h>

#include <string>
#include <vector>

#include "harness/metal/clang/conditionals.hpp"
#include "harness/metal/clang/kernels.hpp"
#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Keeps clang's errors, with those notes that say how it came to their places or why; attributes that C++
/// has no place for go to `left_out`, and conditionals of a bfloat to `mixed`, if there is one. `library`:
/// the folder of the stand-in headers. Clang owns it.
clang::DiagnosticConsumer* collector(std::vector<Diagnostic>& errors, const std::string& library,
                                     LeftOut& left_out, MixedConditionals* mixed = nullptr);

/// What is an error of Metal's and none of C++'s, and the reverse.
void set_severities(clang::DiagnosticsEngine& diagnostics);

}  // namespace assay::metal
