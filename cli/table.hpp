// The table of `assay verify`: a row per kernel as it finishes, and a progress line on a terminal.
#pragma once

#include <string>
#include <vector>

#include "cli/progress_line.hpp"
#include "harness/run/verifier.hpp"

namespace assay::cli {

class Table {
 public:
  Table(const std::vector<const KernelEntry*>& entries, const std::vector<run::Mode>& modes);

  void header() const;
  void row(const run::KernelReport& report);
  /// Overwrites the line before; nothing where standard output is no terminal.
  void progress(const std::string& text);
  /// Text as it is, on lines of its own.
  void print(const std::string& text);

 private:
  std::size_t name_width_ = 6, operation_width_ = 9;
  std::vector<run::Mode> modes_;  ///< of the simulator, with strict arithmetic: a column each
  std::size_t numerics_width_;    ///< of the column that says which arithmetic a kernel survives; 0: none
  ProgressLine line_;
};

}  // namespace assay::cli
