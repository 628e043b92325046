// Matrices of a model as problems: each is one that its operation takes, stands for the weights as closely as
// the report says, and has the same bytes however it is made.
#include "golden/model/quantize.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "properties/cases/operation.hpp"
#include "properties/operations/rans/rans_tensors.hpp"
#include "properties/operations/trellis/trellis_weights.hpp"
#include "reference/half.hpp"
#include "reference/rans_matrix.hpp"
#include "reference/rans_product.hpp"
#include "reference/trellis.hpp"
#include "tests/error_of.hpp"
#include "tests/golden/made_up_model.hpp"
#include "tests/golden/model_files.hpp"

namespace assay::golden {
namespace {

using properties::find_operation;
using testing::AllOf;
using testing::HasSubstr;

const Arithmetic kFloatArithmetic = {Precision::float_precision, Precision::float_precision};

/// Sizes beside those of every tile: no multiple of 8, 16, 64 or of a group.
constexpr std::size_t kRows = 83, kColumns = 301;

/// A model of one matrix in each type, and an ordinary layer.
class Model {
 public:
  Model() {
    write_made_up_model(folder_.file(),
                        {{"bf16", "BF16", {kRows, kColumns}},
                         {"f32", "F32", {kRows, kColumns}},
                         {"f16", "F16", {kRows, kColumns}},
                         {"even", "BF16", {128, 256}}},
                        7);
  }
  ModelFile open() const { return ModelFile(folder_.file()); }

 private:
  ModelFolder folder_;
};

std::vector<float> weights_of(const ModelFile& file, const MatrixInfo& matrix) {
  std::vector<float> weights(matrix.rows * matrix.columns);
  file.read_rows(matrix, 0, matrix.rows, weights);
  return weights;
}

/// What the problem's weights stand for, in the order of the file, by the reference alone.
std::vector<double> decoded_weights(const Problem& problem, const MatrixInfo& matrix) {
  std::vector<double> found(matrix.rows * matrix.columns);
  if (problem.operation.starts_with("rans")) {
    const auto symbols = reference::decode_rans(properties::rans_view(problem));
    const auto table = reference::rans_weights(input(problem, "scale").as<float>()[0],
                                               input(problem, "zero_point").as<float>()[0])
                           .separate;
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = static_cast<double>(table[symbols[i]]);
    return found;
  }
  Problem dequantized = problem;
  const std::string format = problem.operation.substr(problem.operation.find('_') + 1);
  dequantized.operation = "dequantize_" + format.substr(0, format.find('_'));
  for (const char* name : {"M", "parallel", "threadgroups"}) dequantized.dims.erase(name);
  const auto expected = find_operation(dequantized.operation).expect(dequantized, kFloatArithmetic).at(0);
  for (std::size_t n = 0; n < matrix.rows; ++n) {
    for (std::size_t k = 0; k < matrix.columns; ++k)
      found[n * matrix.columns + k] = expected.value[k * matrix.rows + n];
  }
  return found;
}

WeightError error_between(const std::vector<double>& decoded, const std::vector<float>& weights) {
  WeightError error;
  double squares = 0, of_weights = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto weight = static_cast<double>(weights[i]);
    error.maximum = std::max(error.maximum, std::fabs(decoded[i] - weight));
    squares += (decoded[i] - weight) * (decoded[i] - weight);
    of_weights += weight * weight;
  }
  error.rms = std::sqrt(squares / static_cast<double>(weights.size()));
  error.relative = std::sqrt(squares / of_weights);
  return error;
}

QuantizeOptions small_groups() { return {.tokens = 3, .group_size = 24, .tile_rows = 16, .tile_cols = 48}; }

/// FNV-1a of all inputs, with their names and shapes.
std::uint64_t hash_of_inputs(const Problem& problem) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  const auto add = [&](std::uint64_t byte) { hash = (hash ^ byte) * 0x100000001B3ULL; };
  for (const Tensor& tensor : problem.inputs) {
    for (const char c : tensor.name) add(static_cast<unsigned char>(c));
    for (const std::size_t extent : tensor.shape) add(extent);
    for (const std::byte byte : tensor.data) add(std::to_integer<std::uint64_t>(byte));
  }
  return hash;
}

class EveryOperation : public testing::TestWithParam<std::string> {
 protected:
  const properties::Operation& operation() const { return find_operation(GetParam()); }
};

TEST_P(EveryOperation, MakesProblemsThatItTakes) {
  const Model model;
  const ModelFile file = model.open();
  for (const MatrixInfo& matrix : file.matrices()) {
    for (const QuantizeOptions& options : {small_groups(), QuantizeOptions()}) {
      const Quantized made = quantize(operation(), file, matrix, options);
      EXPECT_NO_THROW(operation().check_problem(made.problem));
      EXPECT_NE(properties::find_named(operation().declaration().regimes, made.regime), nullptr);
      Dims dims = made.problem.dims;
      for (const properties::Count& one : operation().declaration().counts) dims.erase(one.name);
      EXPECT_EQ(dims, model_dims(operation(), file, matrix, options));
      for (const auto& output : made.problem.outputs) EXPECT_FALSE(output.shape.empty());
      EXPECT_EQ(operation().expect(made.problem, kFloatArithmetic).size(), made.problem.outputs.size());
    }
  }
}

TEST_P(EveryOperation, ErrorIsThatOfTheDecodedWeights) {
  const Model model;
  const ModelFile file = model.open();
  for (const MatrixInfo& matrix : file.matrices()) {
    const Quantized made = quantize(operation(), file, matrix, small_groups());
    // Symbols alone stand for no weights: they are judged under the scale that rans_gemm has for them.
    const std::string scaled = GetParam() == "rans_decode" ? "rans_gemm" : GetParam();
    const Quantized shown = quantize(find_operation(scaled), file, matrix, small_groups());
    const WeightError error = error_between(decoded_weights(shown.problem, matrix), weights_of(file, matrix));
    EXPECT_EQ(made.error.maximum, error.maximum);
    EXPECT_NEAR(made.error.rms, error.rms, 1e-12 * error.rms);
    EXPECT_NEAR(made.error.relative, error.relative, 1e-12 * error.relative);
    EXPECT_LT(made.error.relative, 0.25);
    EXPECT_GT(made.error.relative, 0.01);
  }
}

TEST_P(EveryOperation, AnyNumberOfThreadsGivesTheSameBytes) {
  const Model model;
  const ModelFile file = model.open();
  QuantizeOptions options = small_groups();
  const Quantized one = quantize(operation(), file, file.matrices()[0], options);
  for (const unsigned threads : {2U, 7U}) {
    options.threads = threads;
    const Quantized other = quantize(operation(), file, file.matrices()[0], options);
    EXPECT_EQ(hash_of_inputs(one.problem), hash_of_inputs(other.problem)) << threads;
    EXPECT_EQ(one.error.rms, other.error.rms) << threads;
    EXPECT_EQ(one.error.maximum, other.error.maximum) << threads;
    if (one.entropy) {
      EXPECT_EQ(one.entropy->tiles, other.entropy->tiles) << threads;
    }
  }
}

TEST_P(EveryOperation, RefusesWhatIsNotFiniteByRowAndColumn) {
  const ModelFolder folder;
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    std::vector<float> weights(200 * 40, 0.5F);
    weights[150 * 40 + 3] = bad;
    weights[131 * 40 + 7] = bad;
    write_matrix<float>(folder.file(), "F32", 200, 40, weights);
    const ModelFile file(folder.file());
    for (const unsigned threads : {1U, 4U}) {
      const QuantizeOptions options{.threads = threads};
      EXPECT_THAT(error_of<Refused>([&] { quantize(operation(), file, file.matrices()[0], options); }),
                  AllOf(HasSubstr("model.safetensors"), HasSubstr("\"w\""), HasSubstr(GetParam()),
                        HasSubstr("row 131, column 7 is "), HasSubstr(std::isnan(bad) ? "NaN" : "infinite")));
    }
  }
}

TEST_P(EveryOperation, ZerosAreKept) {
  const ModelFolder folder;
  write_matrix<float>(folder.file(), "F32", 40, 20, std::vector<float>(800, 0.0F));
  const ModelFile file(folder.file());
  const Quantized made = quantize(operation(), file, file.matrices()[0], small_groups());
  EXPECT_EQ(made.error.maximum, 0);
  EXPECT_EQ(made.error.relative, 0);
}

// Subnormal floats up to the largest: no weight, scale or report is NaN or infinite.
TEST_P(EveryOperation, EveryFiniteFloatIsTaken) {
  const ModelFolder folder;
  std::vector<float> weights;
  for (int exponent = -149; exponent < 128; ++exponent) {
    for (int i = 0; i < 16; ++i)
      weights.push_back(std::ldexp(static_cast<float>(i % 2 == 0 ? 1 : -1), exponent) *
                        (exponent > -120 ? 1 + static_cast<float>(i) / 17 : 1));
  }
  weights.back() = -std::numeric_limits<float>::max();
  // By rows: the groups of a row are of one size each. By columns: of all sizes.
  for (const bool by_rows : {true, false}) {
    write_matrix<float>(folder.file(), "F32", by_rows ? 277 : 16, by_rows ? 16 : 277, weights);
    const ModelFile file(folder.file());
    const Quantized made = quantize(operation(), file, file.matrices()[0], small_groups());
    EXPECT_TRUE(std::isfinite(made.error.maximum));
    EXPECT_TRUE(std::isfinite(made.error.relative));
    EXPECT_LE(made.error.relative, GetParam().starts_with("rans") ? 0.6 : 1.0001);
    for (const char* name : {"scales", "zeros"}) {
      for (const Tensor& tensor : made.problem.inputs) {
        if (tensor.name != name) continue;
        if (tensor.dtype == DType::f16) {
          for (const auto half : tensor.as<std::uint16_t>()) ASSERT_TRUE(reference::half_is_finite(half));
        } else {
          for (const float one : tensor.as<float>()) ASSERT_TRUE(std::isfinite(one));
        }
      }
    }
  }
}

TEST_P(EveryOperation, OtherSeedsGiveOtherActivations) {
  const Model model;
  const ModelFile file = model.open();
  const auto activations = [&](std::size_t matrix, std::uint64_t seed) {
    QuantizeOptions options = small_groups();
    options.seed = seed;
    const Quantized made = quantize(operation(), file, file.matrices()[matrix], options);
    std::vector<std::byte> bytes;
    for (const Tensor& one : made.problem.inputs) {
      if (one.name == "A" || one.name == "x") bytes = one.data;
    }
    return bytes;
  };
  if (activations(0, 1).empty()) return;
  EXPECT_EQ(activations(0, 1), activations(0, 1));
  EXPECT_NE(activations(0, 1), activations(0, 2));
  EXPECT_NE(activations(0, 1), activations(1, 1));
}

INSTANTIATE_TEST_SUITE_P(Quantize, EveryOperation, testing::ValuesIn(model_operations()),
                         [](const auto& test) { return test.param; });

// One builder's bytes are every builder's: of any compiler, on any machine.
TEST(Quantize, BytesAreTheseEverywhere) {
  const Model model;
  const ModelFile file = model.open();
  std::string found;
  for (const char* name : {"gemm_fp4", "gemm_u4", "gemm_s4", "gemm_trellis", "rans_gemm", "rans_gemv"}) {
    const Quantized made = quantize(find_operation(name), file, file.matrices()[1], small_groups());
    found += fmt::format("{} {:016x} {:a} {:a}\n", name, hash_of_inputs(made.problem), made.error.rms,
                         made.entropy ? made.entropy->tiles : 0.0);
  }
  EXPECT_EQ(found,
            "gemm_fp4 7d434bf8d1356701 0x1.cb965b57d983dp-10 0x0p+0\n"
            "gemm_u4 802c080882cd4757 0x1.829f5aa500bbp-10 0x0p+0\n"
            "gemm_s4 a0de80bc9a4b5953 0x1.7dbfefc0b1a66p-10 0x0p+0\n"
            "gemm_trellis 0b3a2ba0765fb71b 0x1.d64246d1ca8f4p-10 0x0p+0\n"
            "rans_gemm 61d1c3f2bd1a3e05 0x1.7dad4b607e339p-9 0x1.c26be27f618e9p+1\n"
            "rans_gemv 868838f0db1201a1 0x1.7dad4b607e339p-9 0x1.bfad77b1678b6p+1\n");
}

TEST(Quantize, RefusesOtherOperationsAndSizes) {
  const Model model;
  const ModelFile file = model.open();
  const MatrixInfo& matrix = file.matrices()[0];
  const auto says = [&](const char* operation, const QuantizeOptions& options) {
    return error_of<Refused>([&] { quantize(find_operation(operation), file, matrix, options); });
  };
  EXPECT_THAT(says("zero_reduction", {}),
              HasSubstr("zero_reduction: this operation takes no weights of a model"));
  EXPECT_THAT(says("gemm_fp4", {.group_size = 20}), HasSubstr("group_size"));
  EXPECT_THAT(says("gemm_fp4", {.tokens = 0}), HasSubstr("M"));
  EXPECT_THAT(says("gemm_trellis", {.bits = 5}), HasSubstr("bits"));
  EXPECT_THAT(says("rans_gemm", {.streams = 33}), HasSubstr("streams"));
  EXPECT_THAT(says("rans_gemm", {.tile_rows = 0}), HasSubstr("tile_rows"));
  EXPECT_THAT(says("gemm_fp4", {.tokens = std::size_t{1} << 22}),
              HasSubstr("A: would have 2,524,971,008 bytes"));
}

TEST(Quantize, TrellisGridIsNormalisedAndSignsAreOfBoth) {
  const Model model;
  const ModelFile file = model.open();
  double before = 1;
  for (const unsigned bits : {2U, 3U, 4U}) {
    QuantizeOptions options = small_groups();
    options.bits = bits;
    const Quantized made = quantize(find_operation("dequantize_trellis"), file, file.matrices()[0], options);
    const auto weights = properties::trellis_weights(made.problem);
    EXPECT_NO_THROW(reference::check_trellis(weights));
    EXPECT_EQ(weights.grid.size(), std::size_t{1} << bits);
    EXPECT_TRUE(std::is_sorted(weights.grid.begin(), weights.grid.end()));
    EXPECT_EQ(std::max(-weights.grid.front(), weights.grid.back()), 1.0F);
    for (const auto signs : {weights.su, weights.sv})
      EXPECT_EQ(std::set<float>(signs.begin(), signs.end()), (std::set<float>{-1.0F, 1.0F}));
    EXPECT_LT(made.error.relative, 0.6 * before);  // each bit more halves it, about
    before = made.error.relative;
  }
}

// Of each element, under its scale: trellis indices and rANS symbols, as those of groups in
// group_fit_test.cpp.
TEST(Quantize, NoOtherTrellisIndexIsNearer) {
  const Model model;
  const ModelFile file = model.open();
  const MatrixInfo& matrix = file.matrices()[1];
  const auto weights = weights_of(file, matrix);
  for (const unsigned bits : {2U, 3U, 4U}) {
    QuantizeOptions options = small_groups();
    options.bits = bits;
    Quantized made = quantize(find_operation("dequantize_trellis"), file, matrix, options);
    const auto own = decoded_weights(made.problem, matrix);
    const auto indices = reference::unpack_trellis(properties::trellis_weights(made.problem).packed_indices,
                                                   matrix.columns, matrix.rows, bits);
    std::vector<std::uint8_t> other(indices.size());
    for (unsigned step = 1; step < 1U << bits; ++step) {
      for (std::size_t i = 0; i < other.size(); ++i)
        other[i] = static_cast<std::uint8_t>((indices[i] + step) % (1U << bits));
      const auto packed = reference::pack_trellis(other, matrix.columns, matrix.rows, bits);
      std::copy(packed.begin(), packed.end(),
                input(made.problem, "packed_indices").as<std::uint8_t>().begin());
      const auto values = decoded_weights(made.problem, matrix);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const auto weight = static_cast<double>(weights[i]);
        ASSERT_GE(std::fabs(values[i] - weight), std::fabs(own[i] - weight)) << i;
      }
    }
  }
}

TEST(Quantize, RansSymbolsAreNearestAndStreamsAreWhatTheReferenceEncodes) {
  const Model model;
  const ModelFile file = model.open();
  const MatrixInfo& matrix = file.matrices()[1];
  const auto weights = weights_of(file, matrix);
  for (const char* name : {"rans_gemm", "rans_gemv"}) {
    const Quantized made = quantize(find_operation(name), file, matrix, small_groups());
    const auto view = properties::rans_view(made.problem);
    const auto symbols = reference::decode_rans(view);
    const auto table = reference::rans_weights(input(made.problem, "scale").as<float>()[0],
                                               input(made.problem, "zero_point").as<float>()[0])
                           .separate;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const auto distance = [&](std::size_t symbol) {
        return std::fabs(static_cast<double>(table[symbol]) - static_cast<double>(weights[i]));
      };
      for (std::size_t other = 0; other < table.size(); ++other)
        ASSERT_GE(distance(other), distance(symbols[i])) << i;
    }
    // Encoded at once, where it was by blocks of rows.
    const auto whole = reference::encode_rans(view.layout, symbols);
    EXPECT_TRUE(std::ranges::equal(whole.data, view.data));
    EXPECT_TRUE(std::ranges::equal(whole.stream_offset, view.stream_offset));
    EXPECT_TRUE(std::ranges::equal(whole.freq, view.freq));
  }
}

TEST(Quantize, RansKeepsWhatDiffersLittle) {
  const ModelFolder folder;
  std::vector<float> weights(640);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = -0.1F - 1e-5F * static_cast<float>(i % 30);
  write_matrix<float>(folder.file(), "F32", 32, 20, weights);
  const ModelFile file(folder.file());
  const auto& operation = find_operation("rans_gemm");
  EXPECT_LT(quantize(operation, file, file.matrices()[0], {}).error.maximum, 0.51 * 29e-5 / 15);
  std::fill(weights.begin(), weights.end(), 0.1F);
  write_matrix<float>(folder.file(), "F32", 32, 20, weights);
  EXPECT_EQ(quantize(operation, ModelFile(folder.file()), file.matrices()[0], {}).error.maximum, 0);
}

// Zeros of both signs: which of them is met first is up to the threads.
TEST(Quantize, ZerosOfBothSignsGiveOnePoint) {
  const ModelFolder folder;
  std::vector<float> weights(640, -0.0F);
  for (const std::size_t other : {0, 639}) {
    weights.assign(640, -0.0F);
    weights[other] = 0.0F;
    write_matrix<float>(folder.file(), "F32", 320, 2, weights);
    const ModelFile file(folder.file());
    const Quantized made = quantize(find_operation("rans_gemm"), file, file.matrices()[0], {.threads = 3});
    EXPECT_FALSE(std::signbit(input(made.problem, "zero_point").as<float>()[0]));
  }
}

TEST(Quantize, EntropyIsWhatNoStreamFallsBelow) {
  const Model model;
  const ModelFile file = model.open();
  for (const MatrixInfo& matrix : file.matrices()) {
    for (const char* name : {"rans_decode", "rans_gemm", "rans_gemv"}) {
      const Quantized made = quantize(find_operation(name), file, matrix, {});
      ASSERT_TRUE(made.entropy);
      EXPECT_GT(made.entropy->tiles, 2);
      EXPECT_LE(made.entropy->tiles, made.entropy->matrix + 1e-12);
      EXPECT_LE(made.entropy->matrix, 4);
      EXPECT_LE(made.entropy->tiles, made.entropy->streams);
      EXPECT_LT(made.entropy->streams, made.bits_per_weight);
    }
  }
}

TEST(Quantize, BitsAWeightAreThoseOfTheTensors) {
  const Model model;
  const ModelFile file = model.open();
  const MatrixInfo& even = file.matrices()[3];
  const auto bits = [&](const char* operation, const QuantizeOptions& options) {
    return quantize(find_operation(operation), file, even, options).bits_per_weight;
  };
  EXPECT_EQ(bits("dequantize_fp4", {.group_size = 64}), 4 + 16.0 / 64);
  EXPECT_EQ(bits("gemm_fp4_striped", {.group_size = 64}), 4 + 16.0 / 64);
  EXPECT_EQ(bits("gemm_u4", {.group_size = 128}), 4 + 32.0 / 128);
  // Scales of 32 bits by group, 8 levels, a sign of 32 bits a row and a column.
  EXPECT_EQ(bits("gemm_trellis", {.group_size = 64, .bits = 3}),
            3 + 32.0 / 64 + 32.0 * (8 + 128 + 256) / (128 * 256));
}

}  // namespace
}  // namespace assay::golden
