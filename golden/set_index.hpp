// The index of a set: which files it has, what each is and what its bytes hash to.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::golden {

/// "NAME.index.json".
std::string index_name(const std::string& set);
/// The set in such a name; "" for any other.
std::string set_of_index(const std::string& name);

/// The index of a set whose files these are, in their order; their headers are read. JSON, one file a line.
/// Throws FormatError.
std::string index_text(const std::string& set, const std::vector<std::filesystem::path>& files);

}  // namespace assay::golden
