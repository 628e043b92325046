#include "harness/verify/report.hpp"
#include "harness/device/source_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <sstream>

#include "harness/verify/output_map.hpp"

namespace assay {
namespace {

using testing::HasSubstr;

enum class Cell { right, wrong, never_written };

Comparison comparison_of(std::size_t rows, std::size_t columns,
                         const std::function<Cell(std::size_t, std::size_t)>& cell) {
  Comparison c{"C", DType::f16, {rows, columns}, "g sum|a w| + half an ulp", rows * columns, 0, 0, {}};
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t col = 0; col < columns; ++col) {
      const Cell state = cell(r, col);
      if (state == Cell::right) continue;
      const bool never = state == Cell::never_written;
      c.wrong.push_back({r * columns + col, r, col, never, 0, 1.5, 2.25, 2.125, 2.375});
      c.never_written += never ? 1 : 0;
    }
  }
  return c;
}

KernelEntry reported() {
  KernelEntry e;
  e.name = e.function = "marlin_gemm_fp4";
  e.source = "kernels/marlin_gemm.metal";
  e.operation = "gemm_fp4";
  e.tile = Tile{64, 64, 32};
  return e;
}

std::string text_of(const Evidence& evidence, const KernelEntry& e = reported()) {
  const Dims dims{{"M", 65}, {"N", 130}, {"K", 64}, {"group_size", 32}};
  const Outcome outcome = judge(evidence);
  return failure_text({e, dims, "assay replay 'marlin_gemm_fp4 seed=7'", evidence, outcome});
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= 0x20 && c <= 0x7E); });
}

TEST(Ranges, RunsStepsAndSingles) {
  EXPECT_EQ(ranges({}), "");
  EXPECT_EQ(ranges({3}), "3");
  EXPECT_EQ(ranges({3, 4}), "3-4");
  EXPECT_EQ(ranges({0, 1, 2, 32, 40, 41}), "0-2, 32, 40-41");
  EXPECT_EQ(ranges({0, 8, 16, 24}), "0-24 in steps of 8");
  EXPECT_EQ(ranges({1, 5}), "1, 5");
}

TEST(Ranges, LongListsSayWhereTheyEnd) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < 100; ++i) numbers.push_back(i * i);
  EXPECT_EQ(ranges(numbers), "0-1, 4, 9, 16, 25, 36, 49, 64, ... 9801");
}

TEST(DimsText, MNKComeFirst) {
  EXPECT_EQ(to_text(Dims{{"K", 3}, {"M", 1}, {"N", 2}, {"group_size", 8}, {"A", 9}}),
            "M=1 N=2 K=3 A=9 group_size=8");
}

TEST(OutputMap, SmallOutputIsDrawnCellByCell) {
  const Comparison c = comparison_of(3, 5, [](std::size_t r, std::size_t col) {
    return col == 4 ? Cell::never_written : r == col ? Cell::wrong : Cell::right;
  });
  EXPECT_EQ(output_map(c, std::nullopt, 0),
            ". right   # wrong   ? never written\n"
            "          0\n"
            "         +-----+\n"
            "       0 |#...?|\n"
            "       1 |.#..?|\n"
            "       2 |..#.?|\n"
            "         +-----+\n");
}

TEST(OutputMap, TileBordersAndRepeatedLines) {
  const Comparison c =
      comparison_of(10, 8, [](std::size_t, std::size_t col) { return col == 3 ? Cell::wrong : Cell::right; });
  EXPECT_EQ(output_map(c, Tile{8, 4, 1}, 0),
            ". right   # wrong   ? never written   tiles of 8 x 4\n"
            "          0    4\n"
            "         +----+----+\n"
            "       0 |...#|....|\n"
            "       : the next 7 lines are the same\n"
            "         +----+----+\n"
            "       8 |...#|....|\n"
            "       9 |...#|....|\n"
            "         +----+----+\n");
}

TEST(OutputMap, OneWrongElementShowsInItsCharacter) {
  const Comparison c = comparison_of(
      1, 1000, [](std::size_t, std::size_t col) { return col == 999 ? Cell::wrong : Cell::right; });
  const std::string map = output_map(c, std::nullopt, 0);
  EXPECT_THAT(map, HasSubstr("(a character is 1 x 16 elements)"));
  EXPECT_EQ(std::count(map.begin(), map.end(), '#'), 2);  // legend and picture
}

TEST(OutputMap, WrongShowsOverNeverWritten) {
  for (const std::size_t wrong : {0, 1}) {
    const Comparison c = comparison_of(1, 128, [&](std::size_t, std::size_t col) {
      return col > 1 ? Cell::right : col == wrong ? Cell::wrong : Cell::never_written;
    });
    EXPECT_THAT(output_map(c, std::nullopt, 0), HasSubstr("|#...")) << wrong;
  }
}

TEST(OutputMap, CharactersDivideTheTile) {
  // 130 columns need 3 to a character. That divides a tile of 48; a tile of 32 takes 4.
  const Comparison c = comparison_of(
      1, 130, [](std::size_t, std::size_t col) { return col == 48 ? Cell::wrong : Cell::right; });
  EXPECT_THAT(output_map(c, Tile{48, 48, 32}, 0),
              HasSubstr("|................|#...............|............|"));
  EXPECT_THAT(output_map(c, Tile{32, 32, 32}, 0), HasSubstr("|........|....#...|........|........|.|"));
}

TEST(OutputMap, NeverWiderThanAHundred) {
  for (const std::size_t side : {1, 2, 63, 64, 65, 127, 128, 129, 500, 513, 1025, 4096}) {
    for (const std::int64_t tile : {0, 1, 3, 7, 8, 16, 48, 64, 128}) {
      const Comparison c = comparison_of(3, side, [&](std::size_t r, std::size_t col) {
        return r == 1 && col + 1 == side ? Cell::wrong : Cell::right;
      });
      const auto map = output_map(c, tile == 0 ? std::nullopt : std::optional(Tile{tile, tile, 1}), 4);
      EXPECT_LE(longest_line(map), 100u) << side << " " << tile;
      EXPECT_EQ(std::count(map.begin(), map.end(), '#'), 2) << side << " " << tile;
    }
  }
}

TEST(FailureText, SaysOfElementsThatWereNeverWrittenNoMoreThanThat) {
  const auto outputs = [](std::size_t columns, Cell first) {
    return text_of({{},
                    {comparison_of(1, columns,
                                   [&](std::size_t, std::size_t col) {
                                     return col == 0 ? first : col == 1 ? Cell::never_written : Cell::right;
                                   })},
                    {},
                    {}});
  };
  EXPECT_THAT(outputs(1, Cell::wrong), HasSubstr("f16: its only element is wrong\n"));
  EXPECT_THAT(outputs(1, Cell::never_written), HasSubstr("f16: its only element was never written\n"));
  EXPECT_THAT(outputs(8, Cell::never_written), HasSubstr("f16: 2 of 8 elements were never written\n"));
  EXPECT_THAT(outputs(8, Cell::wrong),
              HasSubstr("f16: 2 of 8 elements are wrong, 1 of them never written\n"));
}

TEST(FailureText, WrongResultOnOneTile) {
  const Comparison c = comparison_of(65, 130, [](std::size_t r, std::size_t col) {
    return col == 129 ? Cell::never_written : r >= 64 && col >= 64 ? Cell::wrong : Cell::right;
  });
  const std::string text = text_of({{}, {c}, {}, {}});
  EXPECT_THAT(text, HasSubstr("marlin_gemm_fp4: WRONG RESULT\n  130 of 8,450 elements of C are wrong (65 of "
                              "them were never written)"));
  EXPECT_THAT(text, HasSubstr("    case    gemm_fp4 M=65 N=130 K=64 group_size=32\n"));
  EXPECT_THAT(text, HasSubstr("    replay  assay replay 'marlin_gemm_fp4 seed=7'\n"));
  EXPECT_THAT(text, HasSubstr("    rows    all 65\n    columns 64-129 (66 of 130)\n"));
  EXPECT_THAT(text, HasSubstr("  never written            2.25                     0.125\n"));
  EXPECT_THAT(text, HasSubstr("... and 124 more\n"));
  EXPECT_LE(longest_line(text), 100u);
  EXPECT_TRUE(is_ascii(text));
}

TEST(FailureText, WorstElementIsShownWhereverItIs) {
  Comparison c = comparison_of(1, 20, [](std::size_t, std::size_t) { return Cell::wrong; });
  c.wrong[13].got = 99;
  c.worst = 13;
  const std::string text = text_of({{}, {c}, {}, {}});
  EXPECT_THAT(text, HasSubstr("96.75"));
  EXPECT_THAT(text, HasSubstr("worst\n"));
  EXPECT_THAT(text, HasSubstr("and 13 more"));
}

TEST(FailureText, SpecialValues) {
  constexpr double inf = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  Comparison c{"C", DType::f16, {1, 4}, "", 4, 0, 0, {}};
  c.wrong.push_back({0, 0, 0, false, 0, nan, 1, 1, 1});
  c.wrong.push_back({1, 0, 1, false, 0, 1, nan, nan, nan});
  c.wrong.push_back({2, 0, 2, false, 0, -inf, inf, inf, inf});
  c.wrong.push_back({3, 0, 3, false, 0, -0.0, 0.0, 0.0, 0.0});
  const std::string text = text_of({{}, {c}, {}, {}});
  EXPECT_THAT(text,
              HasSubstr("0         0             NaN               1             -       exact  worst\n"));
  EXPECT_THAT(text, HasSubstr("0         1               1             NaN             -    only NaN\n"));
  EXPECT_THAT(text, HasSubstr("0         2            -inf             inf          -inf       exact\n"));
  EXPECT_THAT(text, HasSubstr("0         3              -0               0     sign of 0       exact\n"));
}

// The exact result of a sum may lie outside what its type can hold near it: the table allowed -0.0005.
TEST(FailureText, AllowsNoLessThanNothing) {
  Comparison c{"C", DType::f16, {1, 2}, "", 2, 0, 0, {}};
  c.wrong.push_back({0, 0, 0, false, 0, 3, 1.0005, 1, 1});
  c.wrong.push_back({1, 0, 1, false, 0, -3, 0.9995, 1, 1});
  const std::string text = text_of({{}, {c}, {}, {}});
  EXPECT_THAT(text, HasSubstr("2       exact  worst\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("  -0.0005\n")));
}

class FailureTextWithSource : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::path(testing::TempDir()) / ("assay_report_" + std::to_string(::getpid()));
    std::filesystem::create_directories(dir_);
    std::ofstream(dir_ / "k.metal")
        << "kernel void k() {\n  As[row] = A[i];  // \xC3\xA9\n\tfrag = As[row];\n}\n"
        << std::string(300, 'x') << "\n";
    device::remember_source(dir_ / "k.metal");
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  device::SourcePlace place(std::uint32_t line) { return {(dir_ / "k.metal").string(), line}; }
  std::filesystem::path dir_;
};

TEST_F(FailureTextWithSource, RaceShowsBothAccessesWithTheirLines) {
  device::Fault fault{
      device::FaultKind::race,
      "a write and a read of the same bytes with no barrier between them",
      place(3),
      {{"read of 2 bytes by thread 40", place(3)}, {"write of 2 bytes by thread 3", place(2)}},
      64};
  const std::string text = text_of({{{fault}}, {}, {}, {}});
  EXPECT_THAT(text, HasSubstr("marlin_gemm_fp4: RACE\n"));
  EXPECT_THAT(text, HasSubstr("k.metal:3 (64 times in this case)\n    a write and a read"));
  EXPECT_THAT(text, HasSubstr("    - read of 2 bytes by thread 40 at "));
  EXPECT_THAT(text, HasSubstr("         3 | frag = As[row];\n"));
  EXPECT_THAT(text, HasSubstr("         2 | As[row] = A[i];  // ??\n"));
  EXPECT_TRUE(is_ascii(text));
}

TEST_F(FailureTextWithSource, LongAndMissingSourceLines) {
  for (const std::uint32_t line : {0u, 4u, 5u, 6u, 4000u}) {
    const std::string text =
        text_of({{{{device::FaultKind::crash, "stopped", place(line), {}, 1}}}, {}, {}, {}});
    EXPECT_LE(longest_line(text), 100u);
  }
  EXPECT_THAT(text_of({{{{device::FaultKind::crash, "stopped", {"none.metal", 3}, {}, 1}}}, {}, {}, {}}),
              HasSubstr("crash at none.metal:3\n    stopped\n"));
}

TEST(FailureText, LongWordsAndMessagesAreWrapped) {
  const device::Fault fault{device::FaultKind::race, std::string(500, 'w') + " and more words", {}, {}, 1};
  EXPECT_LE(longest_line(text_of({{{fault}}, {}, {}, {}})), 100u);
}

TEST(FailureText, FaultsLeftOutAreCounted) {
  device::LaunchReport report;
  for (std::uint32_t i = 0; i < 8; ++i)
    report.faults.push_back({device::FaultKind::race, "a race", {"k", i}, {}, 1});
  EXPECT_THAT(text_of({report, {}, {}, {}}), HasSubstr("\n  and 3 more faults\n"));
}

TEST(FailureText, InputsOfOneLineEachAreBehindTheWrongOutputs) {
  Evidence evidence;
  evidence.inputs = {
      {"A", "f16", {1, 2}, {"1", "-2.5"}}, {"B", "u32", {1, 1200}, {}}, {"s", "f32", {1}, {"3"}}};
  EXPECT_THAT(text_of(evidence), testing::EndsWith("\n  inputs\n    A [1, 2] f16 = 1, -2.5\n"
                                                   "    B [1, 1200] u32 1,200 elements\n"
                                                   "    s [1] f32 = 3\n"));
}

TEST(FailureText, ReplayLineIsNeverTouched) {
  const KernelEntry e = reported();
  const Dims dims;
  const Evidence evidence{{}, {}, {{"C", 8, 2, 0, 3, 1, 2}}, {"A"}};
  const Outcome outcome = judge(evidence);
  const std::string replay = "assay replay '" + std::string(200, 'r') + " \xC3\xA9'";
  const std::string text = failure_text({e, dims, replay, evidence, outcome});
  EXPECT_THAT(text, HasSubstr(replay));
  EXPECT_THAT(text, HasSubstr("the kernel wrote to its input A"));
  EXPECT_THAT(text, HasSubstr("a second run gives other results"));
}

}  // namespace
}  // namespace assay
