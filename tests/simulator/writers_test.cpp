// Who stored each byte last is told where it is asked for.
#include <gmock/gmock.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using device::Writer;
using testing::IsEmpty;

// Of buffer 1, by word.
std::vector<Writer> writers_of_words(const Ran& ran) {
  std::vector<Writer> words;
  for (std::size_t byte = 0; byte < ran.report.writers.at(1).size(); byte += 4)
    words.push_back(ran.report.writers[1][byte]);
  return words;
}

TEST(LastWriters, AreLanesSimdgroupsOfTheThreadgroupThatRan) {
  const auto ran = run_body(Mode::checked, "out[group * 64 + (i ^ 32)] = i;",
                            {.threadgroups = {3, 1, 1}, .words = 200, .writers = true});
  const auto words = writers_of_words(ran);
  for (std::uint32_t w = 0; w < 192; ++w) {
    EXPECT_EQ(words[w], (Writer{w / 64, 1 - w % 64 / 32})) << w;
  }
  EXPECT_EQ(words[192], Writer{});
  EXPECT_EQ(ran.report.writers.at(0).front(), Writer{});  // what the host wrote was stored by nobody
}

TEST(LastWriters, AreWholeSimdgroupsOfMatrixStoresAndTheLastOfSeveral) {
  const auto ran = run_body(Mode::checked,
                            "simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8>(1.0f);\n"
                            "if (simdgroup == 0) simdgroup_store(m, (device float*)out, 8);\n"
                            "threadgroup_barrier(mem_flags::mem_device);\n"
                            "if (i == 40) out[7] = 0;",
                            {.writers = true});
  const auto words = writers_of_words(ran);
  for (std::uint32_t w = 0; w < 64; ++w) EXPECT_EQ(words[w], (Writer{0, w == 7 ? 1U : 0U})) << w;
}

TEST(LastWriters, AreNotKeptUnasked) {
  EXPECT_THAT(run_body(Mode::checked, "out[i] = i;").report.writers, IsEmpty());
  EXPECT_THAT(run_body(Mode::fast, "out[i] = i;", {.writers = true}).report.writers, IsEmpty());
}

}  // namespace
}  // namespace assay::simulator
