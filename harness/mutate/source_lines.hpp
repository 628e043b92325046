// A mutation as its author would see it: lines of the `.metal` text before and after.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/mutate/mutation.hpp"

namespace assay::mutate {

/// The lines that a mutation changes, as they stand in the file; macros of the file stay, but for those whose
/// expansion holds the fault, which the expansion replaces.
struct ChangedLines {
  std::string file;
  std::uint32_t line = 0;  ///< the first of them
  std::vector<std::string> before, after;

  /// "file:line", then the lines with "-" and "+".
  std::string diff() const;
};

/// Reads the files of the text once each.
class SourceLines {
 public:
  explicit SourceLines(const metal::TokenText& text);
  ChangedLines of(const Mutation& mutation);

 private:
  const std::vector<std::string>& lines_of(std::uint32_t file);

  const metal::TokenText& text_;
  std::map<std::uint32_t, std::vector<std::string>> files_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> tokens_;  // by file and line
};

}  // namespace assay::mutate
