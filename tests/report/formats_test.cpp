// Every verdict there is, as JSON that is what its schema says, as JUnit that a JUnit parser reads, and as
// commands of GitHub's workflows.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "harness/report/annotations.hpp"
#include "harness/report/collect.hpp"
#include "harness/report/fields.hpp"
#include "harness/report/json_report.hpp"
#include "harness/report/junit.hpp"
#include "tests/error_of.hpp"
#include "tests/report/results_of.hpp"
#include "tests/report/validate.hpp"

namespace assay::report {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A file that goes with the test.
class File {
 public:
  explicit File(const std::string& text) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::temp_directory_path() / fmt::format("assay-{}-{}", test->name(), getpid());
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~File() { fs::remove(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string junit(const Results& results) {
  const File file(junit_text(results, "2026-01-31T12:00:00"));
  return tests::read_junit(file.path());
}

std::string fault_of(const nlohmann::json& json) {
  const File file(json_text(json));
  return tests::fault_of_json({file.path()});
}

TEST(Schema, HoldsForEveryVerdict) { EXPECT_EQ(fault_of(to_json(every_verdict())), ""); }

TEST(Schema, RefusesWhatTheReaderRefuses) {
  for (const char* pointer : {"/kernels/3/verdict", "/kernels/3/modes/0/mode", "/settings/seed", "/shard/of",
                              "/version", "/command", "/more", "/kernels/0/more", "/settings/more"}) {
    auto json = to_json(every_verdict());
    json[nlohmann::json::json_pointer(pointer)] = "other";
    EXPECT_NE(fault_of(json), "") << pointer;
  }
}

TEST(JUnit, ShowsEveryVerdict) {
  const auto shown = junit(every_verdict());
  EXPECT_THAT(
      shown,
      StartsWith(
          "36 14 3 0\nk0 fast pass\nk0 checked pass\nk1 fast pass\nk1 checked failure: wrong result\n"));
  for (int i = 0; i <= static_cast<int>(Verdict::error); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    const char* const kind = assay::exit_status(verdict) == 1   ? "failure: "
                             : assay::exit_status(verdict) == 2 ? "error: "
                                                                : "";
    EXPECT_THAT(shown, HasSubstr(fmt::format("k{} checked {}{}\n", i, kind, name_of(verdict))));
  }
}

TEST(JUnit, TextOfStrangersIsEscaped) {
  auto results = every_verdict();
  auto& kernel = std::get<Verified>(results.found).kernels.at(3);
  kernel.name = "<k>&\"\x01\xff";
  results.run.manifest = "a\"<b>.toml";
  kernel.report.modes.at(1).text = "]]> </failure> \x1b[2J \xed\xa0\x80 \xef\xbf\xbf \r\n\t ok";
  EXPECT_THAT(junit(results), HasSubstr("<k>&\"\xEF\xBF\xBD\xEF\xBF\xBD checked failure: race"));
}

TEST(JUnit, HoldsWhatXmlMay) {
  EXPECT_EQ(xml_characters("a\tb\nc d\xC3\xA9\xF0\x9F\x98\x80"), "a\tb\nc d\xC3\xA9\xF0\x9F\x98\x80");
  const std::string replacement = "\xEF\xBF\xBD";
  EXPECT_EQ(xml_characters(std::string_view("\0|\x1b|\r", 5)),
            replacement + "|" + replacement + "|" + replacement);
  EXPECT_EQ(xml_characters("\xef\xbf\xbe|\xff"), replacement + "|" + replacement);
}

TEST(JUnit, IsOfVerifyAlone) {
  Results results;
  results.run.command = "mutate";
  results.found = Mutated{};
  EXPECT_THAT(error_of<ReportError>([&] { junit_text(results, ""); }), HasSubstr("--junit"));
}

TEST(Annotations, AreOneLineAKernelThatDoesNotPass) {
  const auto kernels = std::get<Verified>(every_verdict().found);
  const auto lines = annotations(kernels, fs::current_path());
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 17);
  EXPECT_THAT(lines,
              StartsWith("::error file=k1.metal,line=12,title=k1%3A wrong result (checked)::what is wrong%0A"
                         "assay replay 'kernel=k manifest=m.toml mode=fast'\n"));
}

TEST(Annotations, StandAtTheFaultWhereItIsKnown) {
  Verified kernels{{kernel_result("k", {mode_report(kChecked, Verdict::race)})}};
  kernels.kernels[0].report.modes[0].place = {(fs::current_path() / "include/f.h").string(), 25};
  EXPECT_THAT(annotations(kernels, fs::current_path()), StartsWith("::error file=include/f.h,line=25,"));
  EXPECT_THAT(annotations(kernels, fs::current_path() / "include"), StartsWith("::error file=f.h,line=25,"));
  EXPECT_THAT(annotations(kernels, "/elsewhere"),
              HasSubstr(fs::current_path().string() + "/include/f.h,line=25"));
}

// A name or a message must not end its field, its line, nor begin another command.
TEST(Annotations, EscapeTextOfStrangers) {
  Verified kernels{{kernel_result("k,line=1::\n::stop-commands::x", {mode_report(kChecked, Verdict::race)})}};
  kernels.kernels[0].report.modes[0].summary = "100%\r\n::add-mask::a";
  const auto line = annotations(kernels, fs::current_path());
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_THAT(line, AllOf(HasSubstr("title=k%2Cline=1%3A%3A%0A%3A%3Astop-commands%3A%3Ax%3A race"),
                          HasSubstr("::100%25"), HasSubstr("%0A::add-mask::a%0A"), Not(HasSubstr("\r"))));
}

TEST(FunctionLine, IsThatOfItsParameters) {
  const char* text =
      "// k(): see below\n#include <x>\nkernel void kk(int a);\nhelper(k);\nkernel void k (\n  int a) {}\n";
  EXPECT_EQ(function_line(text, "k"), 5U);
  EXPECT_EQ(function_line("template<int n>\n[[host_name(\"k\")]] kernel f\n", "k"), 2U);
  EXPECT_EQ(function_line("", "k"), 1U);
  EXPECT_EQ(function_line("nothing here", "k"), 1U);
}

}  // namespace
}  // namespace assay::report
