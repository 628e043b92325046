// How far the work has come, on one line of a terminal.
#pragma once

#include <string>

namespace assay::cli {

/// Overwrites one line of a terminal; silent elsewhere.
class ProgressLine {
 public:
  void show(const std::string& text);
  void clear();

 private:
  bool shown_ = false;
};

}  // namespace assay::cli
