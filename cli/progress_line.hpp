// How far the work has come, on one line of a terminal.
#pragma once

#include <string_view>

namespace assay::cli {

/// Overwrites one line of a terminal; silent elsewhere.
class ProgressLine {
 public:
  void show(std::string_view text);
  /// Whole lines in its place, at once where they belong; the line is gone until it is shown again.
  void print(std::string_view lines);

 private:
  bool shown_ = false;
};

}  // namespace assay::cli
