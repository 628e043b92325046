// The checked list of mutants that no input can tell from their kernel, with the reason.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/mutate/source_lines.hpp"

namespace assay::mutate {

/// One entry: these lines, so changed, are the same program, because ...
struct Equivalent {
  std::vector<std::string> kernels;  ///< by name; empty: every kernel
  std::string file;                  ///< relative to the list
  std::string line;                  ///< the text of the line, or of the first of several
  std::vector<std::string> becomes;  ///< what a mutant makes of it; "" where nothing is left of it
  std::string reason;
  std::uint32_t at = 0;  ///< line of the list, for messages
};

class Equivalents {
 public:
  /// An empty list where there is no such file and it was not asked for. Throws ManifestError that
  /// names file, line and field.
  static Equivalents read(const std::filesystem::path& file);

  /// The list that is asked for, or else equivalent.toml beside the manifest (run::manifest_path). Throws
  /// std::runtime_error that names the option where the one asked for is no file, and what read() throws.
  static Equivalents choose(const std::optional<std::string>& asked,
                            const std::optional<std::string>& manifest);

  /// Whether an entry speaks of this mutant.
  bool knows(const std::string& kernel, const mutate::ChangedLines& changed) const {
    return find(kernel, changed).has_value();
  }

  /// The reason that explains a mutant, or nullptr; the entry counts as used.
  const std::string* explain(const std::string& kernel, const mutate::ChangedLines& changed);

  /// What no mutant has used: "file:line: ...", one a line.
  std::vector<std::string> stale() const;

 private:
  struct Place {
    std::size_t entry = 0, becomes = 0;
  };
  std::optional<Place> find(const std::string& kernel, const mutate::ChangedLines& changed) const;

  std::filesystem::path file_;
  std::vector<Equivalent> entries_;
  std::vector<std::vector<bool>> used_;  // by entry and by element of `becomes`
};

}  // namespace assay::mutate
