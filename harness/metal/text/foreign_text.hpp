// What a preprocessed text holds that no Metal text may: other people's files, names of the simulator's, and
// spellings that a compiler reads otherwise than this front end does.
#pragma once

#include <filesystem>
#include <string>

#include "assay/device/device.hpp"

namespace assay::metal {

/// Throws UnsupportedFeature, with the place, for a text that
/// - was put together from files outside the source's folder, `include_dirs` and `stdlib`, links resolved, or
///   says so in its `#line` directives: what the compiler and reports quote must be the kernel's;
/// - has directives or pragmas that speak to the host's compiler, or that are left for its second reading of
///   the text (a `#` that a macro wrote);
/// - names what is the simulator's (`assay_...`, hooks of the checker): a kernel could forge its position, or
///   switch the checks off;
/// - is spelled so that the compiler sees other tokens than this look does (raw strings, digraphs).
/// All of the text counts, also what no kernel uses: none of this is ever Metal.
void refuse_foreign_text(const std::string& preprocessed, const device::KernelSource& source,
                         const std::filesystem::path& stdlib);

}  // namespace assay::metal
