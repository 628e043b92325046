// Manifests that are wrong: every key with every wrong type and value, and the ways to be wrong that were
// once accepted. Each gives one line with file, line and field.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/verify/launch_sizes.hpp"
#include "harness/verify/manifest.hpp"
#include "harness/verify/shown.hpp"
#include "properties/cases/trial.hpp"

namespace assay::wrong_manifests {
namespace {

using properties::check_entry;
using testing::HasSubstr;
using testing::StartsWith;

/// A key of a manifest and its value, as TOML; each stands on a line of its own.
struct Line {
  std::string key, value;
};

const std::vector<Line> kRight = {
    {"name", "\"k\""},
    {"function", "\"k\""},
    {"source", "\"k.metal\""},
    {"operation", "\"gemm_fp4\""},
    {"arguments", R"(["A", "B", "scales", "C", "MNK", "=K/8", 0.5, ["M", "K:ulong"], "=1e-5:float", "-"])"},
    {"threads_per_threadgroup", "[32, 4, 1]"},
    {"tile", "{ m = 64, n = 32, k = 16 }"},
    {"grid", R"toml(["ceil(N / tile_n)", "ceil(M / 64)", 1])toml"},
    {"grid_unit", "\"threadgroups\""},
    {"threadgroup_memory", R"([1024, "tile_m * 32"])"},
    {"arithmetic", R"({ dequantize = "half", accumulate = "float", intermediate = "half" })"},
    {"semantics", R"({ nonfinite_weights = "zero", scales = "N x groups" })"},
    {"requires", "{ M_max = 16, N_multiple = 8, K_min = 16, group_size = [32, 64] }"},
    {"defines", R"({ FAST = true, SCALE = 2.0, NAME = "x" })"},
    {"function_constants", "{ 0 = 32, 3 = true }"},
    {"include_dirs", "[\"include\"]"},
    {"claims", "{ threadgroup_bytes = 16384, loads_of_B = 1 }"},
    {"shapes", "[{ M = 1, N = 4096, K = 4096, group_size = 32 }]"},
};

/// The number of the line that a key stands on: [[kernel]] is on the first.
std::size_t line_of(const std::string& key) {
  const auto found =
      std::find_if(kRight.begin(), kRight.end(), [&](const Line& one) { return one.key == key; });
  return static_cast<std::size_t>(found - kRight.begin()) + 2;
}

std::string text_of(const std::vector<Line>& lines) {
  std::string text = "[[kernel]]\n";
  for (const Line& line : lines) text += fmt::format("{} = {}\n", line.key, line.value);
  return text;
}

/// The right manifest with another value for one key.
std::string with(const std::string& key, const std::string& value) {
  std::vector<Line> lines = kRight;
  for (Line& line : lines) {
    if (line.key == key) line.value = value;
  }
  if (line_of(key) == kRight.size() + 2) lines.push_back({key, value});
  return text_of(lines);
}

/// What reading and checking says; "accepted" where nothing.
std::string refusal(const std::string& text) {
  try {
    for (const auto& entry : assay::parse_manifest(text, "m.toml")) check_entry(entry);
  } catch (const ManifestError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_one_line(const std::string& said) {
  EXPECT_FALSE(assay::has_control(said)) << said;
  EXPECT_LT(said.size(), 2000u) << said;
}

/// Refused at this key's line, in a field that begins with it.
void expect_refused(const std::string& key, const std::string& value, const std::string& part = "") {
  const std::string said = refusal(with(key, value));
  EXPECT_THAT(said, StartsWith(fmt::format("m.toml:{}: {}", line_of(key), key)))
      << key << " = " << assay::shown(value);
  EXPECT_THAT(said, HasSubstr(part));
  expect_one_line(said);
}

const std::string kLong = '"' + std::string(100000, 'n') + '"';

/// Values of which none is right for a key, unless it says so.
const std::vector<std::string> kWrong = {"1979-05-27",
                                         "07:32:00",
                                         "[[]]",
                                         "nan",
                                         "inf",
                                         "-1",
                                         "99999999999",
                                         "9223372036854775807",
                                         "{ \"\\u001b[2J\" = 1 }",
                                         "\"\\u0000\"",
                                         "\"a\\nb\"",
                                         "\"\\u001b[31mred\"",
                                         "\"\\u009b31m\"",
                                         "\"\\u007f\"",
                                         kLong};

TEST(WrongManifests, TheRightOneIsAccepted) { EXPECT_EQ(refusal(text_of(kRight)), "accepted"); }

TEST(WrongManifests, EveryKeyWithEveryWrongValue) {
  std::size_t tried = 0;
  for (const Line& line : kRight) {
    for (const std::string& value : kWrong) {
      expect_refused(line.key, value);
      ++tried;
    }
    for (const char* value : {"true", "\"\""}) {
      expect_refused(line.key, value);
      ++tried;
    }
  }
  EXPECT_GE(tried, 250u);
}

// "@" is where the value goes.
TEST(WrongManifests, EveryElementAndInnerKeyWithEveryWrongValue) {
  const std::vector<Line> places = {
      {"arguments", "[@, \"C\"]"},
      {"arguments", "[\"C\", [\"M\", @]]"},
      {"threads_per_threadgroup", "[32, @, 1]"},
      {"tile", "{ m = @, n = 32, k = 16 }"},
      {"tile", "{ m = 64, n = 32, k = @ }"},
      {"grid", "[@, 1, 1]"},
      {"grid", "[1, 1, @]"},
      {"threadgroup_memory", "[16, @]"},
      {"arithmetic", "{ dequantize = @ }"},
      {"arithmetic", "{ accumulate = @ }"},
      {"arithmetic", "{ intermediate = @ }"},
      {"semantics", "{ scales = @ }"},
      {"semantics", "{ nonfinite_weights = \"zero\", scales = @ }"},
      {"requires", "{ M_max = @ }"},
      {"requires", "{ K_multiple = @ }"},
      {"requires", "{ N_min = @ }"},
      {"requires", "{ group_size = @ }"},
      {"requires", "{ group_size = [32, @] }"},
      {"include_dirs", "[\"include\", @]"},
      {"shapes", "[{ M = 1, N = 64 }, @]"},
      {"shapes", "[{ M = 1, N = @ }]"},
  };
  std::size_t tried = 0;
  for (const Line& place : places) {
    for (const std::string& value : kWrong) {
      std::string whole = place.value;
      expect_refused(place.key, whole.replace(whole.find('@'), 1, value));
      ++tried;
    }
  }
  for (const char* value : {"nan", "[1]", "{ x = 1 }", "1979-05-27", "\"\\u0000\"", "\"a\\nb\"", "\"a /* b\"",
                            "\"1 // one\"", "'\"open'", "'a\\'"}) {
    expect_refused("defines", fmt::format("{{ N = {} }}", value));
    ++tried;
  }
  for (const char* key : {"\"\"", "\"a b\"", "\"a-b\"", "1a", "\"a(x)\"", "\"a=b\"", "\"\\u0000\""}) {
    expect_refused("defines", fmt::format("{{ {} = 1 }}", key));
    ++tried;
  }
  for (const char* value :
       {"nan", "[1]", "{ x = 1 }", "\"x\"", "\"1; int y\"", "\"\"", "\"--1\"", "\"{1}\""}) {
    expect_refused("function_constants", fmt::format("{{ 0 = {} }}", value));
    ++tried;
  }
  for (const char* key : {"x", "-1", "65536", "\"\"", "\" 1\"", "\"0x1\"", "99999999999999999999"}) {
    expect_refused("function_constants", fmt::format("{{ {} = 1 }}", key));
    ++tried;
  }
  for (const char* claim :
       {"threadgroup_bytes = -1", "threadgroup_bytes = nan", "threadgroup_bytes = \"1\"", "speed = 1",
        "loads_of_Q = 1", "loads_of_ = 1", "loads = 1", "_of_B = 1", "\"\" = 1"}) {
    expect_refused("claims", fmt::format("{{ {} }}", claim));
    ++tried;
  }
  EXPECT_GE(tried, 250u);
}

TEST(WrongManifests, ExpressionsThatSayNothingOrWhatNobodyKnows) {
  const std::vector<std::string> wrong = {"",
                                          " ",
                                          "N +",
                                          "N N",
                                          "(N",
                                          "N)",
                                          "ceil(N",
                                          "ceil()",
                                          "ceil(N)",
                                          "floor(M * 2)",
                                          "ceil(N, 64)",
                                          "min(N)",
                                          "max()",
                                          "sqrt(N)",
                                          "N $ 2",
                                          "N // 2",
                                          "1.",
                                          ".",
                                          "1e",
                                          "1e999",
                                          "99999999999999999999",
                                          "A",
                                          "ceil(B / 64)",
                                          "scales * 2",
                                          "n",
                                          "Q / 8",
                                          "N..M + 1",
                                          "0 * N + 1",
                                          "N - N + 1",
                                          "min(N, 1)",
                                          "N % 1 + 1",
                                          "1 / 0",
                                          "N / (2 - 2)",
                                          "1 / 3",
                                          "-1",
                                          "0",
                                          "\\u0000",
                                          "N\\u0000",
                                          "\\u001b[2J",
                                          std::string(5000, '('),
                                          std::string(5000, '-') + "1",
                                          std::string(1200, 'N')};
  for (const std::string& expression : wrong) {
    expect_refused("grid", fmt::format("[1, \"{}\", 1]", expression));
    expect_refused("threadgroup_memory", fmt::format("[\"{}\"]", expression));
    if (expression != "0") expect_refused("arguments", fmt::format("[\"C\", \"={}\"]", expression));
  }
}

TEST(WrongManifests, UnknownAndMissingKeys) {
  for (const char* key : {"colour", "threads", "\"\\u001b[2J\"", "\"\"", "Name"}) {
    const std::string said = refusal(text_of(kRight) + fmt::format("{} = 1\n", key));
    EXPECT_THAT(said, StartsWith(fmt::format("m.toml:{}: ", kRight.size() + 2)));
    EXPECT_THAT(said, HasSubstr("is not a field here; the fields are accept, arguments"));
    expect_one_line(said);
  }
  expect_refused("tile", "{ m = 64, n = 32, k = 16, depth = 1 }", "tile.depth");
  expect_refused("arithmetic", "{ multiply = \"half\" }", "arithmetic.multiply");
  expect_refused("requires", "{ L_max = 4 }", "L is no dimension of gemm_fp4");
  EXPECT_THAT(refusal("colour = 1\n" + text_of(kRight)), StartsWith("m.toml:1: colour: is not a field"));
  for (const char* key : {"name", "source", "operation", "arguments", "threads_per_threadgroup", "grid"}) {
    std::vector<Line> lines = kRight;
    std::erase_if(lines, [&](const Line& one) {
      return one.key == key || (key == std::string("grid") && one.key == "grid_unit");
    });
    EXPECT_THAT(refusal(text_of(lines)), StartsWith(fmt::format("m.toml:1: {}: is missing", key)));
  }
}

struct Wrong {
  const char *key, *value, *part;
};

// Each was accepted, or blamed on the kernel after a minute, or said of something else.
TEST(WrongManifests, ThoseThatWereOnceAccepted) {
  for (const Wrong& one : {
           Wrong{"grid", "[1, 1]", "has 2 sizes; write three"},
           Wrong{"grid", "[\"ceil(N)\", 1, 1]", "ceil is applied to a whole number"},
           Wrong{"grid", "[\"min(N)\", 1, 1]", "min takes two arguments or more"},
           Wrong{"grid", "[\"0 * N + 1\", 1, 1]", "is the same whatever N is"},
           Wrong{"grid", "[0, 1, 1]", "\"0\" is 0"},
           Wrong{"threadgroup_memory", "[0]", "write 1 to"},
           Wrong{"arguments", "[\"C\", -7]", "does not fit in uint"},
           Wrong{"name", "\"k\\u0000\"", "holds a control character"},
           Wrong{"source", "\"k.metal\\u0000.txt\"", "holds a control character"},
           Wrong{"include_dirs", "[\"in\\u0000clude\"]", "holds a control character"},
           Wrong{"function", "\"k\\u001b[2J\"", "\"k\\x1b[2J\" holds a control character"},
           Wrong{"name", kLong.c_str(), "has 100000 characters; write at most 200"},
           Wrong{"requires", "{ K_multiple = 99999999 }", "the smallest case that the kernel takes is"},
           Wrong{"requires", "{ K_multiple = 3000000000 }", "from 1 to 2147483648"},
           Wrong{"requires", "{ group_size = [32, 33] }", "group_size cannot be 33: it is a multiple of 8"},
           Wrong{"requires", "{ group_size = [32, 32] }", "names 32 twice"},
           Wrong{"requires", "{ K = [32, 33], K_multiple = 32 }", "K cannot be 33"},
           Wrong{"requires", "{ M_min = 99999999 }", "the smallest case"},
           Wrong{"claims", "{ threadgroup_bytes = -8 }", "write a number from 0 on"},
           Wrong{"threads_per_threadgroup", "[4294967295, 4294967295, 4294967295]", "from 1 to 1024"},
           Wrong{"threads_per_threadgroup", "[1024, 2, 1]",
                 "makes 2048 threads; a threadgroup has at most 1024"},
           Wrong{"defines", "{ N = \"1 /* one\" }", "holds a comment"},
           Wrong{"defines", "{ N = \"\\\"one\" }", "string that is not closed"},
           Wrong{"function_constants", "{ 0 = 1, 00 = 2 }", "gives a second value to constant 0"},
           Wrong{"semantics", "{ scale = \"N x groups\" }",
                 "semantics.scale: kernel k: means nothing to gemm_fp4; it has nonfinite_weights, scales"},
           Wrong{"semantics", "{ partials = \"half\" }",
                 "semantics.partials: kernel k: means nothing to gemm_fp4"},
           Wrong{"semantics", "{ scales = \"N x K\" }",
                 "semantics.scales: kernel k: is \"N x K\", which gemm_fp4 does not know; write \"groups x "
                 "N\" or "
                 "\"N x groups\""},
           Wrong{"semantics", "{ nonfinite_weights = \"0\" }", "write \"ieee\" or \"zero\""},
           Wrong{
               "arguments", "[\"C\", [\"M\", \"scales\"]]",
               "scales is a tensor of operation gemm_fp4 that no struct can hold; a struct holds scalars and "
               "tensors of one element: none"},
           Wrong{"shapes", "[]", "write 1 to 64 such as { M = 1"},
           Wrong{"shapes", "[{}]", "shapes[0]: names no dimensions"},
           Wrong{"shapes", "[{ M = 1 }, { M = 1 }]", "shapes[1]: is shapes[0] again"},
           Wrong{"shapes", "[{ L = 1 }]", "kernel k: gemm_fp4 has no dimension L"},
           Wrong{"shapes", "[{ M = 17 }]", "kernel k: the kernel does not take M=17"},
           Wrong{"shapes", "[{ M = 0 }]", "from 1 to 2147483648"},
           Wrong{"shapes", "[{ M = 16, N = 1000000, K = 1000000 }]", "make its dimensions smaller"},
       }) {
    expect_refused(one.key, one.value, one.part);
  }
}

TEST(WrongManifests, WordsOfTheUsualMeaningAreAccepted) {
  EXPECT_EQ(refusal(with("semantics", R"({ nonfinite_weights = "ieee", scales = "groups x N" })")),
            "accepted");
}

TEST(WrongManifests, AStructHoldsTensorsOfOneElementAsTheyAre) {
  const std::string text =
      "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\noperation = \"rans_gemv\"\n"
      "arguments = [\"y\", [\"zero_point\", \"N\", \"scale@\"]]\n"
      "threads_per_threadgroup = 32\ngrid = \"rows\"\n";
  const auto said = [&](const std::string& what) {
    std::string changed = text;
    return refusal(changed.replace(changed.find('@'), 1, what));
  };
  EXPECT_EQ(said(""), "accepted");
  EXPECT_THAT(said(":float"), StartsWith("m.toml:5: arguments[1]: kernel k: scale is a tensor; leave out"));
  EXPECT_THAT(said(" * 2"),
              StartsWith("m.toml:5: arguments[1]: kernel k: \"scale * 2\": scale is no scalar"));
}

TEST(WrongManifests, AGridBeyond32BitsIsRefusedWithTheCase) {
  const auto entry =
      assay::parse_manifest(with("grid", "[4294967295, 4294967295, \"N + 4294967000\"]"), "m.toml").at(0);
  Problem problem{"gemm_fp4", {{"M", 1}, {"N", 8}, {"K", 16}, {"group_size", 32}}, {}, {}};
  try {
    assay::grid_of(entry, problem);
    FAIL() << "accepted";
  } catch (const ManifestError& error) {
    EXPECT_THAT(error.what(), StartsWith("m.toml:9: grid: kernel k: 4294967295 x 4294967295 x 4294967008"));
    EXPECT_THAT(error.what(), HasSubstr("at K=16 M=1 N=8 group_size=32"));
  }
}

TEST(WrongManifests, AFaultInOneEntrySaysNothingOfTheOthers) {
  std::string text = text_of(kRight);
  for (const auto& [name, line] :
       {std::pair{"second", "threads_per_threadgroup = 0"}, {"third", ""}, {"third", ""}}) {
    text += fmt::format(
        "[[kernel]]\nname = \"{}\"\nsource = \"k.metal\"\noperation = \"gemm_fp4\"\n"
        "arguments = [\"C\"]\ngrid = [1, 1, 1]\n{}\n",
        name, *line != '\0' ? line : "threads_per_threadgroup = 32");
  }
  text += "[[kernel]]\nname = \"a b\"\n[[kernel]]\nname = 7\n";
  const Manifest manifest = assay::parse_entries(text, "m.toml");
  ASSERT_EQ(manifest.entries.size(), 6u);
  EXPECT_EQ(std::get<KernelEntry>(manifest.entries[0]).name, "k");
  EXPECT_EQ(std::get<KernelEntry>(manifest.entries[2]).name, "third");
  std::vector<std::string> names, errors;
  for (const std::size_t i : {1u, 3u, 4u, 5u}) {
    const auto& faulty = std::get<FaultyEntry>(manifest.entries[i]);
    names.push_back(faulty.name);
    errors.emplace_back(faulty.error.what());
  }
  EXPECT_THAT(names, testing::ElementsAre("second", "third", "", ""));
  EXPECT_THAT(errors[0], HasSubstr("threads_per_threadgroup: is 0"));
  EXPECT_THAT(errors[1], HasSubstr("another kernel has this name"));
  EXPECT_THAT(errors[2], HasSubstr("name: has characters other than"));
  EXPECT_THROW(manifest.sound(), ManifestError);
}

// Whatever becomes of a manifest's bytes: it is refused in one line or it is a manifest still.
RC_GTEST_PROP(WrongManifests, DamagedBytesNeverBreakTheReader, ()) {
  std::string text = text_of(kRight);
  const int damages = *rc::gen::inRange(1, 4);
  for (int i = 0; i < damages; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        text.resize(at + 1);
        break;
      case 1:
        text.erase(at, *rc::gen::inRange<std::size_t>(1, 20));
        if (text.empty()) text = "x";
        break;
      case 2:
        text[at] = *rc::gen::arbitrary<char>();
        break;
      default:
        text.insert(at, text.substr(*rc::gen::inRange<std::size_t>(0, text.size()), 12));
    }
  }
  const std::string said = refusal(text);
  RC_ASSERT(said == "accepted" || said.starts_with("m.toml:"));
  RC_ASSERT(!assay::has_control(said));
  RC_ASSERT(said.size() < 2000u);
}

}  // namespace
}  // namespace assay::wrong_manifests
