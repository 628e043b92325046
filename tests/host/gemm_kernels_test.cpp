// What the host knows of its kernels against what the manifests say.
#include "kernels/host/gemm_kernels.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/verify/manifest.hpp"

namespace assay::host {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(ASSAY_SOURCE_DIR) / "kernels";

std::vector<KernelEntry> entries() { return assay::read_manifest(kFolder / "kernels.toml"); }

std::vector<const KernelDescription*> descriptions() {
  std::vector<const KernelDescription*> all = {&zero_reduction_kernel()};
  for (const auto format : {WeightFormat::fp4, WeightFormat::u4, WeightFormat::s4}) {
    for (const auto role : kKernelRoles) {
      if (const auto* kernel = find_kernel(format, role)) all.push_back(kernel);
    }
  }
  return all;
}

TEST(GemmKernels, AgreeWithTheManifests) {
  const auto manifest = entries();
  EXPECT_EQ(descriptions().size(), 10u);
  for (const KernelDescription* kernel : descriptions()) {
    const KernelEntry* entry = nullptr;
    for (const auto& candidate : manifest) {
      if (candidate.name == kernel->name) entry = &candidate;
    }
    ASSERT_NE(entry, nullptr) << kernel->name;
    const auto source = source_of(*kernel, kFolder);
    EXPECT_TRUE(std::filesystem::equivalent(source.path, entry->source)) << kernel->name;
    EXPECT_EQ(source.function, entry->function);
    EXPECT_EQ(source.defines, entry->defines) << kernel->name;
    EXPECT_TRUE(entry->include_dirs.empty() && entry->function_constants.empty());
    EXPECT_TRUE(entry->threadgroup_memory.empty());
    EXPECT_EQ(entry->threads_per_threadgroup, (device::Size3{kernel->threads_per_threadgroup, 1, 1}));
    EXPECT_EQ(entry->claims.at("threadgroup_bytes"), static_cast<double>(kernel->threadgroup_bytes))
        << kernel->name;
    // What only clears buffers has no tile of its own; its entry names that of the product, for the cases.
    if (entry->tile && kernel->tile_m != 0) {
      EXPECT_EQ(entry->tile->m, kernel->tile_m) << kernel->name;
      EXPECT_EQ(entry->tile->n, kernel->tile_n) << kernel->name;
      EXPECT_EQ(entry->tile->k, kernel->tile_k) << kernel->name;
    }
    ASSERT_EQ(entry->arguments.size(), kernel->arguments.size()) << kernel->name;
    for (std::size_t i = 0; i < kernel->arguments.size(); ++i) {
      EXPECT_EQ(std::get<NamedArgument>(entry->arguments[i]).name, name_of(kernel->arguments[i]))
          << kernel->name << " argument " << i;
    }
  }
}

}  // namespace
}  // namespace assay::host
