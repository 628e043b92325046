// What it costs to look for faults in a long file.
#include "tests/metal/long_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "harness/mutate/mutation.hpp"
#include "tests/metal/syntax.hpp"

namespace assay::metal {
namespace {

std::uint64_t visits(const std::function<void()>& work) {
  const auto before = tokens_visited();
  work();
  return tokens_visited() - before;
}

// Texts that grow with a number.
struct Growing {
  const char* name;
  std::string (*text)(std::size_t n);

  friend void PrintTo(const Growing& growing, std::ostream* out) { *out << growing.name; }
};

// `n` times `piece`, in which "#" is the number.
std::string repeated(std::size_t n, const std::string& piece) {
  std::string all;
  for (std::size_t i = 0; i < n; ++i) {
    for (const char c : piece) all += c == '#' ? std::to_string(i) : std::string(1, c);
  }
  return all;
}

const Growing kGrowing[] = {
    {"nearly_all_pruned", [](std::size_t n) { return long_file(n, Unnamed::none); }},
    {"most_pruned", [](std::size_t n) { return long_file(n, Unnamed::some); }},
    {"most_live", [](std::size_t n) { return long_file(n, Unnamed::some); }},
    {"one_enumeration",
     [](std::size_t n) {
       return "enum E {" + repeated(20 * n, " e#,") + " last };\nkernel void k() { int x = 0; " +
              repeated(n, "x += e#; ") + "}";
     }},
    {"specialisations",
     [](std::size_t n) {
       return "template <class T> T f();\n" +
              repeated(n, "template <> vec<int, 2> f<int[#]>() { return #; }\n") +
              "kernel void k() { f<int[1]>(); }";
     }},
    {"blank_lines",
     [](std::size_t n) {
       return repeated(20 * n, "\n") + "kernel void k() { int x = 0;" + repeated(n, "\n\n\nx += #;") + "}";
     }},
    {"one_table",
     [](std::size_t n) {
       return "kernel void k() { const int2 t[] = {" + repeated(20 * n, "{#, 2},\n") + "}; }";
     }},
    {"one_list_of_elements",
     [](std::size_t n) {
       return "kernel void k() { int a[1]; f(a[0]" + repeated(20 * n, ",\na[0]") + "); }";
     }},
};
class LongText : public testing::TestWithParam<Growing> {};
INSTANTIATE_TEST_SUITE_P(All, LongText, testing::ValuesIn(kGrowing),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(LongFile, HasTheLinesItSays) {
  const auto text = long_file(7, Unnamed::some);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 7 * kUnitLines + kOtherLines);
}

// Guards against walks again and again over what does not matter: twice the text took four times as long.
TEST_P(LongText, FindingMutationsLooksAtTwiceAsManyTokensInATextTwiceAsLong) {
  const auto cost = [&](std::size_t n) {
    const auto text = tokenize(GetParam().text(n), "long.metal");
    const auto syntax = syntax_of(text.str());
    return visits([&] { mutate::mutations_of(text, std::vector<bool>(text.tokens.size(), true), syntax); });
  };
  const auto once = cost(30), twice = cost(60);
  EXPECT_GT(twice, once);
  EXPECT_LE(static_cast<double>(twice), 2.1 * static_cast<double>(once));
}

}  // namespace
}  // namespace assay::metal
