// Functions of Apple's compiler that a text declares by their labels. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>

#include "harness/metal/clang/edits.hpp"

namespace assay::metal {

/// `thread Event* f(...) __asm("air.simdgroup_async_copy_1d.p3i8.p1i8");` and the other asynchronous copies
/// become `constexpr assay_msl::simdgroup_async_copy_1d f{};` (stdlib/metal/async_copy.h): the first of each
/// name, since the object takes what all of them do. Of others the declaration may stay as long as nobody
/// calls them.
std::unique_ptr<clang::ASTConsumer> apple_functions(Edits& edits);

}  // namespace assay::metal
