// The texts of a MetalSource as files that the front end reads, and places in them as their author knows
// them.
#pragma once

#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/metal_kernel.hpp"
#include "harness/draft/kernel_reader.hpp"

namespace assay {

class MetalTexts {
 public:
  /// Texts that lie in no file are written to the cache, under a name that follows from what they hold.
  /// Throws std::invalid_argument for a source with no text, and metal::ToolchainError.
  enum class Function { one, any };
  explicit MetalTexts(const MetalSource& source, Function wanted = Function::one);

  /// With its function: that of the source, or the only one that there is. Throws std::invalid_argument that
  /// lists those that there are, and as metal::compile() does.
  const device::KernelSource& source() const { return source_; }

  /// Settles constants that are given by name. Throws std::invalid_argument for one that the text has not.
  void name_constants(const MetalSource& source, const std::vector<draft::FunctionConstant>& known);

  /// For reports to quote: of what a text is called, the lines are this one's from now on.
  void remember() const;

  /// A place in a text that was written to the cache becomes one in what the text is called.
  device::SourcePlace shown(device::SourcePlace place) const;
  void show(device::LaunchReport& report) const;
  /// The same of "file:line: words".
  std::string shown(std::string words) const;

 private:
  struct Written {
    std::string file, name, text;
    std::uint32_t first_line = 1;
  };
  std::filesystem::path write(const MetalText& text);
  void make_body(const MetalSource& source);

  device::KernelSource source_;
  std::vector<Written> written_;
};

}  // namespace assay
