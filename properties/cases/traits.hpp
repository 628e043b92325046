// What the cases of a kernel depend on besides its operation.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "harness/verify/manifest.hpp"

namespace assay::properties {

struct KernelTraits {
  Tile tile;                                        ///< 0 where the kernel has none
  std::map<std::string, Requirement> requirements;  ///< by dimension
  Arithmetic arithmetic;
  std::optional<std::set<std::string>> arguments = {};  ///< names of what it is given; nothing: everything
  std::int64_t threads = 0;                             ///< of a threadgroup; 0 where that does not matter

  bool has(const std::string& argument) const { return !arguments || arguments->contains(argument); }
};

/// The traits of a manifest entry.
KernelTraits traits_of(const KernelEntry& kernel);

/// 2^-11 or 2^-24.
double unit_roundoff(Precision precision);

/// "half" or "float", as manifests and datasets write it.
std::string_view name_of(Precision precision);
/// Inverse of name_of; throws std::invalid_argument that lists both.
Precision precision_from_name(std::string_view name);

}  // namespace assay::properties
