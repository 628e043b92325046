// Which loop a kernel was in that did not end, from the lines where it was seen.
#include "harness/metal/module/loop_place.hpp"

#include <gmock/gmock.h>

#include "harness/metal/module/module.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

class LoopPlace : public testing::Test {
 protected:
  LoopPlace()
      : file_(directory_.write("loops.metal",
                               "#include <metal_stdlib>\nusing namespace metal;\n"                       // 2
                               "#define TWICE for (int i = 0; i < 2; ++i)\n"                             // 3
                               "kernel void k(device int& a [[buffer(0)]],\n"                            // 4
                               "              device atomic_int* b [[buffer(1)]]) {\n"                   // 5
                               "  for (;;) {\n"                                                          // 6
                               "    a = 1;\n"                                                            // 7
                               "    while (a < 8)\n"                                                     // 8
                               "      a += int(1.5f);\n"                                                 // 9
                               "    do {\n"                                                              // 10
                               "      if (a) a = 1; else ++a;\n"                                         // 11
                               "    } while (atomic_load_explicit(b, memory_order_relaxed) < 7 &&\n"     // 12
                               "             atomic_fetch_add_explicit(b, 1, memory_order_relaxed));\n"  // 13
                               "    TWICE\n"                                                             // 14
                               "      a = max(a, min(a, 2));\n"                                          // 15
                               "  }\n}\n")),                                                             // 17
        module_(compile(KernelRun(file_, "k").source(), Flavour::fast)),
        loops_(loops_of_loaded()) {}

  std::uint32_t line_of(const std::vector<std::uint32_t>& seen) const {
    std::vector<Look> looks;
    for (const std::uint32_t line : seen) looks.push_back({{file_.string(), line}});
    return place_of_loop(loops_, looks).line;
  }

  TemporaryDirectory directory_;
  std::filesystem::path file_;
  std::shared_ptr<const KernelModule> module_;
  std::vector<TextLoop> loops_;
};

TEST_F(LoopPlace, IsTheHeadOfTheInnermostThatHoldsAll) {
  EXPECT_EQ(line_of({9, 9, 9}), 8u);
  EXPECT_EQ(line_of({11, 12, 11}), 10u);
  EXPECT_EQ(line_of({9, 11, 9}), 6u) << "the loop around both";
  EXPECT_EQ(line_of({7, 9, 9, 9}), 6u);
  EXPECT_EQ(line_of({6}), 6u);
  EXPECT_EQ(line_of({15}), 14u) << "a loop that a macro writes";
}

TEST_F(LoopPlace, MayHaveBeenLeftForOneLook) {
  std::vector<std::uint32_t> seen(20, 9);
  seen.push_back(17);
  EXPECT_EQ(line_of(seen), 8u);
}

TEST_F(LoopPlace, IsNotSaidWhereNoLoopIs) {
  EXPECT_EQ(line_of({17, 17, 4}), 0u);
  EXPECT_EQ(line_of({}), 0u);
  EXPECT_EQ(place_of_loop(loops_, std::vector<Look>{{{"nobody.metal", 7}}}).line, 0u);
}

// What a loop calls is somewhere else; it is the loop that does not end.
TEST_F(LoopPlace, HoldsWhatIsCalledInIt) {
  const std::string file = file_.string();
  const std::vector<Look> looks = {{{"helper.h", 3}, {file, 9}}, {{file, 8}}, {{"helper.h", 9}, {file, 9}}};
  EXPECT_EQ(place_of_loop(loops_, looks), (device::SourcePlace{file, 8}));
}

TEST_F(LoopPlace, OnlyWaitsWhereNothingIsCalledBesideTheAtomic) {
  EXPECT_TRUE(only_waits(loops_, {file_.string(), 12})) << "loads aside";
  EXPECT_FALSE(only_waits(loops_, {file_.string(), 15}));
  EXPECT_FALSE(only_waits(loops_, {file_.string(), 4})) << "no loop";
}

}  // namespace
}  // namespace assay::metal
