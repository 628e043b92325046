// One file of a set: a problem, what is right for it, and where both come from.
//
// Metadata of a file, all strings:
//   source, format, program        "assay golden make", kFormat, the program's version
//   request, index, cases          what the set was asked to hold (set_request.hpp), which of its files
//                                  this is, and of how many
//   operation, case, notes         the case's line (properties/cases/case.hpp) and what its values are
//                                  good for
//   generator                      how values are drawn
//   dequantize, accumulate         the arithmetic that the right answers hold for
//   covers                         the tags that the case reaches (docs/coverage.md), one a line
//   bound.T, signed_zero.T         of each output T
//   content_hash                   content_hash.hpp
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "assay/problem.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/traits.hpp"

namespace assay::golden {

inline constexpr std::string_view kSource = "assay golden make";
inline constexpr std::string_view kFormat = "2";

using Metadata = std::map<std::string, std::string>;

/// Everything of a file but what is right.
struct CaseFile {
  properties::Case test_case;
  Problem problem;
  Arithmetic arithmetic;
  Metadata metadata;  ///< but for bound.T, signed_zero.T and content_hash
};

/// The version of the program, as `assay --version` has it.
std::string_view program_version();

/// Case number `index` of `cases`, with its problem.
CaseFile make_case(std::string_view request, const properties::Case& test_case, const Arithmetic& arithmetic,
                   std::uint64_t index, std::uint64_t cases);

/// Solves it in `workers` processes, a block at a time, and writes the file; `written` hears of bytes as they
/// are written. Whoever opens the file finds all of it. Throws FormatError, std::runtime_error with what the
/// reference says.
void write_case(const std::filesystem::path& path, const CaseFile& file, unsigned workers,
                const std::function<void(std::uint64_t bytes)>& written = {});

}  // namespace assay::golden
