// Functions of Apple's compiler that a text declares by their labels.
#pragma once

#include "harness/metal/token.hpp"

namespace assay::metal {

/// `thread Event* f(...) __asm("air.simdgroup_async_copy_1d.p3i8.p1i8");` and the other asynchronous copies
/// become `constexpr assay_msl::simdgroup_async_copy_1d f{};` (stdlib/metal/async_copy.h): the first of each
/// name, since the object takes what all of them do. Declarations of other functions may stay as long as
/// nobody calls them: the attribute `error` breaks the build of what does. Throws UnsupportedFeature for
/// inline assembly.
void replace_compiler_intrinsics(TokenText& text);

}  // namespace assay::metal
