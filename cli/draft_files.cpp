#include "cli/draft_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "harness/device/text_folders.hpp"
#include "harness/draft/kernel_reader.hpp"
#include "harness/metal/compile/toolchain.hpp"
#include "harness/verify/replace_file.hpp"
#include "harness/verify/shown.hpp"

namespace assay::cli {

namespace fs = std::filesystem;

std::string choose_kernel(const device::KernelSource& source, const std::optional<std::string>& named) {
  const auto kernels = draft::kernels_of(source);
  const std::string file = source.path.string();
  if (kernels.empty()) throw std::invalid_argument(fmt::format("{}: the file has no kernel functions", file));
  if (!named) {
    if (kernels.size() == 1) return kernels.front();
    throw std::invalid_argument(
        fmt::format("{}: the file has {} kernels; name one of them after the file: {}", file, kernels.size(),
                    fmt::join(kernels, ", ")));
  }
  const auto is_named = [&](const std::string& kernel) {
    return kernel == *named || kernel.ends_with("::" + *named);  // in a namespace
  };
  const auto found = std::find_if(kernels.begin(), kernels.end(), is_named);
  if (found == kernels.end()) {
    throw std::invalid_argument(fmt::format("{}: there is no kernel function `{}`; there are {}", file,
                                            shown(*named), fmt::join(kernels, ", ")));
  }
  return *found;
}

void allow_told(const device::KernelSource& source) {
  device::allow_texts(device::project_around(source.path));
  for (const auto& folder : source.include_dirs) device::allow_texts(folder);
  for (const auto& file : source.text_prefix)
    device::allow_texts(file.has_parent_path() ? file.parent_path() : fs::path("."));
}

void write_new(const fs::path& file, const std::string& text, bool force) {
  std::error_code failed;
  if (!force && fs::exists(file, failed) && metal::content_of(file) != text)
    throw std::invalid_argument(
        fmt::format("{}: this file exists already; --force replaces it", file.string()));
  const std::array<std::string_view, 1> pieces = {text};
  replace_file(file, pieces);
}

}  // namespace assay::cli
