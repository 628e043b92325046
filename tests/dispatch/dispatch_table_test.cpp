// docs/dispatch.md: the tables between its marks are made here, of the rules, the host's choice and counts.
// To write them anew: ASSAY_WRITE_DOCS=1 build/release/tests/dispatch_test
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/dispatch/tables.hpp"
#include "tests/docs/citations.hpp"
#include "tests/docs/made_page.hpp"

namespace assay::tests {
namespace {

const std::filesystem::path kSource = ASSAY_SOURCE_DIR;
const std::filesystem::path kPage = kSource / "docs/dispatch.md";
constexpr const char* kProgram = "dispatch_test";

std::string page_anew(const std::string& page) {
  const auto rules = dispatch_rules();
  DispatchCounter counter;
  std::string anew = with_table(page, kProgram, "rules", rules_table(rules));
  anew = with_table(anew, kProgram, "counts", counts_table(rules, counter));
  return with_table(anew, kProgram, "reasons", reasons_table(rules, counter));
}

TEST(DispatchPage, IsWhatTheRulesTheChoiceAndTheCountsGive) {
  const auto wrong = stale(kPage, page_anew(read_text(kPage)), kProgram);
  EXPECT_FALSE(wrong.has_value()) << *wrong;
}

TEST(DispatchPage, ADifferentTableShows) {
  const std::string page = read_text(kPage);
  const auto all = dispatch_rules();
  EXPECT_NE(page, with_table(page, kProgram, "rules", rules_table(all.first(all.size() - 1))));
  EXPECT_THROW(with_table(page, kProgram, "nothing", ""), std::runtime_error);
}

TEST(DispatchRules, EachIsOfADescribedSectionAndWantsAKernelThatCanBeLaunched) {
  const Pages pages = read_pages(kSource / "docs");
  std::set<std::string> documents;
  for (const auto& rule : dispatch_rules()) {
    const std::string document(rule.document);
    ASSERT_TRUE(pages.sections.contains(document)) << document;
    EXPECT_TRUE(pages.sections.at(document).contains(std::string(rule.section)))
        << document << " " << rule.section;
    EXPECT_TRUE(rule.wants.starts_with("K tiles of ") || launchable(rule.wants) != nullptr) << rule.wants;
    documents.insert(document);
  }
  EXPECT_THAT(documents, testing::ElementsAre("000", "001", "002", "004"));
}

TEST(DispatchRules, OnlyDeparturesHaveAReasonAndEachHasOne) {
  for (const auto& rule : dispatch_rules()) {
    EXPECT_EQ(rule.why.empty(), follows(rule))
        << rule.document << ", " << rule.section << ": " << rule.says << " We take " << taken(rule).name;
  }
}

// The page says so.
TEST(DispatchRules, TrellisIsNeverDepartedFrom) {
  for (const auto& rule : dispatch_rules()) {
    if (rule.weights != Weights::trellis) continue;
    EXPECT_TRUE(follows(rule)) << rule.section;
  }
}

TEST(DispatchCounts, AKTileOf16CountsTwiceFor32OfK) {
  DispatchCounter counter;
  const DispatchRule rule{"", "", "", Weights::fp4, 100, 4096, 128, "", ""};
  const auto counts = counter.count(*launchable("marlin_gemm_fp4_triple_64x64x16"), rule);
  const auto value = [&](std::string_view name) {
    for (const auto& count : counts) {
      if (count.name == name) return count.value;
    }
    throw std::invalid_argument("no such column");
  };
  EXPECT_EQ(value("threadgroup barriers"), 2);
  EXPECT_EQ(value("threadgroup bytes"), 12'288);
  EXPECT_EQ(value("loads of a word of B"), 1);
  EXPECT_EQ(value("rows of padding"), 28);
  EXPECT_EQ(value("threadgroups"), 128);
  EXPECT_EQ(value("threadgroups at a time"), 80);
}

}  // namespace
}  // namespace assay::tests
