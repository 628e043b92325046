// docs/pipelines.md and the data of its pictures: made here, of counters and of what documents state.
// To write them anew: ASSAY_WRITE_DOCS=1 build/release/tests/pipelines_test
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/docs/citations.hpp"
#include "tests/docs/made_page.hpp"
#include "tests/pipelines/pages.hpp"

namespace assay::tests {
namespace {

const std::filesystem::path kSource = ASSAY_SOURCE_DIR;
const std::filesystem::path kPage = kSource / "docs/pipelines.md";
const std::filesystem::path kData = kSource / "docs/pictures/pipelines.json";
constexpr const char* kProgram = "pipelines_test";

const profile::DocumentClaims& claims() {
  static const auto all = profile::read_document_claims(kSource / "docs/claims.toml");
  return all;
}

/// Counted once, for all tests of this process.
const std::vector<Pipeline>& counted() {
  static const auto manifest = assay::read_manifest(kSource / "kernels/kernels.toml");
  static const auto all = pipelines(manifest, claims());
  return all;
}

const Pipeline& named(std::string_view name) {
  for (const auto& one : counted()) {
    if (one.name() == name) return one;
  }
  throw std::invalid_argument("no such pipeline");
}

TEST(PipelinesPage, IsWhatCountersAndDocumentsGive) {
  std::string anew = read_text(kPage);
  for (const auto table : tables()) anew = with_table(anew, kProgram, table, table_of(table, counted()));
  const auto wrong = stale(kPage, anew, kProgram);
  EXPECT_FALSE(wrong.has_value()) << *wrong;
}

TEST(PipelinesPage, ItsDataAreTheSame) {
  const auto wrong = stale(kData, data_of(counted()), kProgram);
  EXPECT_FALSE(wrong.has_value()) << *wrong;
}

TEST(PipelinesPage, ADifferentFigureShows) {
  auto changed = counted();
  changed.front().values.at("bytes").measured = 1.0;
  EXPECT_NE(table_of("memory", changed), table_of("memory", counted()));
  EXPECT_NE(data_of(changed), data_of(counted()));
  EXPECT_EQ(table_of("room", changed), table_of("room", counted()));
}

// The tables of the documents that the page is about.
TEST(PipelinesPage, HasTheDocumentsTables) {
  const auto states = [](const char* name, const char* key, const char* document, const char* section) {
    const auto& stated = named(name).values.at(key).stated;
    return std::any_of(stated.begin(), stated.end(),
                       [&](const Stated& one) { return one.document == document && one.section == section; });
  };
  for (const char* name : {"marlin_gemm_fp4_triple", "marlin_gemm_fp4_triple_64x64x16",
                           "marlin_gemm_fp4_triple_32x64x32", "marlin_gemm_fp4_triple_32x32x32"}) {
    for (const char* key : {"stages", "bytes", "threadgroups", "a_tile", "b_tile"})
      EXPECT_TRUE(states(name, key, "001", "tile sizes")) << name << " " << key;
  }
  for (const char* name : {"marlin_gemm_fp4", "marlin_gemm_fp4_single_stage", "marlin_gemm_fused_fp4"}) {
    for (const char* key : {"bytes", "threadgroups"}) EXPECT_TRUE(states(name, key, "000", "2.3")) << name;
  }
  EXPECT_TRUE(states("four buffers", "bytes", "001", "three stages"));
  EXPECT_TRUE(states("marlin_gemm_fp4", "element_once", "001", "current design"));
}

// Two ways to the same number: what the text declares, and what the launch multiplies.
TEST(Registers, DeclaredSumsAreThoseThatAreMultiplied) {
  for (const auto& one : counted()) {
    if (one.worked_out) continue;
    EXPECT_EQ(one.values.at("sums").measured.low, static_cast<double>(one.matrices.floats)) << one.name();
    EXPECT_GE(one.matrices.halves, 2) << one.name() << ": of A and of B";
  }
}

// The page says so, of the words that 001 has for it.
TEST(Intensity, FollowsTheSidesOfTheTileAndNotItsDepth) {
  const auto of = [](const std::string& tile) {
    return named("marlin_gemm_fp4_triple" + tile).values.at("element_once").measured.low;
  };
  EXPECT_EQ(of("_64x64x16"), of(""));
  EXPECT_LT(of("_32x64x32"), of(""));
  EXPECT_LT(of("_32x32x32"), of("_32x64x32"));
}

}  // namespace
}  // namespace assay::tests
