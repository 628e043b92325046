#include "reference/trellis.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <limits>
#include <random>
#include <stdexcept>

#include "reference/half.hpp"
#include "tests/reference/independent_vectors.hpp"

namespace assay::reference {
namespace {

TEST(Trellis, TileBytesFollowFromBitsAndOtherBitsAreRefused) {
  EXPECT_EQ(trellis_tile_bytes(2), 64U);
  EXPECT_EQ(trellis_tile_bytes(3), 96U);
  EXPECT_EQ(trellis_tile_bytes(4), 128U);
  for (const unsigned bits : {0U, 1U, 5U, 8U}) EXPECT_THROW(trellis_tile_bytes(bits), std::invalid_argument);
}

TEST(Trellis, ThreeBitIndicesCrossBytesFromTheLeastSignificantBit) {
  std::vector<std::uint8_t> indices(16 * 16, 0);
  // Bits 0-2, 3-5, 6-8: 1, 2, 7 give 0b11'010'001 and a 1 in the next byte.
  indices[0] = 1;
  indices[1] = 2;
  indices[2] = 7;
  const auto packed = pack_trellis(indices, 16, 16, 3);
  EXPECT_EQ(packed[0], 0xD1);
  EXPECT_EQ(packed[1], 0x01);
}

TEST(Trellis, TilesAndTheirElementsAreRowMajor) {
  const std::size_t K = 32, N = 48;
  std::vector<std::uint8_t> indices(K * N, 0);
  indices[(16 + 3) * N + 32 + 5] = 0xF;  // row 3, column 5 of tile (1, 2) of 2 x 3
  const auto packed = pack_trellis(indices, K, N, 4);
  for (std::size_t byte = 0; byte < packed.size(); ++byte) {
    const bool there = byte == (1 * 3 + 2) * 128 + (3 * 16 + 5) / 2;
    ASSERT_EQ(packed[byte], there ? 0xF0 : 0) << byte;
  }
}

RC_GTEST_PROP(TrellisProperty, UnpackingIsTheInverseForAnyShapeAndBits, (std::uint32_t seed)) {
  const auto K = *rc::gen::inRange<std::size_t>(1, 50);
  const auto N = *rc::gen::inRange<std::size_t>(1, 50);
  const auto bits = *rc::gen::element(2U, 3U, 4U);
  std::mt19937 random(seed);
  std::vector<std::uint8_t> indices(K * N);
  for (auto& index : indices) index = static_cast<std::uint8_t>(random() >> 7 & ((1U << bits) - 1));
  const auto packed = pack_trellis(indices, K, N, bits);
  RC_ASSERT(packed.size() == (K + 15) / 16 * ((N + 15) / 16) * 32 * bits);
  RC_ASSERT(unpack_trellis(packed, K, N, bits) == indices);
}

TrellisWeights weights_of(const golden::Dataset& vectors) {
  TrellisWeights weights;
  weights.K = tests::parameter(vectors, "K");
  weights.N = tests::parameter(vectors, "N");
  weights.group_size = tests::parameter(vectors, "group_size");
  weights.bits = static_cast<unsigned>(tests::parameter(vectors, "bits"));
  weights.packed_indices = tests::elements<std::uint8_t>(vectors, "packed_indices", DType::u8);
  weights.scales = tests::floats(vectors, "scales");
  weights.grid = tests::floats(vectors, "grid");
  weights.su = tests::floats(vectors, "su");
  weights.sv = tests::floats(vectors, "sv");
  return weights;
}

void expect_independent_vectors(const std::string& prefix) {
  for (const auto& path : tests::independent_vectors(prefix)) {
    SCOPED_TRACE(path);
    const golden::Dataset vectors = golden::read_safetensors(path);
    const TrellisWeights weights = weights_of(vectors);
    const auto indices = tests::elements<std::uint32_t>(vectors, "indices", DType::u32);
    const auto unpacked = unpack_trellis(weights.packed_indices, weights.K, weights.N, weights.bits);
    ASSERT_TRUE(std::equal(unpacked.begin(), unpacked.end(), indices.begin(), indices.end()));
    const auto packed = pack_trellis(unpacked, weights.K, weights.N, weights.bits);
    EXPECT_TRUE(std::equal(packed.begin(), packed.end(), weights.packed_indices.begin(),
                           weights.packed_indices.end()))
        << "packing differs, padding included";
    tests::expect_same_halves(dequantize_trellis(weights), tests::halves(vectors, "weights"));
  }
}

TEST(DequantizeTrellis, AgreesWithIndependentVectors) { expect_independent_vectors("trellis_"); }
TEST(DequantizeTrellis, AgreesWithTheWeightsOfGemmVectors) { expect_independent_vectors("gemm_trellis"); }

/// A whole problem that is right and owns its tensors: W [20, 18], 3 bits, groups of 8.
struct Problem {
  std::vector<std::uint8_t> packed = std::vector<std::uint8_t>(2 * 2 * 96, 0);
  std::vector<float> scales = std::vector<float>(3 * 18, 1.0F);
  std::vector<float> grid = {-1.0F, -0.5F, 0.0F, 0.5F, 1.0F};
  std::vector<float> su = std::vector<float>(20, 1.0F);
  std::vector<float> sv = std::vector<float>(18, 1.0F);
  std::size_t K = 20, N = 18, group_size = 8;
  unsigned bits = 3;

  TrellisWeights weights() const { return {K, N, group_size, bits, packed, scales, grid, su, sv}; }
};

TEST(DequantizeTrellis, AnIndexPastTheGridReadsLevelZero) {
  Problem problem;
  std::vector<std::uint8_t> indices(20 * 18, 4);
  indices[7] = 5;
  indices[19] = 7;
  problem.packed = pack_trellis(indices, 20, 18, 3);
  const auto weights = dequantize_trellis(problem.weights());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_EQ(half_to_double(weights[i]), i == 7 || i == 19 ? -1.0 : 1.0) << i;
  }
}

TEST(DequantizeTrellis, RowSignsFollowKAndColumnSignsFollowN) {
  Problem problem;
  problem.su[3] = -1.0F;
  problem.sv[5] = -1.0F;
  const auto weights = dequantize_trellis(problem.weights());
  for (std::size_t k = 0; k < 20; ++k) {
    for (std::size_t n = 0; n < 18; ++n) {
      EXPECT_EQ(half_to_double(weights[k * 18 + n]), (k == 3) != (n == 5) ? 1.0 : -1.0) << k << ", " << n;
    }
  }
}

struct TrellisDefect {
  std::string field;
  std::function<void(Problem&)> make;
};

TEST(DequantizeTrellis, RefusesEachDefectAndNamesTheField) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<TrellisDefect> defects = {
      {"K", [](Problem& p) { p.K = 0; }},
      {"N", [](Problem& p) { p.N = 0; }},
      {"bits", [](Problem& p) { p.bits = 5; }},
      {"packed_indices", [](Problem& p) { p.bits = 4; }},
      {"packed_indices", [](Problem& p) { p.packed.pop_back(); }},
      {"packed_indices", [](Problem& p) { p.K = 33; }},
      {"group_size", [](Problem& p) { p.group_size = 4; }},
      {"scales", [](Problem& p) { p.group_size = 16; }},
      {"scales", [infinity](Problem& p) { p.scales[17] = infinity; }},
      {"scales", [](Problem& p) { p.scales[0] = std::numeric_limits<float>::quiet_NaN(); }},
      {"grid", [](Problem& p) { p.grid.clear(); }},
      {"grid", [](Problem& p) { p.grid.resize(9); }},
      {"grid", [infinity](Problem& p) { p.grid[4] = -infinity; }},
      {"su", [](Problem& p) { p.su.pop_back(); }},
      {"su", [](Problem& p) { p.su[19] = 0.5F; }},
      {"sv", [](Problem& p) { p.sv.push_back(1.0F); }},
      {"sv", [](Problem& p) { p.sv[0] = 0.0F; }},
  };
  EXPECT_NO_THROW(check_trellis(Problem().weights()));
  for (std::size_t i = 0; i < defects.size(); ++i) {
    Problem problem;
    defects[i].make(problem);
    try {
      check_trellis(problem.weights());
      ADD_FAILURE() << "defect " << i << " of " << defects[i].field << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).find(defects[i].field + ":"), 0U) << i << ": " << error.what();
    }
  }
}

// Document 002, section 5.1 (docs/documents.md): what a person sees, each named by its cause.
TEST(DequantizeTrellis, ARefusalNamesTheElementAndTheSymptom) {
  const auto refusal = [](const std::function<void(Problem&)>& spoil) -> std::string {
    Problem problem;
    spoil(problem);
    try {
      check_trellis(problem.weights());
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal([](Problem& p) { p.scales[17] = -std::numeric_limits<float>::infinity(); }),
            "scales: element 17 is -inf, must be finite: the weights of its group would be NaN or infinite");
  EXPECT_EQ(refusal([](Problem& p) { p.su[19] = 0.5F; }),
            "su: element 19 is 0.500000, must be +1 or -1: the sign vector is corrupt");
  EXPECT_EQ(refusal([](Problem& p) { p.K = 33; }),
            "packed_indices: has 384 elements, needs ceil(K/16) ceil(N/16) x 256*bits/8 = 6 x 96 = 576");
}

// Kernels are given such weights: what comes out is what IEEE says, in that place and no other.
TEST(DequantizeTrellis, ValuesThatAreNotFiniteAndFactorsOfAnySizeCountAsTheyAre) {
  const Problem sound;
  const auto right = dequantize_trellis(sound.weights());
  Problem problem;
  problem.sv[1] = std::numeric_limits<float>::quiet_NaN();
  problem.su[19] = 0.5F;
  const auto weights = dequantize_trellis(problem.weights());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double was = half_to_double(right[i]), is = half_to_double(weights[i]);
    if (i % problem.N == 1) {
      EXPECT_TRUE(std::isnan(is)) << i;
    } else if (i / problem.N == 19) {
      EXPECT_NEAR(is, was / 2, std::fabs(was) * 0x1p-10) << i;
    } else {
      EXPECT_EQ(weights[i], right[i]) << i;
    }
  }
}

TEST(Trellis, PackingRefusesAnIndexPastTheBits) {
  EXPECT_THROW(pack_trellis(std::vector<std::uint8_t>{4}, 1, 1, 2), std::invalid_argument);
  EXPECT_NO_THROW(pack_trellis(std::vector<std::uint8_t>{4}, 1, 1, 3));
}

}  // namespace
}  // namespace assay::reference
