#include <fmt/format.h>

#include <array>
#include <memory>

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

int show() {
  const auto cache = metal::cache_directory();
  print("{}\n", cache.string());
  for (const auto& kind : metal::contents_of(cache).kinds) {
    if (kind.files == 0) continue;
    print("  {:<30} {:>8} {:<6} {:>10}\n", kind.name, kind.files, kind.files == 1 ? "file" : "files",
          size_text(kind.bytes));
  }
  return 0;
}

int clear() {
  metal::clear_cache(metal::cache_directory());
  return 0;
}

}  // namespace

void add_cache(CLI::App& app, Command& chosen) {
  auto* command =
      app.add_subcommand("cache", "Show what compiled kernels and the like take on disk, or clear it");
  command->callback([&chosen] {
    if (!chosen) chosen = show;
  });
  command->add_subcommand("clear", "Remove all of it but what a run that is going on uses")
      ->callback([&chosen] { chosen = clear; });
}

}  // namespace assay::cli
