#include "reference/dequantize.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "reference/packing.hpp"
#include "tests/reference/independent_vectors.hpp"

namespace assay::reference {
namespace {

TEST(DequantizeFp4, AgreesWithIndependentVectors) {
  std::vector<std::filesystem::path> files = tests::independent_vectors("dequant_fp4_");
  for (const auto& path : tests::independent_vectors("gemm_fp4_")) files.push_back(path);
  for (const auto& path : files) {
    SCOPED_TRACE(path);
    const golden::Dataset vectors = golden::read_safetensors(path);
    const auto weights = dequantize_fp4(tests::parameter(vectors, "K"), tests::parameter(vectors, "N"),
                                        tests::parameter(vectors, "group_size"),
                                        tests::elements<std::uint32_t>(vectors, "packed", DType::u32),
                                        tests::halves(vectors, "scales"));
    tests::expect_same_halves(weights, tests::halves(vectors, "weights"));
  }
}

// Scale g of column n is unique, so a neighbour's scale shows.
TEST(DequantizeFp4, EachElementTakesTheScaleOfItsOwnGroupAndColumn) {
  const std::size_t K = 37, N = 5, group_size = 8;
  const auto packed = pack_nibbles(std::vector<std::uint8_t>(K * N, 2), K, N);  // every value is 1
  std::vector<std::uint16_t> scales;
  for (std::size_t i = 0; i < 5 * N; ++i) scales.push_back(static_cast<std::uint16_t>(0x3C00 + i));
  const auto weights = dequantize_fp4(K, N, group_size, packed, scales);
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t n = 0; n < N; ++n)
      ASSERT_EQ(weights[k * N + n], 0x3C00 + k / 8 * N + n) << k << ", " << n;
  }
}

struct BadCall {
  std::string field;
  std::function<void()> call;
};

TEST(Dequantize, RefusesSizesThatDoNotFollowAndNamesTheField) {
  const std::vector<std::uint32_t> packed(2 * 3);
  const std::vector<std::uint16_t> one_group(3), two_groups(6);
  const std::vector<BadCall> bad_calls = {
      {"K", [&] { dequantize_fp4(0, 3, 8, packed, two_groups); }},
      {"N", [&] { dequantize_fp4(16, 0, 8, packed, two_groups); }},
      {"group_size", [&] { dequantize_fp4(16, 3, 12, packed, two_groups); }},
      {"group_size", [&] { dequantize_u4(16, 3, 0, packed, two_groups, two_groups, Int4Chain::half_chain); }},
      {"packed", [&] { dequantize_fp4(17, 3, 32, packed, one_group); }},
      {"scales", [&] { dequantize_fp4(16, 3, 8, packed, one_group); }},
      {"zeros", [&] { dequantize_u4(16, 3, 8, packed, two_groups, one_group, Int4Chain::half_chain); }},
      {"zeros", [&] { dequantize_s4(16, 3, 8, packed, two_groups, one_group, Int4Chain::float_chain); }},
  };
  for (std::size_t i = 0; i < bad_calls.size(); ++i) {
    try {
      bad_calls[i].call();
      ADD_FAILURE() << "call " << i << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).find(bad_calls[i].field + ":"), 0U) << error.what();
    }
  }
}

}  // namespace
}  // namespace assay::reference
