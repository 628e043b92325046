// Writes what host code knows of its kernels, as constants of C++: `assay_kernel_tables kernels.toml OUT
// NAME...`. The manifest says it once.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "harness/verify/manifest.hpp"

namespace {

using assay::KernelEntry;

std::string description_of(const KernelEntry& entry) {
  std::string arguments;
  for (std::size_t i = 0; i < entry.arguments.size(); ++i) {
    const auto* named = std::get_if<assay::NamedArgument>(&entry.arguments[i]);
    if (named == nullptr) throw entry.error(fmt::format("arguments[{}]", i), "host code binds names only");
    arguments += (i == 0 ? "" : ", ") + named->name;
  }
  const auto& threads = entry.threads_per_threadgroup;
  if (threads.y != 1 || threads.z != 1) {
    throw entry.error("threads_per_threadgroup", "host code launches threads along x only");
  }
  const auto bytes = entry.claims.find("threadgroup_bytes");
  if (bytes == entry.claims.end()) throw entry.error("claims", "host code needs threadgroup_bytes");
  if (entry.source.stem() != entry.function) {
    throw entry.error("function", "host code finds the file by the name of the function");
  }
  const auto tile = entry.tile.value_or(assay::Tile{});
  std::string defines, text;
  for (const auto& [name, value] : entry.defines) defines += fmt::format("{{\"{}\", \"{}\"}}, ", name, value);
  if (!defines.empty()) {
    text = fmt::format("inline constexpr KernelDefine {}_defines[] = {{{}}};\n", entry.name, defines);
    defines = entry.name + "_defines";
  }
  return text + fmt::format(
                    "inline constexpr KernelArgument {0}_arguments[] = {{{1}}};\n"
                    "inline constexpr KernelDescription {0} = {{\"{0}\", {0}_arguments, {2}, {3}, {4}, {5}, "
                    "{6}, \"{7}\", {{{8}}}}};\n",
                    entry.name, arguments, tile.m, tile.n, bytes->second, threads.x, tile.k, entry.function,
                    defines);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) throw std::invalid_argument("usage: assay_kernel_tables MANIFEST OUT NAME...");
  const auto entries = assay::read_manifest(argv[1]);
  std::string text = fmt::format(
      "// Made of {}.\n#pragma once\n\n#include \"kernels/host/gemm_kernels.hpp\"\n\n"
      "namespace assay::host::tables {{\n\nusing enum KernelArgument;\n\n",
      std::filesystem::path(argv[1]).filename().string());
  for (int i = 3; i < argc; ++i) {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const auto& entry) { return entry.name == argv[i]; });
    if (found == entries.end())
      throw std::invalid_argument(fmt::format("{}: no kernel {}", argv[1], argv[i]));
    text += description_of(*found);
  }
  std::ofstream out(argv[2]);
  out << text << "\n}  // namespace assay::host::tables\n";
  if (!out.flush()) throw std::runtime_error(fmt::format("{}: cannot be written", argv[2]));
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
