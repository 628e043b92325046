// Conformance: atomics on textures. Varied: the operation, the kind of the texture, its numbers; formats that
// have none.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "tests/metal/texture_run.hpp"

namespace assay::metal {
namespace {


class ConformanceOfTexelAtomics : public TexturesTest {
 protected:
  static TextureRun tally(TextureFormat votes) {
    TextureRun made = kernel("texel_atomics", "tally");
    made.texture({votes, 4}).texture({TextureFormat::r32sint}, std::vector<std::int32_t>{9});
    made.buffer(std::vector<std::uint32_t>(32));
    return made;
  }
};
ASSAY_BOTH_MODES(ConformanceOfTexelAtomics);

TEST_P(ConformanceOfTexelAtomics, CountThreads) {
  TextureRun votes = tally(TextureFormat::r32uint);
  votes.textures[0].bytes[4] = std::byte{4};
  votes.textures[0].bytes[12] = std::byte{1};
  run_clean(votes, {32, 1, 1});
  EXPECT_EQ(votes.textures[0].texels<std::uint32_t>(), (std::vector<std::uint32_t>{16, 20, 64, 6}));
  EXPECT_EQ(votes.textures[1].texels<std::int32_t>(), (std::vector<std::int32_t>{-31}));
  // Each thread has seen another number of votes before its own.
  const auto order = votes.values<std::uint32_t>(0);
  std::vector<std::uint32_t> seen[2], expected[2];
  for (std::uint32_t i = 0; i < 32; ++i) {
    seen[i % 2].push_back(order[i]);
    expected[i % 2].push_back(i / 2 + (i % 2 == 0 ? 0 : 4));
  }
  for (const int k : {0, 1}) EXPECT_THAT(seen[k], testing::UnorderedElementsAreArray(expected[k])) << k;
}

// Twelve texels each, of 5, 8, 11 and so on; where they are signed every other one is below zero.
TEST_P(ConformanceOfTexelAtomics, OfEveryOperationAndKind) {
  struct Kind {
    device::TextureShape shape;
    bool is_signed;
    std::array<std::size_t, 12> at;  ///< where in memory the texel of each operation is
  };
  constexpr std::array<std::size_t, 12> kInOrder = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const std::array<Kind, 6> kinds = {{
      {{TextureFormat::r32sint, 12}, true, kInOrder},
      {{TextureFormat::r32uint, 4, 1, 1, 3}, false, kInOrder},
      {{TextureFormat::r32sint, 12}, true, kInOrder},
      {{TextureFormat::r32uint, 3, 4}, false, kInOrder},
      {{TextureFormat::r32sint, 2, 2, 1, 3}, true, kInOrder},
      // Two wide, three high, two deep; the slice changes first, then the row.
      {{TextureFormat::r32sint, 2, 3, 2}, true, {0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}},
  }};
  TextureRun every = kernel("texel_atomics", "every");
  std::vector<std::int32_t> before;
  for (std::size_t k = 0; k < 12; ++k) before.push_back(5 + 3 * int(k));
  const auto first_of = [&](const Kind& kind) {
    auto texels = before;
    for (std::size_t k = 0; k < 12; ++k) {
      if (kind.is_signed && k % 2 == 1) texels[k] *= -1;
    }
    return texels;
  };
  for (const Kind& kind : kinds) every.texture(kind.shape, first_of(kind));
  every.buffer(std::vector<std::int32_t>(72, 12345));
  run_clean(every, {1, 1, 1});
  const auto returned = every.values<std::int32_t>(0);
  for (std::size_t t = 0; t < kinds.size(); ++t) {
    const auto was = first_of(kinds[t]);
    const auto is = every.textures[t].texels<std::int32_t>();
    for (std::size_t k = 0; k < 12; ++k) {
      const std::int32_t old = was[kinds[t].at[k]];
      const std::array<std::int32_t, 12> left = {
          12,  old + 12, old - 12, old & 12, old | 12, old ^ 12, std::min(old, 12), std::max(old, 12),
          old, 12,       12,       old};
      EXPECT_EQ(is[kinds[t].at[k]], left[k]) << "texture " << t << ", operation " << k;
      const bool gives_nothing = k == 9 || k == 10;
      EXPECT_EQ(returned[12 * t + k], gives_nothing ? 12345 : old) << "texture " << t << ", operation " << k;
    }
  }
}

// A loop that waits for an exchange would never end; a count would stay what it is.
TEST_P(ConformanceOfTexelAtomics, OfFormatsThatHaveNone) {
  for (const TextureFormat format :
       {TextureFormat::rgba8uint, TextureFormat::r16uint, TextureFormat::rg32uint}) {
    TextureRun votes = tally(format);
    const auto report = votes.run(GetParam().mode, {32, 1, 1});
    const std::string name(device::layout_of(format).name);
    ASSERT_EQ(report.faults.size(), 1u) << name;
    EXPECT_EQ(report.faults[0].kind, device::FaultKind::crash);
    EXPECT_EQ(report.faults[0].message,
              "an atomic on `votes`, a texture of " + name + "; only r32uint and r32sint have atomics");
    EXPECT_EQ(report.faults[0].place.line, 8u);
    EXPECT_EQ(report.faults[0].count, 32u) << "of each thread";
  }
}

}  // namespace
}  // namespace assay::metal
