// Files under docs/ that a test makes: pages whose tables stand between marks, and data.
//
//   <!-- made by dispatch_test: rules -->
//   ...
//   <!-- end -->
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace assay::tests {

/// `page` with `table` between the marks of this program and name. Throws std::runtime_error where it has no
/// such marks.
std::string with_table(const std::string& page, std::string_view program, std::string_view name,
                       std::string_view table);

/// Writes `anew` to the file where the environment has ASSAY_WRITE_DOCS. Else compares: what to say of a file
/// that holds something else (its first line that differs, and the command that writes it), or nothing.
std::optional<std::string> stale(const std::filesystem::path& file, const std::string& anew,
                                 std::string_view program);

}  // namespace assay::tests
