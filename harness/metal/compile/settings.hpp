// What a kernel is given besides its text, held against what the text has a use for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "harness/metal/compile/errors.hpp"

namespace assay::metal {

/// A field of device::KernelSource sets what the text has no use for: a slip of who wrote it.
class UnusedSetting : public CompileError {
 public:
  /// `field`: "function_constants.3", "include_dirs[0]".
  UnusedSetting(const std::string& file, std::string field, const std::string& why)
      : CompileError(file, 0, field + ": " + why), field_(std::move(field)), why_(why) {}
  const std::string& field() const { return field_; }
  const std::string& why() const { return why_; }

 private:
  std::string field_, why_;
};

/// Throws UnusedSetting unless the kernel uses each function constant that `source` sets. `constants`: the
/// indices of those that its text declares.
void refuse_unused_constants(const device::KernelSource& source, const std::vector<std::uint32_t>& constants);

/// Throws UnusedSetting unless the text includes a file from each of the include directories of `source`.
/// `files`: those that the preprocessed text comes from.
void refuse_unused_folders(const device::KernelSource& source, const std::vector<std::string>& files);

}  // namespace assay::metal
