// The text of a kernel while people work on it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "harness/verify/manifest.hpp"

namespace assay::fuzz {

/// Hash of a kernel's text and of what it includes.
class KernelText {
 public:
  /// The entry must outlive it.
  explicit KernelText(const KernelEntry& entry);

  /// When it was read last. A kernel that cannot be preprocessed has that of its own file.
  const std::string& hash() const { return hash_; }

  /// Reads it again if one of the files was written to.
  void refresh();

 private:
  using Stamp = std::pair<std::filesystem::file_time_type, std::uintmax_t>;
  static Stamp stamp_of(const std::filesystem::path& file);
  void read();

  const KernelEntry& entry_;
  std::map<std::filesystem::path, Stamp> files_;
  std::string hash_;
};

}  // namespace assay::fuzz
