// Command lines that mean nothing: one line on standard error that names what is wrong, and status 2. Options
// took "0x10", " 5", "-1" and 2^64 for numbers, flags took values, and an unset variable made `[]` or
// `--report=` of an argument.
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

void expect_refused(const Words& arguments, const std::string& names) {
  const auto result = assay(arguments);
  const std::string line = fmt::format("{}", fmt::join(arguments, " "));
  EXPECT_EQ(result.exit_code, 2) << line << "\n" << result.out << result.err;
  EXPECT_EQ(result.out, "") << line;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << line << "\n" << result.err;
  EXPECT_THAT(result.err, HasSubstr(names)) << line;
  EXPECT_LT(result.err.size(), 4200u) << line;
  EXPECT_TRUE(std::none_of(result.err.begin(), result.err.end(), [](char c) {
    return c == '\x1b' || c == '\r';
  })) << line;
}

struct NumberOption {
  Words command;
  std::string name, below,
      above;  ///< the largest that is too small, where there is one, the smallest too large
};

const std::string k2To64 = "18446744073709551616";

const NumberOption kNumberOptions[] = {
    {{"verify"}, "--cases", "0", "1000001"},
    {{"verify"}, "--seed", "-1", k2To64},
    {{"verify"}, "--jobs", "0", "257"},
    {{"verify"}, "--timeout", "0", "1000001"},
    {{"verify", "--exhaustive"}, "--words", "0", "4294967297"},
    {{"verify", "--exhaustive"}, "--first-word", "-1", "4294967296"},
    {{"fuzz"}, "--seed", "-1", k2To64},
    {{"fuzz"}, "--rounds", "0", "1000001"},
    {{"fuzz"}, "--jobs", "0", "257"},
    {{"fuzz"}, "--timeout", "0", "1000001"},
    {{"replay", "kernel=k"}, "--timeout", "0.0009", "1000000.1"},
    {{"golden", "make", "--operation", "gemm_fp4", "--out", "no/such/folder"}, "--cases", "0", "1000001"},
    {{"golden", "make", "--operation", "gemm_fp4", "--out", "no/such/folder"}, "--seed", "-1", k2To64},
    {{"mutate"}, "--sample", "0", "1000001"},
    {{"mutate"}, "--cases", "0", "1000001"},
    {{"mutate"}, "--seed", "-1", k2To64},
    {{"mutate"}, "--jobs", "0", "257"},
    {{"repair"}, "--cases", "0", "1000001"},
    {{"repair"}, "--seed", "-1", k2To64},
    {{"repair"}, "--jobs", "0", "257"},
};

class NumberOptions : public testing::TestWithParam<NumberOption> {};
INSTANTIATE_TEST_SUITE_P(All, NumberOptions, testing::ValuesIn(kNumberOptions), [](const auto& of) {
  const Words& words = of.param.command;
  const bool exhaustive = words.back() == "--exhaustive";
  std::string name = words.front() + (exhaustive ? "_exhaustive_" : "_") + of.param.name.substr(2);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(NumberOptions, TakeDecimalDigitsWithinTheirRange) {
  const auto& option = GetParam();
  const Words values = {option.below, option.above, "+5",    " 5",
                        "5 ",         "0x10",       "0b1",   "1e3",
                        "1e-300",     "5.",         ".5",    "5..5",
                        "5,000",      "5'000",      "nan",   "inf",
                        "five",       "5s",         "0777x", "99999999999999999999999999",
                        "\xD9\xA5",   "\x1b[31m5",  "5\n5",  std::string(100'000, '7'),
                        "{}",         "true"};
  for (const auto& value : values) {
    Words arguments = option.command;
    arguments.push_back(option.name + "=" + value);
    expect_refused(arguments, option.name + ": `");
  }
  for (const Words& rest :
       {Words{option.name}, Words{option.name + "=", "5"}, Words{option.name, "5", option.name, "5"}}) {
    Words arguments = option.command;
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    expect_refused(arguments, option.name);
  }
}

struct WrongLine {
  Words arguments;
  std::string names;
};

void PrintTo(const WrongLine& line, std::ostream* out) {
  *out << fmt::format("{:.60}", fmt::format("{}", fmt::join(line.arguments, " ")));
}

const WrongLine kWrongLines[] = {
    {{}, "assay must be followed by one of list"},
    {{"frobnicate"}, "`frobnicate` is not one of list"},
    {{"--frobnicate"}, "--frobnicate"},
    {{""}, "``"},
    {{"lis"}, "`lis`"},
    {{"LIST"}, "`LIST`"},
    {{"list", "verify"}, "`verify`"},
    {{"list", "--seed", "1"}, "`--seed`"},
    {{"list", "--manifest"}, "--manifest: the value is missing"},
    {{"list", "--manifest="}, "--manifest="},
    {{"list", "--manifest", ""}, "--manifest"},
    {{"list", "--manifest", "a", "--manifest", "b"}, "--manifest: is given more than once"},
    {{"list", "--manifest", "no/such.toml"}, "no/such.toml"},
    {{"list", "--manifest", "no/such\x1b[31m.toml"}, "no/such\\x1b[31m.toml"},
    {{"list", "--manifest", "{}"}, "{}"},
    {{"list", "--manifest", std::string(100'000, 'm')}, "mmmm...["},
    {{"list", "-manifest", "x"}, "-manifest"},
    {{"verify", "[]"}, "`[]`"},
    {{"verify", "[dequant_fp4]"}, "`[dequant_fp4]`"},
    {{"verify", ""}, "no kernel ``"},
    {{"verify", "no_such_kernel"}, "`no_such_kernel`"},
    {{"verify", std::string(100'000, 'k')}, "no kernel `kkkk"},
    {{"verify", "\x1b]0;title\x07"}, "\\x1b]0;title\\x07"},
    {{"verify", "dequant_fp4\nassay: all is well"}, "no kernel `dequant_fp4\\x0aassay"},
    {{"verify", "--mode", "quick"}, "--mode: `quick` is not one of fast, checked, both"},
    {{"verify", "--mode", "FAST"}, "--mode"},
    {{"verify", "--mode="}, "--mode="},
    {{"verify", "--numerics", "loose"}, "--numerics"},
    {{"verify", "--mode", "checked", "--numerics", "contracted"}, "--numerics"},
    {{"verify", "--mode", "checked", "--laws"}, "--laws"},
    {{"verify", "--mode", "checked", "--exhaustive"}, "--exhaustive"},
    {{"verify", "--trace=5"}, "trace"},
    {{"verify", "--coverage=no"}, "coverage"},
    {{"verify", "--exhaustive=0"}, "exhaustive"},
    {{"verify", "--words", "5"}, "--words"},
    {{"verify", "--first-word", "5"}, "--first-word"},
    {{"verify", "--exhaustive", "--laws"}, "--laws"},
    {{"verify", "--exhaustive", "--cases", "5"}, "--cases"},
    {{"verify", "--exhaustive", "--seed", "5"}, "--seed"},
    {{"verify", "--exhaustive", "--trace"}, "--trace"},
    {{"verify", "--laws", "--trace"}, "--trace"},
    {{"verify", "--exhaustive", "rans_decode"}, "rans_decode"},
    {{"verify", "--casse", "7"}, "`--casse`"},
    {{"verify", "--", "--cases"}, "`--cases`"},
    {{"fuzz", "--time", "5x"}, "`5x` is not a time"},
    {{"fuzz", "--time", "0"}, "`0` is not a time"},
    {{"fuzz", "--time", "h"}, "`h` is not a time"},
    {{"fuzz", "--time", "1 h"}, "`1 h` is not a time"},
    {{"fuzz", "--time", "1hm"}, "`1hm` is not a time"},
    {{"fuzz", "--time", "278h"}, "`278h` is not a time"},
    {{"fuzz", "--findings", ""}, "--findings"},
    {{"fuzz", "--findings", "/dev/null"}, "/dev/null"},
    {{"fuzz", "--findings", "/dev/null/x"}, "/dev/null/x"},
    {{"fuzz", "--cases", "5"}, "`--cases`"},
    {{"fuzz", "no_such_kernel"}, "`no_such_kernel`"},
    {{"replay"}, "line"},
    {{"replay", ""}, "kernel"},
    {{"replay", "kernel"}, "\"kernel\""},
    {{"replay", "kernel=\"x"}, "kernel"},
    {{"replay", "kernel=x kernel=y"}, "kernel"},
    {{"replay", "kernel=x", "manifest=y"}, "manifest=y"},
    {{"replay", "kernel=k manifest=no/such.toml mode=fast operation=gemm_fp4 regime=any seed=1"},
     "no/such.toml"},
    {{"golden"}, "golden must be followed by one of make, check"},
    {{"golden", "frob"}, "`frob` is not one of make, check"},
    {{"golden", "make"}, "--"},
    {{"golden", "make", "--operation", "gemm_fp4"}, "--out"},
    {{"golden", "make", "--operation", "gemm_fp4", "--out", ""}, "--out"},
    {{"golden", "make", "--out", "no/such/folder"}, "--operation"},
    {{"golden", "make", "--operation", "gemm_fp5", "--out", "no/such/folder"}, "gemm_fp5"},
    {{"golden", "make", "--operation", "", "--out", "no/such/folder"}, "operation"},
    {{"golden", "make", "--operation", "gemm_fp4", "--out", "/dev/null"}, "/dev/null"},
    {{"golden", "make", "--operation", "gemm_fp4", "--out", "/dev/null/set"}, "/dev/null/set"},
    {{"golden", "check"}, "directory"},
    {{"golden", "check", ""}, "directory"},
    {{"golden", "check", "no/such/folder"}, "no/such/folder"},
    {{"golden", "check", "/dev/null"}, "/dev/null"},
    {{"golden", "check", "a", "b"}, "`b`"},
    {{"profile", "--cases", "5"}, "`--cases`"},
    {{"profile", "no_such_kernel"}, "`no_such_kernel`"},
    {{"claims"}, "figures"},
    {{"claims", ""}, "figures"},
    {{"claims", "no/such.toml"}, "no/such.toml: figures: no such file"},
    {{"claims", "/"}, "/"},
    {{"mutate", "--report", "no/such/report.json"}, "no/such/report.json"},
    {{"mutate", "--report", "/dev/null"}, "/dev/null"},
    {{"verify", "--report", "/dev/null"}, "/dev/null"},
    {{"mutate", "--report="}, "--report="},
    {{"mutate", "--equivalents", "no/such.toml"}, "no/such.toml"},
    {{"mutate", "--equivalents", "/"}, "--equivalents"},
    {{"mutate", "--fresh=1"}, "fresh"},
    {{"mutate", "no_such_kernel"}, "`no_such_kernel`"},
    {{"cache", "frob"}, "`frob`"},
    {{"cache", "clear", "x"}, "`x`"},
    {{"repair", "no_such_kernel"}, "`no_such_kernel`"},
};

class WrongLines : public testing::TestWithParam<WrongLine> {};
INSTANTIATE_TEST_SUITE_P(All, WrongLines, testing::ValuesIn(kWrongLines));

TEST_P(WrongLines, AreRefused) {
  Words arguments = GetParam().arguments;
  const bool takes_manifest =
      !arguments.empty() && (arguments[0] == "verify" || arguments[0] == "fuzz" || arguments[0] == "mutate" ||
                             arguments[0] == "profile" || arguments[0] == "repair");
  if (takes_manifest) {
    arguments.insert(arguments.begin() + 1, {"--manifest", (kSource / "kernels/kernels.toml").string()});
  }
  expect_refused(arguments, GetParam().names);
}

// Leading zeros are decimal: CLI11 read them as octal.
TEST(Numbers, MayBeginWithZeros) {
  const Scratch scratch;
  const auto made = assay({"golden", "make", "--operation", "dequantize_fp4", "--cases", "010", "--seed",
                           "0007", "--out", (scratch / "set").string()});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("dequantize_fp4-7-0009.safetensors"));
}

// What is printed and lost was status 0.
TEST(FullDisk, OfStandardOutputIsSaidAndEndsWithStatus2) {
  const Scratch scratch;
  const std::string ours = (kSource / "kernels/kernels.toml").string();
  const std::string set = (scratch / "set").string();
  const Words commands[] = {{"list", "--manifest", ours},
                            {"--help"},
                            {"verify", "--help"},
                            {"--version"},
                            {"cache"},
                            {"verify", "--manifest", ours, "dequant_fp4"},
                            {"golden", "make", "--operation", "dequantize_fp4", "--out", set},
                            {"golden", "check", set}};
  for (const char* where : {"> /dev/full", ">&-"}) {
    for (const auto& command : commands) {
      Words shell = {"sh", "-c", fmt::format("exec \"$0\" \"$@\" {}", where), kProgram.string()};
      shell.insert(shell.end(), command.begin(), command.end());
      const auto result = metal::run_process(shell);
      EXPECT_EQ(result.exit_code, 2) << fmt::format("{} {}", fmt::join(command, " "), where);
      EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
      EXPECT_THAT(result.err, HasSubstr("standard output cannot be written")) << command.front();
    }
  }
}

TEST(Report, OfMutateIsTriedBeforeTheWorkAndLeavesWhatIsThere) {
  const Scratch scratch;
  const auto report = scratch.write("report.json", "an earlier one");
  const auto result = assay({"mutate", "--report", report.string(), "no_such_kernel"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(read(report), "an earlier one");
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.root()), {}), 1);
}

}  // namespace
}  // namespace assay::end_to_end
