// JSON reports: what is written is read again; what anybody else wrote is refused by file and field.
#include "harness/report/read_report.hpp"

#include <gmock/gmock.h>

#include "harness/report/json_report.hpp"
#include "tests/error_of.hpp"
#include "tests/report/results_of.hpp"

namespace assay::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string refused(const std::string& text) {
  return error_of<ReportError>([&] { parse_report(text, "r.json"); });
}

// A report of every verdict in which one value is another; "" removes it.
std::string refused_with(const std::string& pointer, const json& value) {
  json report = to_json(every_verdict());
  if (value.is_discarded()) {
    const json::json_pointer at(pointer);
    report.at(at.parent_pointer()).erase(at.back());
  } else {
    report[json::json_pointer(pointer)] = value;
  }
  return refused(report.dump());
}

Results mutated() {
  Results results;
  results.run = {"0.1.0", "mutate", {{"seed", 1}, {"cases", 200}, {"sample", 0}}, "m.toml", "00ff", {"k"}};
  const json mutant = {
      {"index", 4},   {"status", "survived"}, {"kind", "+ to -"},   {"file", "k.metal"},
      {"line", 3},    {"before", {"a + b"}},  {"after", {"a - b"}}, {"verdict", ""},
      {"mode", ""},   {"case", -1},           {"summary", ""},      {"criteria", {true, false, false, false}},
      {"whole", true}};
  results.found = Mutated{{MutantsResult{"k", "", 1, json::array({mutant}), 1, 2}}, {}};
  return results;
}

TEST(ReadReport, GivesWhatWasWritten) {
  auto results = every_verdict();
  auto& mode = std::get<Verified>(results.found).kernels[0].report.modes[0];
  mode.place = {"k.metal", 7};
  mode.coverage.add("code 0", 12);
  mode.same_as_strict = true;
  for (const auto& one : {results, mutated()}) {
    const auto written = to_json(one);
    EXPECT_EQ(to_json(parse_report(json_text(written), "r.json")), written);
  }
}

TEST(ReadReport, BytesThatAreNoTextAreReplaced) {
  auto results = every_verdict();
  std::get<Verified>(results.found).kernels[0].name = "\xff\x1b[2J";
  const auto text = json_text(to_json(results));
  EXPECT_THAT(text, HasSubstr("\xEF\xBF\xBD\\u001b[2J"));
  EXPECT_EQ(std::get<Verified>(parse_report(text, "r").found).kernels[0].name, "\xEF\xBF\xBD\x1b[2J");
}

TEST(ReadReport, NoReportIsRefused) {
  for (const char* text : {"", "{", "[]", "null", "1e999", "{\"format\": \"assay mutation report 1\"}"}) {
    EXPECT_THAT(refused(text), StartsWith("r.json: ")) << text;
  }
  EXPECT_THAT(refused(std::string(100'000, '[')), HasSubstr("too deep"));
  EXPECT_THAT(refused_with("/version", 2), HasSubstr("version: 2 is not known"));
}

TEST(ReadReport, WrongFieldsAreNamed) {
  const json gone(json::value_t::discarded);
  EXPECT_THAT(refused_with("/kernels/3/modes/1/verdict", gone),
              HasSubstr("kernels[3].modes[1].verdict: is missing"));
  EXPECT_THAT(refused_with("/kernels/3/modes/1/verdict", "fine"), HasSubstr("`fine` is not a verdict"));
  EXPECT_THAT(refused_with("/kernels/3/modes/1/mode", "slow"), HasSubstr("`slow` is not a mode"));
  EXPECT_THAT(refused_with("/kernels/3/modes/1/cases", -1), HasSubstr("cases: must be a whole number"));
  EXPECT_THAT(refused_with("/kernels/3/modes/1/seconds", -1), HasSubstr("seconds: must not be negative"));
  EXPECT_THAT(refused_with("/kernels/3/modes/1/coverage", {{"x", 0}}), HasSubstr("coverage"));
  EXPECT_THAT(refused_with("/kernels/3/modes/1/place", {{"file", "f"}, {"line", 1ULL << 40}}),
              HasSubstr("line"));
  EXPECT_THAT(refused_with("/kernels/3/modes", json::array()), HasSubstr("modes: must not be empty"));
  EXPECT_THAT(refused_with("/kernels", json::object()), HasSubstr("kernels: must be a list"));
  EXPECT_THAT(refused_with("/shard/of", 0), HasSubstr("shard.of"));
  EXPECT_THAT(refused_with("/shard/index", 2), HasSubstr("shard.index: must be from 1 to 1"));
  EXPECT_THAT(refused_with("/settings/modes", {"fast", "fast"}), HasSubstr("settings.modes"));
  EXPECT_THAT(refused_with("/chosen/1", "k0"), HasSubstr("chosen: names a kernel twice"));
  EXPECT_THAT(refused_with("/command", "rm -rf"), HasSubstr("command: `rm -rf` is not one of"));
}

// A file that says "pass" above a race, or has a field that nobody knows.
TEST(ReadReport, WhatDoesNotFollowIsRefused) {
  EXPECT_THAT(refused_with("/kernels/3/verdict", "pass"), HasSubstr("/kernels/3/verdict: does not follow"));
  EXPECT_THAT(refused_with("/kernels/3/exit_status", 0), HasSubstr("/kernels/3/exit_status"));
  EXPECT_THAT(refused_with("/exit_status", 0), HasSubstr("/exit_status"));
  EXPECT_THAT(refused_with("/kernels/3/more", 0), HasSubstr("/kernels/3/more"));
  json report = to_json(mutated());
  report["kernels"][0]["totals"]["survived"] = 0;
  EXPECT_THAT(refused(report.dump()), HasSubstr("/kernels/0/totals/survived"));
}

TEST(ReadReport, MessagesAreOneLineWithoutControlCharacters) {
  const auto message = refused_with("/command", "a\n\x1b[2J");
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  EXPECT_THAT(message, Not(HasSubstr("\x1b")));
}

TEST(ReadReport, FilesThatCannotBeReadAreNamed) {
  for (const char* file : {"no/such.json", "/", "/dev/null"}) {
    EXPECT_THAT(error_of<ReportError>([&] { read_report(file); }), StartsWith(std::string(file) + ": "))
        << file;
  }
}

}  // namespace
}  // namespace assay::report
