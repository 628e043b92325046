#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "tests/half_oracle.hpp"
#include "tests/metal_stdlib/fake_runtime.hpp"

struct MatrixPlace {
  unsigned long elements_per_row, column, row;
  bool transpose;
};

#define DECLARE(name)                                                                                \
  void name##_multiply_accumulate(int types, int times, const void* a, const void* b, const void* c, \
                                  void* d);                                                          \
  void name##_copy(int type, const void* source, const MatrixPlace* from, void* target,              \
                   const MatrixPlace* to);                                                           \
  void name##_values(const float* source, float* result);                                            \
  void name##_places(void* memory);
extern "C" {
DECLARE(whole)
DECLARE(distributed)
DECLARE(checked)
void distributed_thread_elements(const float* source, float* result);
void checked_uninitialised(float* result);
}

namespace {

enum class Element { half, single, bfloat };

struct Implementation {
  const char* name;
  decltype(&whole_multiply_accumulate) multiply_accumulate;
  decltype(&whole_copy) copy;
  decltype(&whole_values) values;
};
const Implementation kImplementations[] = {
    {"whole", whole_multiply_accumulate, whole_copy, whole_values},
    {"distributed", distributed_multiply_accumulate, distributed_copy, distributed_values},
    {"checked", checked_multiply_accumulate, checked_copy, checked_values},
};

std::size_t size_of(Element e) { return e == Element::single ? 4 : 2; }

float read(const std::vector<char>& bytes, Element e, std::size_t i) {
  if (e == Element::single) {
    float x;
    std::memcpy(&x, &bytes[i * 4], 4);
    return x;
  }
  std::uint16_t x;
  std::memcpy(&x, &bytes[i * 2], 2);
  if (e == Element::half) return static_cast<float>(oracle::value(x));
  return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16);
}

float rounded(float x, Element e) {
  if (e == Element::half) return static_cast<float>(oracle::value(oracle::round(static_cast<double>(x))));
  if (e == Element::single || std::isnan(x)) return x;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000);
}

std::vector<char> random_matrix(Element e, std::mt19937& random, bool wild) {
  std::vector<char> bytes(64 * size_of(e));
  for (std::size_t i = 0; i < 64; ++i) {
    const auto word = static_cast<std::uint32_t>(random());
    if (wild) {  // any bits: infinities, NaN, subnormals
      std::memcpy(&bytes[i * size_of(e)], &word, size_of(e));
    } else if (e == Element::half) {
      const auto half = static_cast<std::uint16_t>(word % 0x1800 + 0x3000 + (word >> 16 & 0x8000));
      std::memcpy(&bytes[i * 2], &half, 2);
    } else {
      const float x = (static_cast<float>(word >> 8) - 0x1p23f) * 0x1p-22f;
      const auto top = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16);
      if (e == Element::single) std::memcpy(&bytes[i * 4], &x, 4);
      if (e == Element::bfloat) std::memcpy(&bytes[i * 2], &top, 2);
    }
  }
  return bytes;
}

// Each product and each sum rounded to float; a double holds the product exactly and rounds sums innocuously.
std::vector<float> scalar_loop(const std::vector<char>& a, const std::vector<char>& b,
                               const std::vector<char>& c, const Element (&types)[4], int times) {
  std::vector<float> d(64);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      float sum = read(c, types[2], i * 8 + j);
      for (int t = 0; t < times; ++t) {
        for (std::size_t k = 0; k < 8; ++k) {
          const double left = static_cast<double>(read(a, types[0], i * 8 + k));
          const double right = static_cast<double>(read(b, types[1], k * 8 + j));
          const auto product = static_cast<float>(left * right);
          sum = static_cast<float>(static_cast<double>(sum) + static_cast<double>(product));
        }
        sum = rounded(sum, types[3]);
      }
      d[i * 8 + j] = sum;
    }
  }
  return d;
}

bool same(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

class MatrixTypes : public testing::TestWithParam<int> {};

TEST_P(MatrixTypes, MultiplyAccumulateEqualsTheScalarLoopBitForBit) {
  using enum Element;
  constexpr Element kTypes[6][4] = {{half, half, single, single},     {single, single, single, single},
                                    {half, half, half, half},         {bfloat, bfloat, single, single},
                                    {bfloat, bfloat, bfloat, bfloat}, {single, half, single, single}};
  const auto& types = kTypes[GetParam()];
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  for (int round = 0; round < 30; ++round) {
    const bool wild = round % 3 == 0;
    const int times = 1 + round % 2;
    const auto a = random_matrix(types[0], random, wild), b = random_matrix(types[1], random, wild);
    const auto c = random_matrix(types[2], random, wild);
    const auto expected = scalar_loop(a, b, c, types, times);
    for (const auto& implementation : kImplementations) {
      std::vector<char> d(64 * size_of(types[3]), '\x55');
      fake::run_simdgroup([&] {
        implementation.multiply_accumulate(GetParam(), times, a.data(), b.data(), c.data(), d.data());
      });
      for (std::size_t i = 0; i < 64; ++i) {
        ASSERT_TRUE(same(read(d, types[3], i), expected[i]))
            << implementation.name << " element " << i << ": " << read(d, types[3], i) << ", not "
            << expected[i];
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(HalfFloatBfloatMixed, MatrixTypes, testing::Range(0, 6));

TEST(Matrix, LoadAndStoreByStrideOriginAndTranspose) {
  std::mt19937 random(7);
  for (int type = 0; type < 3; ++type) {
    const auto e = static_cast<Element>(type);
    for (int round = 0; round < 24; ++round) {
      const auto pick = [&](unsigned n) { return static_cast<unsigned long>(random() % n); };
      const MatrixPlace from = {16 + pick(9), pick(5), pick(5), round % 2 == 1};
      const MatrixPlace to = {13 + pick(9), pick(3), pick(3), round % 4 >= 2};
      std::vector<char> source(512 * size_of(e));
      for (auto& byte : source) byte = static_cast<char>(random() % 60);  // no NaN
      std::vector<char> expected(512 * size_of(e), '\x55');
      const auto place = [](const MatrixPlace& p, std::size_t row, std::size_t column) {
        return p.transpose ? (p.column + column) * p.elements_per_row + p.row + row
                           : (p.row + row) * p.elements_per_row + p.column + column;
      };
      for (std::size_t i = 0; i < 8; ++i) {
        for (std::size_t j = 0; j < 8; ++j) {
          std::memcpy(&expected[place(to, i, j) * size_of(e)], &source[place(from, i, j) * size_of(e)],
                      size_of(e));
        }
      }
      for (const auto& implementation : kImplementations) {
        std::vector<char> target(512 * size_of(e), '\x55');
        fake::run_simdgroup([&] { implementation.copy(type, source.data(), &from, target.data(), &to); });
        ASSERT_EQ(target, expected) << implementation.name << " type " << type << " round " << round;
      }
    }
  }
}

TEST(Matrix, DiagonalFilledCopiedAndInPlace) {
  std::vector<float> source(64);
  for (std::size_t i = 0; i < 64; ++i) source[i] = static_cast<float>(i % 7) - 3;
  for (const auto& implementation : kImplementations) {
    std::vector<float> result(320);
    fake::run_simdgroup([&] { implementation.values(source.data(), result.data()); });
    for (std::size_t i = 0; i < 8; ++i) {
      float row_sum = 0;
      for (std::size_t j = 0; j < 8; ++j) row_sum += source[i * 8 + j];
      for (std::size_t j = 0; j < 8; ++j) {
        float square = 0;
        for (std::size_t k = 0; k < 8; ++k) square += source[i * 8 + k] * source[k * 8 + j];
        EXPECT_EQ(result[i * 8 + j], i == j ? 2.5f : 0.0f) << implementation.name;
        EXPECT_EQ(result[64 + i * 8 + j], -1.0f) << implementation.name;
        EXPECT_EQ(result[128 + i * 8 + j], square) << implementation.name;
        EXPECT_EQ(result[192 + i * 8 + j], source[i * 8 + j]) << implementation.name;
        EXPECT_EQ(result[256 + i * 8 + j], -row_sum) << implementation.name;
      }
    }
  }
}

TEST(DistributedMatrix, LanesHoldTheElementsThatApplesLayoutGivesThem) {
  std::vector<float> source(64), result(64);
  for (std::size_t i = 0; i < 64; ++i) source[i] = static_cast<float>(i);
  fake::run_simdgroup([&] { distributed_thread_elements(source.data(), result.data()); });
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned quad = lane / 4;
    const unsigned row = (quad & 4) + lane / 2 % 4, column = (quad & 2) * 2 + lane % 2 * 2;
    EXPECT_EQ(result[2 * lane], static_cast<float>(row * 8 + column)) << lane;
    EXPECT_EQ(result[2 * lane + 1], static_cast<float>(row * 8 + column + 1)) << lane;
  }
}

TEST(CheckedMatrix, AnnouncesAccessesAndCountsOperationsInEveryLane) {
  std::vector<std::uint16_t> memory(512, 0x3C00);
  const auto report = fake::run_simdgroup([&] { checked_places(memory.data()); });
  for (const auto operations : report.matrix_operations) EXPECT_EQ(operations, 3u);
  ASSERT_EQ(report.matrix_accesses.size(), 2u);
  const auto& load = report.matrix_accesses[0];
  EXPECT_EQ(load.first, &memory[3]);
  EXPECT_EQ(load.row_stride_bytes, 48);
  EXPECT_EQ(load.element_bytes, 2u);
  EXPECT_FALSE(load.is_write);
  EXPECT_EQ(load.line, 2002u);
  const auto& store = report.matrix_accesses[1];
  EXPECT_EQ(store.first, &memory[2 * 16 + 8]);
  EXPECT_EQ(store.row_stride_bytes, 32);
  EXPECT_TRUE(store.is_write);
  EXPECT_EQ(store.line, 2003u);
}

TEST(CheckedMatrix, WhatWasNeverSetIsNaN) {
  std::vector<float> result(64, 1);
  fake::run_simdgroup([&] { checked_uninitialised(result.data()); });
  for (const float x : result) EXPECT_TRUE(std::isnan(x));
}

TEST(WholeMatrix, FastModeAnnouncesNothing) {
  std::vector<std::uint16_t> memory(512, 0x3C00);
  const auto report = fake::run_simdgroup([&] { whole_places(memory.data()); });
  EXPECT_TRUE(report.matrix_accesses.empty());
  EXPECT_EQ(report.matrix_operations[0], 0u);
}

}  // namespace
