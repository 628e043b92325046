// What the front end refuses, each with the place in the `.metal` text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace assay::metal {

/// Base: `what()` is one line "file:line: message"; `detail()` is all that the compiler said.
class SourceError : public std::runtime_error {
 public:
  SourceError(const std::string& file, std::uint32_t line, const std::string& message,
              std::string detail = {})
      : std::runtime_error(file + (line != 0 ? ":" + std::to_string(line) : "") + ": " + message),
        file_(file),
        line_(line),
        detail_(std::move(detail)) {}
  const std::string& file() const { return file_; }
  std::uint32_t line() const { return line_; }  ///< 0: unknown
  const std::string& detail() const { return detail_; }

 private:
  std::string file_;
  std::uint32_t line_ = 0;
  std::string detail_;
};

/// The text is not Metal: it does not preprocess, parse or compile.
class CompileError : public SourceError {
 public:
  using SourceError::SourceError;
};

/// The text is Metal, but uses something the simulator does not have.
class UnsupportedFeature : public SourceError {
 public:
  using SourceError::SourceError;
};

/// The machine lacks what the front end needs (no compiler, an unwritable cache).
class ToolchainError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace assay::metal
