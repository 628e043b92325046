// What a command says while it works: lines that stay, and one that shows how far the work has come.
#pragma once

#include <chrono>
#include <string_view>

#include "cli/talk.hpp"
#include "harness/report/styled.hpp"

namespace assay::cli {

/// The line that shows how far the work has come is on standard error, where that is a terminal, and is gone
/// before other lines are printed. Those go to standard output.
class ProgressLine {
 public:
  explicit ProgressLine(Talk talk = Talk::normal) : talk_(talk) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows how far the work has come. Never where the command is quiet.
  void show(std::string_view text);
  /// Whether show() would show something now: some ten times a second.
  bool due() const;

  /// Takes it off the terminal, until it is shown again.
  void take_back();

  /// Whole lines, at once where they belong.
  void print(std::string_view lines);
  void print(const report::StyledText& lines);
  /// The same, but not where the command is quiet.
  template <class Text>
  void note(const Text& lines) {
    if (talk_ != Talk::quiet) print(lines);
  }
  /// The same, only where the command is verbose.
  void detail(std::string_view lines) {
    if (talk_ == Talk::verbose) print(lines);
  }

 private:
  Talk talk_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace assay::cli
