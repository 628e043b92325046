// Trellis weights: what the generators reach, what a case with fewer levels shrinks to, and that independent
// vectors and files with a defect are judged as they deserve.
#include "properties/operations/trellis/trellis_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "properties/cases/search.hpp"
#include "properties/operations/trellis/trellis_counts.hpp"
#include "reference/bound.hpp"
#include "tests/properties/support.hpp"
#include "tests/reference/independent_vectors.hpp"

namespace assay::properties {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

const Operation& gemm() { return find_operation("gemm_trellis"); }

Case case_of_bits(std::int64_t bits, std::int64_t n_levels, const std::string& regime) {
  return {.operation = "gemm_trellis",
          .dims = {{"M", 3}, {"N", 20}, {"K", 40}, {"group_size", 8}, {"bits", bits}, {"n_levels", n_levels}},
          .regime = regime,
          .knobs = {},
          .seed = 1};
}

// Tiles by columns are those of the matrix whose tiles are turned, at every width of an index.
TEST(TrellisStorage, ByColumnsIsThatOfTurnedTiles) {
  constexpr std::size_t kK = 32, kN = 48, kTile = 16;
  const auto& meanings = gemm().declaration().meanings;
  const auto word = std::find_if(meanings.begin(), meanings.end(),
                                 [](const Meaning& one) { return one.word == "columns"; });
  ASSERT_NE(word, meanings.end());
  const Storage& storage = *word->storages.at("packed_indices");
  for (const unsigned bits : {2U, 3U, 4U}) {
    std::vector<std::uint8_t> indices(kK * kN), turned(kK * kN);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::size_t k = i / kN, n = i % kN;
      indices[i] = static_cast<std::uint8_t>((i * 7 + i / 5) % (1U << bits));
      turned[(k / kTile * kTile + n % kTile) * kN + n / kTile * kTile + k % kTile] = indices[i];
    }
    const auto packed = reference::pack_trellis(indices, kK, kN, bits),
               expected = reference::pack_trellis(turned, kK, kN, bits);
    const Storage::Shape shape = {kK / kTile, kN / kTile, reference::trellis_tile_bytes(bits)};
    std::vector<std::uint8_t> kept(packed.size()), back(packed.size());
    storage.store(shape, std::as_bytes(std::span(packed)), std::as_writable_bytes(std::span(kept)));
    storage.load(shape, std::as_bytes(std::span(kept)), std::as_writable_bytes(std::span(back)));
    EXPECT_EQ(kept, expected) << bits;
    EXPECT_EQ(back, packed) << bits;
    EXPECT_EQ(storage.block_bytes(shape), reference::trellis_tile_bytes(bits));
  }
}

// Pieces of several indices stand for each of them; ragged tiles and what pads them, here of all bits, count
// apart.
RC_GTEST_PROP(TrellisCounts, AreThoseOfTheElementsOneByOne, (std::vector<std::uint8_t> random)) {
  const auto K = *rc::gen::inRange<std::size_t>(1, 50), N = *rc::gen::inRange<std::size_t>(1, 70);
  const auto bits = *rc::gen::element(2U, 3U, 4U);
  std::vector<std::uint8_t> packed((K + 15) / 16 * ((N + 15) / 16) * reference::trellis_tile_bytes(bits),
                                   0xFF);
  std::copy_n(random.begin(), std::min(random.size(), packed.size()), packed.begin());
  TrellisCounts counts = {};
  const auto indices = reference::unpack_trellis(packed, K, N, bits);
  for (std::size_t i = 0; i < indices.size(); ++i)
    ++counts[indices[i]][(i / N % 16 * 16 + i % N % 16) * bits % 8];
  reference::TrellisWeights weights;
  weights.K = K;
  weights.N = N;
  weights.bits = bits;
  weights.packed_indices = packed;
  RC_ASSERT(count_trellis(weights) == counts);
}

TEST(TrellisGenerator, HundredCasesReachEveryIndexAtEveryBitAndGroupsOfEverySize) {
  for (const char* name : {"gemm_trellis", "dequantize_trellis"}) {
    const Operation& operation = find_operation(name);
    for (const std::uint64_t seed : {1, 2, 3}) {
      Coverage coverage;
      const auto cases = operation.cases(testing::common_tile());
      for (std::uint64_t i = 0; i < 100; ++i) {
        const Case test_case = case_at(cases, seed, i);
        cover_shape(operation.declaration(), testing::common_tile().tile, test_case, coverage);
        operation.cover(operation.make_problem(test_case), coverage);
      }
      std::vector<std::string> wanted = operation.wanted_coverage();
      for (const char* tag :
           {"group_size = 8", "group_size = 32", "group_size = 64", "K % tile != 0", "N % tile != 0",
            "K > 2 group_size", "K % group_size != 0", "bits = 2", "bits = 3", "bits = 4"}) {
        wanted.push_back(tag);
      }
      EXPECT_THAT(coverage.missing(wanted), IsEmpty()) << name << ", seed " << seed;
    }
  }
}

TEST(TrellisGenerator, BothSignsStandInBothVectors) {
  const auto problem = gemm().make_problem(case_of_bits(3, 8, "exact"));
  for (const char* name : {"su", "sv"}) {
    const auto signs = input(problem, name).as<float>();
    EXPECT_THAT(signs, ::testing::Contains(1.0F)) << name;
    EXPECT_THAT(signs, ::testing::Contains(-1.0F)) << name;
    EXPECT_THAT(signs, ::testing::Each(::testing::AnyOf(1.0F, -1.0F))) << name;
  }
}

// What at_most is for: a case with more levels than indices is none, and shrinking does not make one.
TEST(TrellisGenerator, MoreLevelsThanIndicesAreRefused) {
  EXPECT_THAT([] { gemm().make_problem(case_of_bits(3, 9, "exact")); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("n_levels=9: must be at most 8")));
}

RC_GTEST_PROP(TrellisGenerator, DrawnAndSimplerCasesAreLegal, ()) {
  const CaseSpace space = gemm().cases(testing::common_tile());
  const Case test_case = space.draw(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(0, 100));
  std::vector<Case> all = space.shrinks(test_case);
  all.push_back(test_case);
  for (const Case& one : all) check_dims(gemm().declaration(), one.dims);
}

TEST(TrellisGenerator, ShrinkingEndsAtTheFewestElementsAndLevelsThatStillFail) {
  const auto cases = gemm().cases(testing::common_tile());
  // Fails wherever a 3-bit index is past the grid.
  const auto passes = [](const Case& test_case) {
    return dim(test_case.dims, "bits") != 3 || dim(test_case.dims, "n_levels") == 8 ||
           dim(test_case.dims, "K") < 2;
  };
  const SearchResult found = search(cases, 5, 200, passes);
  ASSERT_TRUE(found.failure);
  const Case& smallest = found.failure->shrunk.smallest;
  EXPECT_EQ(to_line(smallest),
            "operation=gemm_trellis K=2 M=1 N=1 bits=3 group_size=8 n_levels=4 regime=constant knob.code=0 "
            "seed=0");
}

TEST(TrellisGenerator, AKernelOfOneWidthIsAskedForItsOwnIndicesOnly) {
  KernelTraits traits = testing::common_tile();
  traits.requirements["bits"].one_of = {3};
  Coverage coverage;
  for (std::uint64_t i = 0; i < 100; ++i) {
    gemm().cover(gemm().make_problem(case_at(gemm().cases(traits), 1, i)), coverage);
  }
  EXPECT_THAT(coverage.missing(reachable(gemm().wanted_coverage(), traits)), IsEmpty());
  EXPECT_FALSE(coverage.missing(gemm().wanted_coverage()).empty());
}

/// One weight as a kernel may get it wrong.
using WeightOf = std::function<std::uint16_t(const reference::TrellisWeights&, std::size_t k, std::size_t n)>;

struct WeightFault {
  std::string name;
  std::vector<std::string> regimes;  ///< of products, each of which must show it
  WeightOf weight;
};

/// Where a weight reads. Every member is right as it stands.
struct Reads {
  bool little_endian = true, crosses_bytes = true, row_major = true, clamps = true, half_chain = false;
  bool flushes_subnormals = false;
  std::size_t group_shift = 0;

  std::uint16_t operator()(const reference::TrellisWeights& w, std::size_t k, std::size_t n) const {
    const std::size_t tile_bytes = reference::trellis_tile_bytes(w.bits);
    const std::uint8_t* tile = &w.packed_indices[(k / 16 * ((w.N + 15) / 16) + n / 16) * tile_bytes];
    const std::size_t position = row_major ? k % 16 * 16 + n % 16 : n % 16 * 16 + k % 16;
    unsigned index = 0;
    for (unsigned i = 0; i < w.bits; ++i) {
      const std::size_t bit = position * w.bits + i;
      if (!crosses_bytes && bit / 8 != position * w.bits / 8) break;
      const std::size_t within = little_endian ? bit % 8 : 7 - bit % 8;
      index |= (tile[bit / 8] >> within & 1U) << i;
    }
    const std::size_t levels = w.grid.size(), groups = w.scales.size() / w.N;
    const float level = w.grid[index < levels ? index : clamps ? 0 : levels - 1];
    const float scale = w.scales[std::min(k / w.group_size + group_shift, groups - 1) * w.N + n];
    const float sign = w.su[k] * w.sv[n];
    if (half_chain) {
      return reference::half_from_float(reference::half_to_float(reference::half_from_float(level)) *
                                        reference::half_to_float(reference::half_from_float(scale)) * sign);
    }
    const std::uint16_t half = reference::half_from_float(level * scale * sign);
    const bool subnormal = (half & 0x7C00) == 0;
    return flushes_subnormals && subnormal ? half & 0x8000 : half;
  }
};

WeightFault fault(std::string name, std::vector<std::string> regimes,
                  const std::function<void(Reads&)>& spoil) {
  Reads reads;
  spoil(reads);
  return {std::move(name), std::move(regimes), reads};
}

Reads right() { return {}; }

std::vector<WeightFault> weight_faults() {
  const std::vector<std::string> places = {"exact", "probe", "single", "random"},
                                 scaled = {"exact", "probe", "random"};
  return {
      fault("bits from the most significant on", places, [](Reads& r) { r.little_endian = false; }),
      fault("no index crosses a byte", places, [](Reads& r) { r.crosses_bytes = false; }),
      fault("tiles column-major", places, [](Reads& r) { r.row_major = false; }),
      fault("past the grid is the last level", scaled, [](Reads& r) { r.clamps = false; }),
      fault("scale of the next group", scaled, [](Reads& r) { r.group_shift = 1; }),
      fault("rounded to half before the product", {"probe"}, [](Reads& r) { r.half_chain = true; }),
      fault("subnormal weights flushed", {"probe"}, [](Reads& r) { r.flushes_subnormals = true; }),
      {"row and column signs exchanged",
       {"exact", "probe", "single", "random"},
       [](reference::TrellisWeights w, std::size_t k, std::size_t n) {
         const std::vector<float> su(w.K, w.sv[k % w.N]), sv(w.N, w.su[n % w.K]);
         w.su = su;
         w.sv = sv;
         return right()(w, k, n);
       }},
  };
}

/// C by plain loops in double, from weights as `weight` has them.
std::vector<std::uint16_t> product(const Problem& problem, const WeightOf& weight) {
  const reference::TrellisWeights w = trellis_weights(problem);
  const std::size_t M = extent(problem.dims, "M");
  const auto A = input(problem, "A").as<std::uint16_t>();
  std::vector<std::uint16_t> C(M * w.N);
  for (std::size_t m = 0; m < M; ++m) {
    for (std::size_t n = 0; n < w.N; ++n) {
      double sum = 0;
      for (std::size_t k = 0; k < w.K; ++k) {
        sum += reference::half_to_double(A[m * w.K + k]) * reference::half_to_double(weight(w, k, n));
      }
      C[m * w.N + n] = reference::half_from_double(sum);
    }
  }
  return C;
}

TEST(TrellisRegimes, EachShowsTheFaultsThatItIsFor) {
  for (const WeightFault& one : weight_faults()) {
    for (const std::string& regime : one.regimes) {
      Case described = case_of_bits(3, 5, regime);
      described.dims["M"] = 40;  // probes reach every row
      // Off the diagonal: there a transposed tile would look the same.
      if (regime == "probe" || regime == "single") described.knobs["first"] = 7;
      const auto problem = gemm().make_problem(described);
      const auto expected = gemm().expect(problem, {}).at(0);
      EXPECT_EQ(testing::count_rejected(expected, product(problem, right())), 0U) << regime;
      EXPECT_GT(testing::count_rejected(expected, product(problem, one.weight)), 0U)
          << one.name << " under " << regime;
    }
  }
}

Problem problem_of(const golden::Dataset& vectors, const char* operation) {
  Problem problem{.operation = operation, .dims = {}, .inputs = {}, .outputs = {}};
  for (const char* name : {"M", "N", "K", "group_size", "bits"}) {
    if (vectors.metadata.contains(name)) {
      problem.dims[name] = static_cast<std::int64_t>(tests::parameter(vectors, name));
    }
  }
  problem.dims["n_levels"] = static_cast<std::int64_t>(vectors.find("grid")->element_count());
  for (const char* name : {"A", "packed_indices", "scales", "grid", "su", "sv"}) {
    if (const Tensor* tensor = vectors.find(name)) problem.inputs.push_back(*tensor);
  }
  return problem;
}

TEST(IndependentTrellisVectors, AreWhatTheOperationsExpect) {
  for (const auto& path : tests::independent_vectors("trellis_")) {
    SCOPED_TRACE(path);
    const auto vectors = golden::read_safetensors(path);
    const auto expected =
        find_operation("dequantize_trellis").expect(problem_of(vectors, "dequantize_trellis"), {});
    EXPECT_EQ(testing::count_rejected(expected.at(0), tests::halves(vectors, "weights")), 0U);
  }
  for (const auto& path : tests::independent_vectors("gemm_trellis")) {
    SCOPED_TRACE(path);
    const auto vectors = golden::read_safetensors(path);
    const auto expected = gemm().expect(problem_of(vectors, "gemm_trellis"), {}).at(0);
    const auto exact = tests::doubles(vectors, "C_exact");
    std::vector<std::uint16_t> rounded(exact.size());
    std::transform(exact.begin(), exact.end(), rounded.begin(), reference::half_from_double);
    EXPECT_EQ(testing::count_rejected(expected, rounded), 0U);
  }
}

TEST(TrellisProblemFromAFile, IsRefusedByNameBeforeAnythingRuns) {
  const Problem right = gemm().make_problem(case_of_bits(3, 6, "exact"));
  EXPECT_NO_THROW(gemm().expect(right, {}));
  const auto refused = [&](const std::function<void(Problem&)>& spoil, const char* what) {
    Problem problem = right;
    spoil(problem);
    EXPECT_THAT([&] { gemm().expect(problem, {}); }, ThrowsMessage<std::invalid_argument>(HasSubstr(what)));
  };
  refused(
      [](auto& p) {
        input(p, "packed_indices").shape = {2, 3, 96};
      },
      "packed_indices: has shape [2, 3, 96], its dimensions ask for [3, 2, 96]");
  refused([](auto& p) { p.dims["bits"] = 4; }, "packed_indices: has shape [3, 2, 96]");
  refused([](auto& p) { p.dims["bits"] = 5; }, "bits=5: must be one of");
  refused([](auto& p) { p.dims["group_size"] = 16; }, "scales: has shape [5, 20]");
  refused([](auto& p) { p.dims["n_levels"] = 5; }, "grid: has shape [6]");
}

}  // namespace
}  // namespace assay::properties
