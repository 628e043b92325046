// Claims of a manifest: which there are, and when one holds.
#include "harness/verify/claims.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <limits>

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

KernelEntry entry_with(const std::string& claims,
                       const std::string& tile = "tile = { m = 8, n = 8, k = 8 }\n") {
  return parse_manifest(
             "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\noperation = \"gemm_fp4\"\narguments = [\"C\"]\n"
             "threads_per_threadgroup = 32\ngrid = [1, 1, 1]\n" +
                 tile + "[kernel.claims]\n" + claims,
             "m.toml")
      .at(0);
}

const ArgumentNames kGemm = {"gemm_fp4", {"A", "B", "C"}, {"C"}, {"M", "N", "K"}};
const ArgumentNames kNoK = {"zero_reduction", {"partials"}, {"partials"}, {"M", "N"}};

TEST(Counters, EveryNameIsFound) {
  for (const Counter& counter : counters()) {
    const bool plain = counter.subject == Counter::Subject::kernel;
    EXPECT_EQ(find_counter(std::string(counter.name) + (plain ? "" : "_of_B")), &counter) << counter.name;
  }
}

TEST(Counters, OnlyWholeNamesAreFound) {
  for (const char* name : {"", "loads", "loads_of_", "occupancy_of_B", "threadgroup_byte", "_of_B"}) {
    EXPECT_EQ(find_counter(name), nullptr) << name;
  }
}

struct BadClaim {
  const char *name, *claim, *tile;
  const ArgumentNames* signature;
  const char* says;
};
void PrintTo(const BadClaim& bad, std::ostream* out) { *out << bad.name; }

class Refused : public testing::TestWithParam<BadClaim> {};

TEST_P(Refused, WithLineFieldAndWhatToDo) {
  const auto entry = entry_with(GetParam().claim, GetParam().tile);
  try {
    check_claims(entry, *GetParam().signature);
    FAIL() << "accepted";
  } catch (const ManifestError& error) {
    const std::string name(GetParam().claim, std::string(GetParam().claim).find(' '));
    EXPECT_THAT(error.what(), AllOf(HasSubstr("m.toml:"), HasSubstr("claims." + name),
                                    HasSubstr(GetParam().says), Not(HasSubstr("\n"))));
  }
}

constexpr const char* kTile = "tile = { m = 8, n = 8, k = 8 }\n";
INSTANTIATE_TEST_SUITE_P(
    Claims, Refused,
    testing::Values(
        BadClaim{"unknown", "registers = 3\n", kTile, &kGemm, "there are threads, threadgroup_bytes"},
        BadClaim{"no_subject", "loads = 1\n", kTile, &kGemm, "loads_of_TENSOR"},
        BadClaim{"unknown_tensor", "loads_of_D = 1\n", kTile, &kGemm, "it has A, B, C"},
        BadClaim{"no_tile", "matrix_operations_per_k_tile = 1\n", "", &kGemm, "needs the field tile"},
        BadClaim{"no_k", "threadgroup_barriers_per_k_tile = 1\n", kTile, &kNoK, "has no K"},
        BadClaim{"no_streams", "loaders_per_stream_of_B = 1\n", "", &kGemm, "has no streams"},
        BadClaim{"no_batch", "loaded_bytes_per_batch_row_of_A = 1\n", "", &kGemm, "has no batch"}),
    [](const auto& info) { return info.param.name; });

TEST(Claims, OfStreamsAndBatchesNeedNoTile) {
  const ArgumentNames rans = {"rans_gemm", {"data", "x"}, {}, {"streams", "batch"}};
  EXPECT_NO_THROW(check_claims(
      entry_with("loaders_per_stream_of_data = 1\nloaded_bytes_per_batch_row_of_x = 0\n", ""), rans));
}

TEST(Claims, HoldWhenEqualAndForAll) {
  const auto entry =
      entry_with("threads = 32\nloads_of_B = 4\nloads_of_A = 4\noccupancy = 7\nreads_of_tile = 2\n");
  EXPECT_NO_THROW(check_claims(entry, kGemm));
  const Figures figures = {{"threads", 32.0},
                           {"loads_of_A", {4, 8}},
                           {"loads_of_B", {4, 4}},
                           {"occupancy", std::numeric_limits<double>::infinity()}};
  std::string held, texts;
  for (const auto& claim : compare_claims(entry, figures)) {
    if (claim.holds()) held += claim.name + " ";
    texts += claim.text() + "\n";
  }
  EXPECT_EQ(held, "loads_of_B threads ");
  EXPECT_THAT(texts, HasSubstr("loads_of_A is claimed to be 4; measured: 4 to 8"));
  EXPECT_THAT(texts, HasSubstr("occupancy is claimed to be 7; measured: unlimited"));
  EXPECT_THAT(texts, HasSubstr("reads_of_tile is claimed to be 2; the kernel has nothing of this name"));
}

}  // namespace
}  // namespace assay
