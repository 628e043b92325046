// Kernel texts that are wrong: cut short, without brackets, with parameters that nothing can be bound to.
// Each is refused with the place in the text.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/compile/settings.hpp"
#include "harness/metal/compile/variants.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::wrong_texts {
namespace {

using namespace metal;

using testing::HasSubstr;

const std::string kRight = R"(# 1 "x.metal"
using namespace metal; constant bool wide [[function_constant(0)]];
struct Sizes { uint rows; uint columns; };
inline uint place(uint row, uint column, constant Sizes& sizes) {
  return row * sizes.columns + column;
}
kernel void k(device const half* from [[buffer(0)]], device half* to [[buffer(1)]],
              constant Sizes& sizes [[buffer(2)]], threadgroup half* staging [[threadgroup(0)]],
              uint2 at [[thread_position_in_grid]], uint lane [[thread_index_in_threadgroup]]) {
  staging[lane] = from[place(at.y, at.x, sizes)];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (at.y < sizes.rows) { to[place(at.y, at.x, sizes)] = staging[wide ? lane : lane / 2]; }
}
)";

// Of one file for each test: tests run side by side.
std::string refusal(const std::string& text, const std::string& function = "k") {
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     fmt::format("assay-wrong-text-{}-{}.metal", test->name(), getpid());
  std::ofstream(file) << text;
  std::string said = "accepted";
  try {
    compile({.path = file,
             .function = function,
             .defines = {},
             .include_dirs = {},
             .function_constants = {{0, "true"}},
             .shared_settings = true},
            Flavour::fast);
  } catch (const SourceError& error) {
    said = error.what();
  }
  std::filesystem::remove(file);
  return said;
}

// Of many texts, in one process, which takes them one by one.
std::vector<std::string> refusals(const std::vector<std::string>& texts) {
  device::KernelSource source;
  source.path = "x.metal";
  source.function = "k";
  source.function_constants = {{0, "true"}};
  std::vector<std::string> said;
  for (const auto& one : compile_variants(source, texts, {}))
    said.push_back(one.module ? "accepted" : one.error);
  return said;
}

void expect_said(const std::string& said, const std::string& text, const std::string& part = "") {
  EXPECT_TRUE(std::regex_match(said, std::regex(R"((/.+\.metal|x\.metal)(:\d+)?: .+)"))) << said << "\n"
                                                                                         << text;
  EXPECT_THAT(said, HasSubstr(part)) << text;
}

void expect_refused(const std::string& text, const std::string& part = "") {
  expect_said(refusal(text), text, part);
}

void expect_all_refused(const std::vector<std::string>& texts) {
  const auto said = refusals(texts);
  for (std::size_t i = 0; i < texts.size(); ++i) expect_said(said[i], texts[i]);
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kRight;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(WrongTexts, TheRightOneIsLowered) { EXPECT_EQ(refusal(kRight), "accepted"); }

TEST(WrongTexts, CutShortAtEveryToken) {
  const auto tokens = tokenize(kRight, "x.metal").tokens;
  std::string text;
  std::vector<std::string> all;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {  // the last two are the "}" and the end of its line
    text += tokens[i].text;
    if (tokens[i].significant()) all.push_back(text);
  }
  EXPECT_GE(all.size(), 150u);
  expect_all_refused(all);
}

TEST(WrongTexts, WithoutOneOfItsBrackets) {
  std::vector<std::string> all;
  const std::size_t kernel = kRight.find("kernel void"), body = kRight.find(") {\n  staging");
  for (const char bracket : {'{', '}', '(', ')'}) {
    for (auto at = kRight.find(bracket, kernel); at != std::string::npos; at = kRight.find(bracket, at + 1)) {
      if (bracket == '{' ? at > body + 2 : bracket != '}' && at > body) break;
      std::string text = kRight;
      all.push_back(text.erase(at, 1));
    }
  }
  expect_all_refused(all);
}

struct Change {
  const char *from, *to, *part;
};

TEST(WrongTexts, ParametersThatNothingCanBeBoundTo) {
  for (const Change& one : {
           Change{" [[buffer(0)]]", "", ""},  // an implicit index: right, and tried for the table's sake
           Change{"device const half* from", "half from", "but is neither a pointer nor a reference"},
           Change{"constant Sizes& sizes [[", "Sizes sizes [[", "but is neither a pointer nor a reference"},
           Change{"threadgroup half* staging", "half staging", "but is neither a pointer nor a reference"},
           Change{"[[buffer(0)]]", "[[texture(0)]]", "has [[texture]"},
           Change{"[[buffer(0)]]", "[[sampler(0)]]", "has [[sampler]"},
           Change{"[[buffer(0)]]", "[[bufer(0)]]", "[[bufer] is"},
           Change{"[[buffer(0)]]", "[[stage_in]]", "[[stage_in]"},
           Change{"[[thread_position_in_grid]]", "", "has no attribute"},
           Change{"[[thread_position_in_grid]]", "[[thread_position]]", "[[thread_position]"},
           Change{"uint2 at", "device uint2* at", "is a pointer, but [[thread_position_in_grid]] is a value"},
           Change{"kernel void k", "void k", "no kernel function `k`"},
           Change{"kernel void k", "kernel void other", "no kernel function `k`; the file has: other"},
           Change{"kernel void k", "template <class T> kernel void k", "is a template"},
           Change{"kernel void k(", "kernel struct k (", ""},
           Change{"[[function_constant(0)]]", "[[function_constant(unknown)]]",
                  "undeclared identifier 'unknown'"},
       }) {
    if (*one.part == '\0') {
      refusal(with(one.from, one.to));  // whatever it says, it does not crash
      continue;
    }
    const std::string said = refusal(with(one.from, one.to));
    EXPECT_THAT(said, testing::StartsWith("x.metal"));
    EXPECT_THAT(said, HasSubstr(std::string(one.part).substr(0, std::string(one.part).find("]")))) << one.to;
  }
}

TEST(WrongTexts, AKernelThatIsDefinedTwice) {
  const std::string other = "kernel void k(device half* to [[buffer(0)]]) { to[0] = 1; }\n";
  const std::string named =
      "[[host_name(\"k\")]] kernel void l(device half* to [[buffer(0)]]) { to[0] = 1; }\n";
  const std::string body = kRight.substr(kRight.find("kernel void"));
  for (const auto& more : {other, named, body})
    expect_refused(kRight + more, "the kernel `k` is defined twice; the first definition is at x.metal:6");
  // In a namespace, under a name of its own for the host, as a template, or declared only, it is another.
  for (const auto& more :
       {"namespace n {\n" + other + "}\n", "[[host_name(\"l\")]] " + other, "template <typename T> " + other,
        std::string("kernel void l(device half* to [[buffer(0)]]);\n")})
    EXPECT_EQ(refusal(kRight + more), "accepted") << more;
}

TEST(WrongTexts, NothingAtAll) {
  for (const char* text :
       {"", "\n", "// kernel void k() {}\n", "#pragma once\n", ";", "\x01\x02", "kernel", "kernel void",
        "kernel void k", "kernel void k(", "kernel void k()", "kernel void k();", "[[kernel]]", "]]"}) {
    expect_refused(text);
  }
  EXPECT_EQ(refusal(std::string("kernel void k\0() {}", 19)), "accepted");  // the preprocessor drops it
}

// Indices are expressions, and function constants switch parameters off.
class CompiledTexts : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("assay-wrong-text-{}-{}",
                          testing::UnitTest::GetInstance()->current_test_info()->name(), getpid());
    std::filesystem::create_directories(folder_ / "include");
    std::ofstream(folder_ / "include/used.h") << "\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  device::KernelSource source(const std::string& text) const {
    std::ofstream(folder_ / "k.metal") << text;
    return {.path = folder_ / "k.metal",
            .function = "k",
            .defines = {},
            .include_dirs = {},
            .function_constants = {}};
  }
  static std::string refusal(const device::KernelSource& source) {
    try {
      compile(source, Flavour::fast);
    } catch (const SourceError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path folder_;
};

TEST_F(CompiledTexts, TwoParametersAtOneIndex) {
  EXPECT_THAT(refusal(source("kernel void k(device int* a [[buffer(0)]],\n"
                             "              device int* b [[buffer(0)]]) { *a = *b; }\n")),
              testing::AllOf(HasSubstr("k.metal:2: "),
                             HasSubstr("`b`: [[buffer(0)]] is taken by an earlier parameter")));
  EXPECT_THAT(refusal(source("constant constexpr int kFirst = 3;\n"
                             "kernel void k(device int* a [[buffer(3)]],\n"
                             "              constant int& b [[buffer(kFirst)]]) { *a = b; }\n")),
              testing::AllOf(HasSubstr("k.metal:3: "),
                             HasSubstr("`b`: [[buffer(kFirst)]] is taken by an earlier parameter")));
  EXPECT_THAT(refusal(source("kernel void k(device int* a [[buffer(31)]]) { *a = 1; }\n")),
              testing::AllOf(HasSubstr("k.metal:1: "), HasSubstr("indices are 0 to 30")));
}

TEST_F(CompiledTexts, ClosedOnceTooOften) {
  EXPECT_THAT(refusal(source("kernel void k(device int* a [[buffer(0)]]) {\n  if (*a) *a = 1; }\n}\n")),
              HasSubstr("k.metal:3: "));
}

TEST_F(CompiledTexts, OneIndexForTwoOfWhichOneIsThere) {
  auto one_of_two = source(
      "constant bool wide [[function_constant(7)]];\n"
      "constant bool narrow = !wide;\n"
      "kernel void k(device int* a [[buffer(0), function_constant(wide)]],\n"
      "              device short* b [[buffer(0), function_constant(narrow)]],\n"
      "              threadgroup int* c [[threadgroup(0)]]) {\n"
      "  if (wide) *a = 1; else *b = 1;\n  *c = 1;\n}\n");
  one_of_two.function_constants = {{7, "true"}};
  EXPECT_EQ(refusal(one_of_two), "accepted");
}

TEST_F(CompiledTexts, SettingsThatTheTextHasNoUseFor) {
  auto constants = source(
      "constant int used [[function_constant(1)]];\n"
      "constant int unused [[function_constant(2)]];\n"
      "void other() { (void)unused; }\n"
      "kernel void k(device int* a [[buffer(0)]]) { *a = used; }\n");
  constants.function_constants = {{1, "5"}};
  EXPECT_EQ(refusal(constants), "accepted");
  constants.function_constants = {{1, "5"}, {2, "6"}};
  EXPECT_THAT(refusal(constants),
              HasSubstr("function_constants.2: k uses no [[function_constant(2)]]; it uses 1"));
  constants.function_constants = {{1, "5"}, {9, "6"}};
  EXPECT_THAT(refusal(constants), HasSubstr("function_constants.9: "));

  auto includes = source("#include \"used.h\"\nkernel void k(device int* a [[buffer(0)]]) { *a = 1; }\n");
  includes.include_dirs = {folder_ / "include"};
  EXPECT_EQ(refusal(includes), "accepted");
  std::filesystem::create_directories(folder_ / "spare");
  includes.include_dirs = {folder_ / "include", folder_ / "spare"};
  EXPECT_THAT(refusal(includes), HasSubstr("include_dirs[1]: k.metal includes nothing from "));
  try {
    compile(includes, Flavour::fast);
  } catch (const UnusedSetting& unused) {
    EXPECT_EQ(unused.field(), "include_dirs[1]");
  }
}

}  // namespace
}  // namespace assay::wrong_texts
