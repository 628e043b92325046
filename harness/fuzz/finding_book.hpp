// What fuzzing knows of kernels: findings taken in, counted, made smaller and asked for.
#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "harness/fuzz/findings_directory.hpp"
#include "harness/fuzz/known_causes.hpp"

namespace assay::fuzz {

/// Manifest, kernel and mode.
using TargetKey = std::tuple<std::string, std::string, std::string>;

class FindingBook {
 public:
  /// The directory must outlive it.
  explicit FindingBook(FindingsDirectory& directory) : directory_(directory) {}

  enum class News {
    none,   ///< known, of this text of the kernel
    fresh,  ///< known to nobody
    again,  ///< known of an earlier text
  };
  /// Takes in what a case was rejected for. Its file is written, or written anew where the case is smaller or
  /// the text another. Throws as FindingsDirectory::write().
  /// What is known keeps its name, which `found` gets.
  News take(KeptFinding& found);

  /// So many more cases of that cause.
  void count(const TargetKey& target, const std::string& cause, std::uint64_t cases);

  /// Smaller cases of a finding were tried, and `smallest` came of it; nothing: it did not show again.
  void shrunk(const KeptFinding& finding, const std::optional<KeptFinding>& smallest);

  /// Of that text of the kernel.
  KnownCauses known(const TargetKey& target, const std::string& text) const;
  bool known_to_hang(const TargetKey& target, const std::string& text) const;

 private:
  KeptFinding* find(const KeptFinding& finding);
  void replace(KeptFinding& known, const KeptFinding& by) const;

  FindingsDirectory& directory_;
};

}  // namespace assay::fuzz
