// Which loop a kernel was in that did not end, from the lines where it was seen.
#include "harness/metal/loop_place.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/device/source_text.hpp"

namespace assay::metal {
namespace {

class LoopPlace : public testing::Test {
 protected:
  LoopPlace() : file_(std::filesystem::temp_directory_path() / ("assay-loops-" + std::to_string(getpid()))) {
    std::ofstream(file_) << "kernel void k() {\n"              // 1
                            "  for (;;) {\n"                   // 2
                            "    a = b;\n"                     // 3
                            "    while (a < 8)\n"              // 4
                            "      a += 1;\n"                  // 5
                            "    do {\n"                       // 6
                            "      if (a) b = 1; else ++b;\n"  // 7
                            "    } while (b < 7);\n"           // 8
                            "  }\n"                            // 9
                            "  c = 1;\n}\n";                   // 10
    device::remember_source(file_);
  }
  ~LoopPlace() override { std::filesystem::remove(file_); }

  std::uint32_t line_of(const std::vector<std::uint32_t>& seen) const {
    std::vector<Look> looks;
    for (const std::uint32_t line : seen) looks.push_back({{file_.string(), line}});
    return place_of_loop(looks).line;
  }

  std::filesystem::path file_;
};

TEST_F(LoopPlace, IsTheHeadOfTheInnermostThatHoldsAll) {
  EXPECT_EQ(line_of({5, 5, 5}), 4u);
  EXPECT_EQ(line_of({7, 8, 7}), 6u);
  EXPECT_EQ(line_of({5, 7, 5}), 2u) << "the loop around both";
  EXPECT_EQ(line_of({3, 5, 5, 5}), 2u);
  EXPECT_EQ(line_of({2}), 2u);
}

TEST_F(LoopPlace, MayHaveBeenLeftForOneLook) {
  std::vector<std::uint32_t> seen(20, 5);
  seen.push_back(10);
  EXPECT_EQ(line_of(seen), 4u);
}

TEST_F(LoopPlace, IsNotSaidWhereNoLoopIs) {
  EXPECT_EQ(line_of({10, 10, 1}), 0u);
  EXPECT_EQ(line_of({}), 0u);
  EXPECT_EQ(place_of_loop(std::vector<Look>{{{"nobody.metal", 7}}}).line, 0u);
}

// What a loop calls is somewhere else; it is the loop that does not end.
TEST_F(LoopPlace, HoldsWhatIsCalledInIt) {
  const std::string file = file_.string();
  const std::vector<Look> looks = {{{"helper.h", 3}, {file, 5}}, {{file, 4}}, {{"helper.h", 9}, {file, 5}}};
  EXPECT_EQ(place_of_loop(looks), (device::SourcePlace{file, 4}));
}

}  // namespace
}  // namespace assay::metal
