// What lowering costs and gives for a kernel in a long file.
#include "tests/metal/long_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>
#include <string>

#include "harness/metal/declaration.hpp"
#include "harness/metal/lower.hpp"
#include "harness/metal/prune.hpp"
#include "harness/mutate/mutation.hpp"

namespace assay::metal {
namespace {

std::string lowered(const std::string& text, const char* kernel) {
  return lower(tokenize(text, "long.metal"), {.function = kernel}).text;
}

std::uint64_t visits(const std::function<void()>& work) {
  const auto before = tokens_visited();
  work();
  return tokens_visited() - before;
}

// Without line markers and white space.
std::string bare(const std::string& text) {
  std::string all;
  for (const auto& token : tokenize(text, "").tokens) {
    if (!token.keeps_lines()) all += token.text + " ";
  }
  return all;
}

// Texts that grow with a number, each with a kernel to lower.
struct Growing {
  const char* name;
  const char* kernel;
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
    {"nearly_all_pruned", "uses_one", [](std::size_t n) { return long_file(n, Unnamed::none); }},
    {"most_pruned", "uses_one", [](std::size_t n) { return long_file(n, Unnamed::some); }},
    {"most_live", "uses_all", [](std::size_t n) { return long_file(n, Unnamed::some); }},
    {"one_enumeration", "k",
     [](std::size_t n) {
       return "enum E {" + repeated(20 * n, " e#,") + " last };\nkernel void k() { e0; }";
     }},
    {"specialisations", "k",
     [](std::size_t n) {
       return "template <class T> T f();\n" +
              repeated(n, "template <> vec<int, 2> f<int[#]>() { return #; }\n") +
              "kernel void k() { f<int[1]>(); }";
     }},
    {"blank_lines", "k",
     [](std::size_t n) {
       return repeated(20 * n, "\n") + "kernel void k() {" + repeated(n, "\n\n\n") + "}";
     }},
    {"one_table", "k",
     [](std::size_t n) {
       return "kernel void k() { const int2 t[] = {" + repeated(20 * n, "{#, 2},\n") + "}; }";
     }},
    {"one_list_of_elements", "k",
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

// Guards against passes that walk again and again over what does not stay: twice the text took four times as
// long, and 12,000 lines 30 s.
TEST_P(LongText, LoweringLooksAtTwiceAsManyTokensInATextTwiceAsLong) {
  const auto cost = [&](std::size_t n) {
    auto text = tokenize(GetParam().text(n), "long.metal");
    return visits([&] { lower(std::move(text), {.function = GetParam().kernel}); });
  };
  const auto once = cost(30), twice = cost(60);
  EXPECT_GT(twice, once);
  EXPECT_LE(static_cast<double>(twice), 2.1 * static_cast<double>(once));
}

TEST_P(LongText, FindingMutationsLooksAtTwiceAsManyTokensInATextTwiceAsLong) {
  const auto cost = [&](std::size_t n) {
    const auto text = tokenize(GetParam().text(n), "long.metal");
    return visits([&] { mutate::mutations_of(text, live_tokens(text, {.function = GetParam().kernel})); });
  };
  const auto once = cost(30), twice = cost(60);
  EXPECT_GT(twice, once);
  EXPECT_LE(static_cast<double>(twice), 2.1 * static_cast<double>(once));
}

// Passes behind the pruning do not pay for the rest of the file at all.
TEST(KeepOnly, LeavesOneTokenForADroppedPart) {
  auto text = tokenize(long_file(50, Unnamed::none), "long.metal");
  const auto lines = text.str();
  auto declarations = declarations_of(text);
  std::vector<bool> stays(declarations.size(), false);
  stays[0] = stays.back() = true;
  const auto last_name = declarations.back().name;
  keep_only(text, declarations, stays);
  ASSERT_EQ(declarations.size(), 2U);
  EXPECT_LT(text.tokens.size(), 100U);
  EXPECT_EQ(declarations[1].name, last_name);
  EXPECT_TRUE(text.tokens[*declarations[1].body].is("{"));
  EXPECT_TRUE(text.tokens[*declarations[1].parameters].is("("));
  EXPECT_TRUE(text.tokens[declarations[1].header].is("kernel"));
  EXPECT_TRUE(text.tokens[declarations[1].range.end - 1].is("}"));
  const auto left = text.str();
  EXPECT_EQ(std::count(left.begin(), left.end(), '\n'), std::count(lines.begin(), lines.end(), '\n'));
}

TEST(Lowering, OutOfALongFileIsWhatItIsOutOfAShortOne) {
  EXPECT_EQ(bare(lowered(long_file(40, Unnamed::none), "uses_one")),
            bare(lowered(long_file(1, Unnamed::none), "uses_one")));
}

// Every line of the long text has the number it had.
TEST(Lowering, OutOfALongFileKeepsLineNumbers) {
  const auto made = tokenize(lowered(long_file(20, Unnamed::some), "uses_all"), "");
  const auto source = tokenize(long_file(20, Unnamed::some), "");
  const auto places = [](const TokenText& text) {
    std::map<std::string, std::pair<std::string, std::uint32_t>> first;  // by word
    for (const auto& token : text.tokens) {
      if (token.is_word()) first.try_emplace(token.text, text.files[token.file], token.line);
    }
    return first;
  };
  const auto before = places(source), after = places(made);
  for (std::size_t n = 0; n < 20; ++n) {
    for (const char* word : {"Block", "pick", "dot", "length", "sum", "multiply", "table"}) {
      const auto name = word + std::to_string(n);
      ASSERT_TRUE(after.contains(name)) << name;
      EXPECT_EQ(after.at(name), before.at(name)) << name;
    }
  }
}

}  // namespace
}  // namespace assay::metal
