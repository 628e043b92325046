// What is said of a manifest's entries, of those that cannot be used too.
#include "harness/run/list_text.hpp"

#include <gmock/gmock.h>

namespace assay::run {
namespace {

Manifest manifest() {
  KernelEntry entry;
  entry.name = "tiled";
  entry.operation = "gemm_fp4";
  entry.tile = Tile{8, 16, 32};
  entry.source = "k.metal";
  KernelEntry other = entry;
  other.name = "plain";
  other.tile.reset();
  const ManifestError error("m.toml", 3, "grid", "has 2 sizes");
  return {"m.toml", {entry, FaultyEntry{"broken", error}, FaultyEntry{"", error}, other}};
}

TEST(ListText, IsARowForEachEntry) {
  EXPECT_EQ(list_text(manifest()),
            "kernel  operation  tile (m n k)    source\n"
            "tiled   gemm_fp4   8 16 32         k.metal\n"
            "broken  faulty     -               -\n"
            "-       faulty     -               -\n"
            "plain   gemm_fp4   -               k.metal\n");
}

TEST(ListText, NamesAreThoseOfUsableEntries) { EXPECT_EQ(names_text(manifest()), "tiled\nplain\n"); }

TEST(ListText, FaultsAreThoseOfTheOthers) {
  const auto faults = faults_of(manifest());
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_THAT(faults[0], testing::HasSubstr("has 2 sizes"));
}

}  // namespace
}  // namespace assay::run
