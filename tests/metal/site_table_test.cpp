// Records of places in an object: read as they were written, and none where they are damaged.
#include "harness/metal/module/site_table.hpp"

#include <gmock/gmock.h>

#include "harness/metal/compile/toolchain.hpp"
#include "harness/metal/module/module.hpp"

namespace assay::metal {
namespace {

TEST(SiteTable, KnowsNothingOfWhatIsNoObjectOrIsCutShort) {
  EXPECT_EQ(SiteTable("").lines_at(0), std::nullopt);
  EXPECT_EQ(SiteTable(std::string(4096, '\x7F')).lines_at(16), std::nullopt);
  std::string program = content_of("/proc/self/exe");
  ASSERT_GT(program.size(), 4096u);
  for (std::size_t size = 1; size < program.size(); size *= 3)
    EXPECT_EQ(SiteTable(program.substr(0, size)).lines_at(size), std::nullopt) << size;
  EXPECT_EQ(SiteTable(program).lines_at(4096), std::nullopt) << "it has no such records";
}

}  // namespace
}  // namespace assay::metal
