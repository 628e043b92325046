// A replay line is a string that anybody may write: one that is right is changed in every field, and each
// change must be refused before anything runs, with a word on the field.
#include "harness/run/replay_line.hpp"

#include <gmock/gmock.h>

#include "harness/run/manifests.hpp"
#include "harness/run/verifier.hpp"
#include "properties/cases/generator.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/search.hpp"
#include "properties/cases/trial.hpp"
#include "tests/error_of.hpp"

namespace assay::run {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kManifest = ASSAY_SOURCE_DIR "/kernels/kernels.toml";

const std::vector<KernelEntry>& entries() {
  static const auto all = load_manifest(kManifest);
  return all;
}

// What `assay replay` says before it runs anything; "no error" where it would.
std::string refusal(const std::string& line) {
  return error_of<std::runtime_error>([&] {
    try {
      const auto read = parse_replay_line(line);
      check_replay(read, *choose(entries(), {read.kernel}).front());
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(error.what());
    }
  });
}

using Pairs = properties::Fields;

std::string joined(const Pairs& fields) {
  std::string line;
  for (const auto& [key, value] : fields) line += (line.empty() ? "" : " ") + key + "=" + value;
  return line;
}

Pairs right() {
  return {{"kernel", "marlin_gemm_fp4"},
          {"manifest", kManifest},
          {"mode", "fast"},
          {"numerics", "strict"},
          {"operation", "gemm_fp4"},
          {"K", "64"},
          {"M", "65"},
          {"N", "130"},
          {"group_size", "32"},
          {"regime", "constant"},
          {"knob.code", "3"},
          {"seed", "17"}};
}

TEST(ReplayLine, TheOneThatIsChangedIsRight) { EXPECT_EQ(refusal(joined(right())), "no error"); }

TEST(ReplayLine, WithoutAFieldIsRefusedByItsName) {
  for (std::size_t i = 0; i < right().size(); ++i) {
    Pairs fields = right();
    const std::string key = fields[i].first;
    if (key == "numerics" || key.starts_with("knob.")) continue;  // strict; 0
    fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_THAT(refusal(joined(fields)), AllOf(StartsWith("replay line: "), HasSubstr(key)));
  }
}

TEST(ReplayLine, WithAFieldTwiceIsRefusedByItsName) {
  for (const auto& field : right()) {
    Pairs fields = right();
    fields.push_back(field);
    EXPECT_THAT(refusal(joined(fields)), HasSubstr(field.first + ": given twice"));
  }
}

TEST(ReplayLine, WithAValueThatMeansNothingIsRefusedByTheField) {
  std::size_t tried = 0;
  for (std::size_t i = 0; i < right().size(); ++i) {
    for (const std::string value :
         {"", "0x10", "+5", "-1", "5.0", "1e3", "five", "nan", "5,", "99999999999999999999", "\"5", "5\"",
          "\"5\"x", "\x1b[31m5", "9223372036854775807", "18446744073709551616"}) {
      Pairs fields = right();
      auto& [key, there] = fields[i];
      if (key == "manifest" && !value.starts_with('"') && !value.empty()) continue;  // a path
      if (key == "seed" && value == "9223372036854775807") continue;                 // a seed
      there = value;
      const std::string what = refusal(joined(fields));
      EXPECT_NE(what, "no error") << joined(fields);
      EXPECT_THAT(what, HasSubstr(key == "kernel" && !value.empty() ? "kernel" : key)) << joined(fields);
      ++tried;
    }
  }
  EXPECT_GE(tried, 150u);
}

struct Wrong {
  std::string key, value, says;
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.says; }

class WrongReplayLines : public testing::TestWithParam<Wrong> {};

TEST_P(WrongReplayLines, AreRefused) {
  Pairs fields = right();
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [](const auto& field) { return field.first == GetParam().key; });
  if (found == fields.end()) {
    fields.emplace_back(GetParam().key, GetParam().value);
  } else {
    found->second = GetParam().value;
  }
  EXPECT_THAT(refusal(joined(fields)), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongReplayLines,
    testing::Values(Wrong{"kernel", "marlin_gemm_fp5", "no kernel `marlin_gemm_fp5`"},
                    Wrong{"mode", "both", "mode: `both` is not a mode"},
                    Wrong{"numerics", "loose", "numerics: `loose` is not a numerics mode"},
                    Wrong{"law", "no such", "\"such\""}, Wrong{"law", "none", "law=none: gemm_fp4 has"},
                    Wrong{"operation", "gemm_u4", "operation: kernel marlin_gemm_fp4 computes gemm_fp4"},
                    Wrong{"K", "0", "K=0: must be"}, Wrong{"M", "0", "M=0: must be"},
                    Wrong{"K", "2147483648", "K=2147483648: must fit"},
                    Wrong{"M", "2147483647", "larger than"},
                    Wrong{"J", "5", "J=5: gemm_fp4 has no such dimension"},
                    Wrong{"regime", "wild", "regime=wild: gemm_fp4 has"},
                    Wrong{"knob.code", "6", "knob.code=6: must be at most 5"},
                    Wrong{"knob.colour", "1", "knob.colour: regime constant has no such knob"}));

// A kernel that was asked for what it does not take was run all the same, and blamed.
TEST(ReplayLine, OfDimensionsThatTheKernelDoesNotTakeIsRefused) {
  for (const auto& entry : entries()) {
    for (const auto& [dimension, requirement] : entry.requirements) {
      const auto& operation = properties::find_operation(entry.operation);
      auto test_case = properties::case_at(operation.cases(properties::traits_of(entry)), 1, 0);
      for (auto& value = test_case.dims.at(dimension); requirement.allows(value);) ++value;
      const std::string what = refusal(replay_line(entry, Mode::fast, test_case));
      EXPECT_NE(what, "no error") << entry.name << " " << dimension;
    }
  }
}

Pairs golden() {
  Pairs fields = right();
  std::erase_if(fields, [](const auto& field) { return field.first == "knob.code"; });
  fields.insert(fields.end(), {{"golden", "\"a \\\"set\\\"/f.safetensors\""}, {"part.N", "8:138"}});
  return fields;
}

TEST(ReplayLine, OfAGoldenFileComesBackAsItWas) {
  const auto read = parse_replay_line(joined(golden()));
  EXPECT_EQ(read.test_case.golden, "a \"set\"/f.safetensors");
  EXPECT_EQ(read.test_case.part, (properties::Part{{"N", {8, 138}}}));
  EXPECT_EQ(refusal(joined(golden())), "no error");
  EXPECT_EQ(properties::parse_line(to_line(read.test_case)), read.test_case);
}

TEST(ReplayLine, OnlyAGoldenFileHasParts) {
  for (const char* part : {"part.N", "part.Q"}) {
    Pairs fields = right();
    fields.emplace_back(part, "0:1");
    EXPECT_THAT(refusal(joined(fields)),
                HasSubstr(std::string(part) + ": only a case of a golden file has parts"));
  }
}

TEST(ReplayLine, OfAGoldenFileIsRefusedByTheField) {
  for (const auto& [key, value, says] :
       {Wrong{"part.N", "8:137", "part.N=8:137: the part is 129 long, and N says otherwise"},
        Wrong{"part.N", "138:8", "part.N=138:8: no range"}, Wrong{"part.N", "8", "part.N=8: no range"},
        Wrong{"part.N", "8:138x", "no range"}, Wrong{"part.N", "-1:129", "no range"},
        Wrong{"part.N", "99999999999999999999:1", "no range"},
        Wrong{"part.J", "0:1", "part.J=0:1: the part is 1 long, and J says otherwise"},
        Wrong{"golden", "", "golden: missing"}, Wrong{"law", "scaling", "law: cannot stand beside golden="},
        Wrong{"schedule", "0x3.1:2", "schedule: cannot stand beside golden="},
        Wrong{"knob.code", "3", "knob: cannot stand beside golden="}, Wrong{"K", "0", "K=0: must be"},
        Wrong{"operation", "gemm_u4", "computes gemm_fp4"}}) {
    Pairs fields = golden();
    std::erase_if(fields, [&, key = key](const auto& field) { return field.first == key; });
    fields.emplace_back(key, value);
    EXPECT_THAT(refusal(joined(fields)), HasSubstr(says)) << key << "=" << value;
  }
}

// What verification draws, and what it shrinks that to, can be replayed.
TEST(ReplayLine, ThatAFailurePrintsIsTaken) {
  for (const auto& entry : entries()) {
    const auto space = properties::find_operation(entry.operation).cases(properties::traits_of(entry));
    for (std::uint64_t i = 0; i < 40; ++i) {
      const auto drawn = properties::case_at(space, 5, i);
      EXPECT_EQ(refusal(replay_line(entry, Mode::fast, drawn)), "no error");
      for (const auto& simpler : space.shrinks(drawn)) {
        ASSERT_EQ(refusal(replay_line(entry, Mode::fast, simpler)), "no error");
      }
    }
  }
}

}  // namespace
}  // namespace assay::run
