// What clang says of a text, as data. Clang's types stay within this folder.
#pragma once

#include <clang/Basic/Diagnostic.h>

#include <string>
#include <vector>

#include "harness/metal/clang/edits.hpp"
#include "harness/metal/clang/kernels.hpp"
#include "harness/metal/clang/overloads.hpp"
#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// What clang has said of a text, and what we have.
struct Complaints {
  std::vector<Diagnostic> errors;      ///< with those notes that say how clang came to their places, or why
  std::vector<Redeclared> redeclared;  ///< which of them may be none
  bool unassigned = false;             ///< has something no assignment, for what its members are?
  bool ambiguous = false;              ///< can it not choose between two of something?
  LeftOut left_out;                    ///< attributes that C++ has no place for
  Edits edits;                         ///< what is to be read otherwise
};

/// Keeps what clang says. `library`: the folder of the stand-in headers. Clang owns it.
clang::DiagnosticConsumer* collector(Complaints& complaints, const std::string& library);

/// What is an error of Metal's and none of C++'s, and the reverse.
void set_severities(clang::DiagnosticsEngine& diagnostics);

}  // namespace assay::metal
