// Shards joined: what one run says, or a line that says why not.
#include "harness/report/merge.hpp"

#include <gmock/gmock.h>

#include <functional>

#include "harness/report/json_report.hpp"
#include "tests/error_of.hpp"
#include "tests/report/results_of.hpp"

namespace assay::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<std::string> kNames = {"b", "a"};

Results whole() {
  return verified(
      kNames,
      {kernel_result("b", {mode_report(kFast, Verdict::pass), mode_report(kChecked, Verdict::race)}),
       kernel_result("a", {mode_report(kFast, Verdict::vacuous), mode_report(kChecked, Verdict::pass)})});
}

// As three machines would have written them.
std::vector<Part> shards() {
  const auto all = std::get<Verified>(whole().found).kernels;
  const auto only = [](KernelResult kernel, std::size_t mode) {
    kernel.report.modes = {kernel.report.modes.at(mode)};
    return kernel;
  };
  return {{"1.json", verified(kNames, {only(all[0], 0), only(all[1], 1)}, {1, 3})},
          {"2.json", verified(kNames, {only(all[1], 0)}, {2, 3})},
          {"3.json", verified(kNames, {only(all[0], 1)}, {3, 3})}};
}

std::string refused(const std::function<void(std::vector<Part>&)>& change) {
  auto parts = shards();
  change(parts);
  return error_of<ReportError>([&] { merge(parts); });
}

TEST(Merge, GivesWhatOneRunSaysInAnyOrder) {
  auto parts = shards();
  auto wanted = whole();
  wanted.seconds = 6;
  EXPECT_EQ(to_json(merge(parts)), to_json(wanted));
  std::swap(parts[0], parts[2]);
  EXPECT_EQ(to_json(merge(parts)), to_json(wanted));
  EXPECT_EQ(exit_status(merge(parts)), 1);
}

TEST(Merge, OneReportOfAWholeRunIsItself) {
  EXPECT_EQ(to_json(merge({{"all.json", whole()}})), to_json(whole()));
}

TEST(Merge, MissingAndDoubledShardsAreRefused) {
  EXPECT_THAT(refused([](auto& parts) { parts.erase(parts.begin() + 1); }),
              HasSubstr("shard 2/3 of the same run is missing"));
  EXPECT_THAT(refused([](auto& parts) { parts.pop_back(); }),
              HasSubstr("shard 3/3 of the same run is missing"));
  EXPECT_THAT(refused([](auto& parts) { parts.push_back(parts[1]); }),
              AllOf(HasSubstr("2.json: "), HasSubstr("there twice")));
  EXPECT_THAT(refused([](auto& parts) { parts.clear(); }), HasSubstr("no report"));
}

TEST(Merge, ShardsOfOtherRunsAreRefused) {
  const auto other = [](const std::function<void(Results&)>& change) {
    return refused([&](auto& parts) { change(parts[1].results); });
  };
  EXPECT_THAT(
      other([](Results& r) { r.run.settings["seed"] = 2; }),
      AllOf(HasSubstr("2.json: settings.seed: is 2, in 1.json 1"), HasSubstr("no shards of one run")));
  EXPECT_THAT(other([](Results& r) { r.run.settings["cases"] = 10; }), HasSubstr("settings.cases"));
  EXPECT_THAT(other([](Results& r) { r.run.settings["modes"] = {"fast"}; }), HasSubstr("settings.modes"));
  EXPECT_THAT(other([](Results& r) { r.run.assay = "9"; }), HasSubstr("assay: is \"9\""));
  EXPECT_THAT(other([](Results& r) { r.run.content = "11"; }), HasSubstr("manifest.content"));
  EXPECT_THAT(other([](Results& r) { r.run.chosen.pop_back(); }), HasSubstr("chosen"));
  EXPECT_THAT(other([](Results& r) { r.shard.of = 4; }), HasSubstr("shard.of: is 4, in 1.json 3"));
}

TEST(Merge, WhatNobodyOrTwoHaveJudgedIsRefused) {
  const auto kernels = [](Part & part) -> auto& { return std::get<Verified>(part.results.found).kernels; };
  EXPECT_THAT(refused([&](auto& parts) { kernels(parts[2]).clear(); }),
              HasSubstr("kernel b: mode checked is in none of"));
  EXPECT_THAT(refused([&](auto& parts) { kernels(parts[1]).push_back(kernels(parts[2])[0]); }),
              HasSubstr("kernel b: mode checked is more than once in"));
  EXPECT_THAT(refused([&](auto& parts) { kernels(parts[1])[0].name = "c"; }),
              HasSubstr("c is not one of those chosen"));
  EXPECT_THAT(refused([&](auto& parts) {
                kernels(parts[1])[0].report.modes.push_back(mode_report(kContracted, Verdict::pass));
              }),
              HasSubstr("kernel a: has a mode"));
}

nlohmann::json mutant(std::uint64_t index, const std::string& status) {
  return {{"index", index}, {"status", status}, {"criteria", {true, false, false, false}}};
}

Part mutants(std::uint64_t shard, const std::vector<nlohmann::json>& some,
             std::vector<std::string> stale = {}) {
  Results results;
  results.run = {"0.1.0", "mutate", {{"seed", 1}, {"cases", 200}, {"sample", 0}}, "m.toml", "00ff", {"k"}};
  results.shard = {shard, 2};
  results.found = Mutated{{MutantsResult{"k", "", 3, some, 1, 2}}, std::move(stale)};
  return {std::to_string(shard) + ".json", results};
}

TEST(Merge, MutantsAreCountedTogether) {
  const auto merged =
      merge({mutants(1, {mutant(0, "killed"), mutant(2, "explained")}, {"used by the other", "stale"}),
             mutants(2, {mutant(1, "killed")}, {"stale"})});
  const auto& all = std::get<Mutated>(merged.found);
  EXPECT_EQ(all.kernels.at(0).totals().killed, 2U);
  EXPECT_EQ(all.kernels.at(0).totals().criteria[0], 2U);
  EXPECT_EQ(all.kernels.at(0).mutants.at(1).at("index"), 1);
  EXPECT_EQ(all.kernels.at(0).core_seconds, 4);
  EXPECT_EQ(all.stale, std::vector<std::string>{"stale"});
  EXPECT_EQ(exit_status(merged), 1);
}

TEST(Merge, MutantsThatAreMissingOrThereTwiceAreRefused) {
  EXPECT_THAT(error_of<ReportError>([] {
                merge({mutants(1, {mutant(0, "killed")}), mutants(2, {mutant(1, "killed")})});
              }),
              HasSubstr("2 of 3 mutants"));
  EXPECT_THAT(
      error_of<ReportError>([] {
        merge({mutants(1, {mutant(0, "killed"), mutant(1, "killed")}), mutants(2, {mutant(1, "killed")})});
      }),
      HasSubstr("mutant 1 is in more than one shard"));
}

Part golden(std::uint64_t shard, std::vector<std::string> files) {
  Results results;
  results.run = {"0.1.0", "golden check", nlohmann::json::object(), "", "", {}};
  results.shard = {shard, 2};
  results.found = Golden{3, std::move(files), {}, {}, {}};
  return {std::to_string(shard) + ".json", results};
}

TEST(Merge, GoldenFilesAreEachThereOnce) {
  EXPECT_EQ(std::get<Golden>(merge({golden(2, {"b"}), golden(1, {"a", "c"})}).found).files,
            (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_THAT(error_of<ReportError>([] {
                merge({golden(1, {"a"}), golden(2, {"b"})});
              }),
              HasSubstr("2 of 3"));
  EXPECT_THAT(error_of<ReportError>([] {
                merge({golden(1, {"a", "b"}), golden(2, {"b"})});
              }),
              HasSubstr("b is in more than one"));
}

}  // namespace
}  // namespace assay::report
