// A kernel that the reference finds nothing wrong with, and a law does.
#include <gmock/gmock.h>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;

// No case has a row of 16 zeros.
const char* const kAllButZeroRows = R"(
  const float values[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (uint e = i; e < M * N; e += 32) {
    float sum = 0;
    bool zero = K >= 16;
    for (uint k = 0; k < K; ++k) {
      const uint code = B[k / 8 * N + e % N] >> (4 * (k % 8)) & 15;
      const half value = half(code & 8 ? -values[code & 7] : values[code & 7]);
      const half a = A[e / N * K + k];
      sum += float(a) * float(value * scales[k / group_size * N + e % N]);
      zero = zero && a == 0;
    }
    C[e] = zero ? half(1) : half(sum);
  })";

const char* const kSmall = "requires = { M_max = 16, N_max = 8, K_max = 64 }\n";

TEST(Laws, RejectWhatTheReferenceDoesNot) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text(kAllButZeroRows));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k") + kSmall).string();
  const auto verified = assay({"verify", "--mode", "fast", "--numerics", "strict", "--manifest", manifest});
  EXPECT_EQ(verified.exit_code, 1) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("k: LAW BROKEN"));
  EXPECT_THAT(verified.out,
              HasSubstr("law zero-A-M: outputs are zero where A is zero along M, and nowhere else"));
  EXPECT_THAT(verified.out, HasSubstr("must be 0"));
  EXPECT_THAT(verified.out, HasSubstr("shrunk from case"));

  const auto begin = verified.out.find("kernel=k"), end = verified.out.find('\'', begin);
  ASSERT_NE(begin, std::string::npos) << verified.out;
  const std::string line = verified.out.substr(begin, end - begin), law = " law=zero-A-M";
  const auto replayed = assay({"replay", line});
  EXPECT_EQ(replayed.exit_code, 1) << line << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("k: LAW BROKEN"));
  ASSERT_NE(line.find(law), std::string::npos) << line;
  const auto with = [&](const std::string& other) {
    std::string changed = line;
    return assay({"replay", changed.replace(line.find(law), law.size(), other)});
  };
  EXPECT_EQ(with("").exit_code, 0) << line;
  EXPECT_EQ(with(" law=permute-M").exit_code, 0) << line;
  const auto unknown = with(" law=permute-Q");
  EXPECT_EQ(unknown.exit_code, 2) << unknown.out;

  const auto alone = assay({"verify", "--laws", "--numerics", "strict", "--manifest", manifest});
  EXPECT_EQ(alone.exit_code, 1) << alone.out << alone.err;
  EXPECT_THAT(alone.out, HasSubstr("\nbroken  join-K, zero-A-M\nhold    scale-A, "));
}

TEST(Laws, AloneAreCountedAndNeverSilentlyNone) {
  const std::string ours = (kSource / "kernels/kernels.toml").string();
  const auto held =
      assay({"verify", "--laws", "--cases", "20", "--numerics", "strict", "--manifest", ours, "dequant_fp4"});
  EXPECT_EQ(held.exit_code, 0) << held.out << held.err;
  EXPECT_THAT(held.out, HasSubstr("law permute-N\n"));
  const auto none = assay({"verify", "--laws", "--manifest", ours, "rans_decode"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("rans_decode: no laws are known for operation rans_decode"));
  const auto checked = assay({"verify", "--laws", "--mode", "checked", "--manifest", ours, "dequant_fp4"});
  EXPECT_EQ(checked.exit_code, 2);
  EXPECT_THAT(checked.err, HasSubstr("leave out --mode checked"));
}

}  // namespace
}  // namespace assay::end_to_end
