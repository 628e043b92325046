#include <fmt/format.h>

#include <array>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/metal/cache.hpp"
#include "harness/metal/toolchain.hpp"

namespace assay::cli {
namespace {

std::string size_text(std::uintmax_t bytes) {
  constexpr std::array kUnits = {"bytes", "kB", "MB", "GB", "TB"};
  double size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return unit == 0 ? fmt::format("{} {}", bytes, kUnits[0]) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

}  // namespace

int run_command(const CacheArguments& arguments) {
  const auto cache = metal::cache_directory();
  if (arguments.clear) {
    metal::clear_cache(cache);
    return 0;
  }
  print("{}\n", cache.string());
  for (const auto& kind : metal::contents_of(cache).kinds) {
    if (kind.files == 0) continue;
    print("  {:<30} {:>8} {:<6} {:>10}\n", kind.name, kind.files, kind.files == 1 ? "file" : "files",
          size_text(kind.bytes));
  }
  return 0;
}

}  // namespace assay::cli
