// What `assay list` says of a manifest.
#pragma once

#include <string>
#include <vector>

#include "harness/verify/manifest.hpp"

namespace assay::run {

/// A row for each entry: kernel, operation, tile, source. A faulty one has its name and the operation
/// "faulty".
std::string list_text(const Manifest& manifest);

/// The names of the kernels that can be used, one a line.
std::string names_text(const Manifest& manifest);

/// What is wrong with the entries that cannot be used, a line each; nothing where all can.
std::vector<std::string> faults_of(const Manifest& manifest);

}  // namespace assay::run
