// Where threads leave a kernel, so that a barrier that waits for them can say where they have gone. Clang's
// types stay within this folder.
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>

namespace assay::metal {

/// Has each `return;` of a kernel, and its end, note the line (stdlib/assay/leave.h).
std::unique_ptr<clang::ASTConsumer> leaving();

}  // namespace assay::metal
