// Operations: what a case becomes, and that no bad case or file gets that far.
#include "properties/cases/operation.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cfloat>
#include <cmath>

#include "properties/cases/generator.hpp"
#include "properties/cases/search.hpp"
#include "properties/operations/packed4/code_coverage.hpp"
#include "reference/packing.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

using ::testing::AllOf;
using testing::gemm_case;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Matcher>
void expect_refused(const Case& test_case, Matcher matcher) {
  EXPECT_THAT([&] { find_operation(test_case.operation).make_problem(test_case); },
              ThrowsMessage<std::invalid_argument>(matcher));
}

TEST(Registry, UnknownOperationListsThoseThereAre) {
  EXPECT_THAT([] { find_operation("gemm_fp5"); },
              ThrowsMessage<std::invalid_argument>(
                  AllOf(HasSubstr("gemm_fp5"), HasSubstr("gemm_fp4"), HasSubstr("dequantize_fp4"))));
}

TEST(Registry, EveryOperationDeclaresItselfSoundly) {
  for (const std::string& name : operation_names()) {
    const Operation& operation = find_operation(name);
    EXPECT_EQ(operation.name(), name);
    EXPECT_FALSE(operation.scalars().empty());
    bool writes = false;
    for (const TensorSpec& tensor : operation.declaration().tensors) writes |= tensor.role != Role::input;
    EXPECT_TRUE(writes) << name;
    for (const Regime& regime : operation.declaration().regimes)
      EXPECT_FALSE(regime.about.empty()) << regime.name;
  }
}

TEST(Registry, SignatureOffersTheNamesThatKernelsBind) {
  const ArgumentNames names = find_operation("gemm_fp4").argument_names();
  EXPECT_THAT(names.tensors, ::testing::ElementsAre("A", "B", "scales", "C"));
  EXPECT_THAT(names.outputs, ::testing::ElementsAre("C"));
  EXPECT_THAT(names.scalars, ::testing::UnorderedElementsAre("M", "N", "K", "group_size"));
}

RC_GTEST_PROP(Problem, HasTheShapesOfItsDimensions, ()) {
  const std::string name = *rc::gen::elementOf(operation_names());
  const Operation& operation = find_operation(name);
  const Problem problem = operation.make_problem(*generator_of(operation.cases(testing::common_tile())));
  operation.check_problem(problem);
  if (find_named(operation.declaration().tensors, "B") == nullptr) return;  // no packed 4-bit weights
  const std::size_t K = extent(problem.dims, "K"), N = extent(problem.dims, "N");
  const std::size_t group_size = extent(problem.dims, "group_size");
  RC_ASSERT(input(problem, "B").shape == (std::vector{(K + 7) / 8, N}));
  RC_ASSERT(input(problem, "scales").shape == (std::vector{(K + group_size - 1) / group_size, N}));
  const auto B = input(problem, "B").as<std::uint32_t>();
  for (std::size_t n = 0; K % 8 != 0 && n < N; ++n) {
    RC_ASSERT(B[K / 8 * N + n] >> (4 * (K % 8)) == 0U);  // nibbles past K
  }
}

RC_GTEST_PROP(Problem, ExpectsOneIntervalPerElement, ()) {
  const std::string name = *rc::gen::elementOf(operation_names());
  const Operation& operation = find_operation(name);
  const Case described =
      *generator_of(operation.cases(testing::common_tile(), {.largest = 1 << 15, .least = 1 << 8}));
  const Problem problem = operation.make_problem(described);
  const auto expectations = operation.expect(problem, {});
  RC_ASSERT(expectations.size() == problem.outputs.size());
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    const Expectation& expected = expectations[i];
    std::size_t count = 1;
    for (const std::size_t length : problem.outputs[i].shape) count *= length;
    RC_ASSERT(expected.tensor == problem.outputs[i].name);
    RC_ASSERT(expected.value.size() == count && expected.low.size() == count &&
              expected.high.size() == count);
    for (std::size_t j = 0; j < count; ++j) {
      RC_ASSERT(std::isnan(expected.low[j]) == std::isnan(expected.high[j]));
      RC_ASSERT(std::isnan(expected.low[j]) || expected.low[j] <= expected.high[j]);
    }
  }
}

TEST(Problem, HasTheSameBytesEverywhere) {
  // Change these only with the format of golden sets: cases printed by earlier runs would no longer replay.
  const auto hash = [](const char* line) {
    const Case test_case = parse_line(line);
    XXH64_hash_t combined = 0;
    for (const Tensor& tensor : find_operation(test_case.operation).make_problem(test_case).inputs) {
      combined = XXH64(tensor.data.data(), tensor.data.size(), combined);
    }
    return combined;
  };
  EXPECT_EQ(hash("operation=gemm_fp4 M=9 N=11 K=40 group_size=16 regime=random seed=1"),
            11705755691884027947ULL);
  EXPECT_EQ(hash("operation=gemm_fp4 M=9 N=11 K=40 group_size=16 regime=special knob.count=3 seed=2"),
            11179145247297445433ULL);
  EXPECT_EQ(hash("operation=dequantize_fp4 N=11 K=40 group_size=8 regime=any seed=3"),
            12836265308311682305ULL);
}

TEST(Problem, BadCasesAreRefusedByField) {
  expect_refused(gemm_case(0, 1, 1, 8, "exact", 1), HasSubstr("M=0"));
  expect_refused(gemm_case(1, -3, 1, 8, "exact", 1), HasSubstr("N=-3"));
  expect_refused(gemm_case(1, 1, 1, 12, "exact", 1),
                 AllOf(HasSubstr("group_size=12"), HasSubstr("multiple of 8")));
  expect_refused(gemm_case(1, 1, 1, 8, "exactly", 1), AllOf(HasSubstr("regime=exactly"), HasSubstr("probe")));
  Case extra = gemm_case(1, 1, 1, 8, "exact", 1);
  extra.dims["Q"] = 1;
  expect_refused(extra, HasSubstr("Q=1"));
  Case missing = gemm_case(1, 1, 1, 8, "exact", 1);
  missing.dims.erase("K");
  expect_refused(missing, HasSubstr("K: missing"));
  Case knob = gemm_case(1, 1, 1, 8, "exact", 1);
  knob.knobs["first"] = 1;
  expect_refused(knob, HasSubstr("knob.first"));
  knob.knobs = {{"range", -1}};
  expect_refused(knob, HasSubstr("knob.range=-1"));
}

TEST(Problem, CasesTooLargeForMemoryAreRefusedBeforeAnythingIsAllocated) {
  expect_refused(gemm_case(1 << 30, 1 << 30, 1, 8, "exact", 1), HasSubstr("larger than"));
  expect_refused(gemm_case(1, 1, std::int64_t{1} << 62, 8, "exact", 1), HasSubstr("31 bits"));
  expect_refused(gemm_case(1 << 16, 1 << 16, 1, 8, "exact", 1), HasSubstr("C: "));
}

TEST(Problem, KnobsBeyondTheirRangeStillMakeAProblem) {
  Case test_case = gemm_case(3, 3, 5, 8, "probe", 1);
  test_case.knobs["first"] = 1000003;
  EXPECT_NO_THROW(find_operation("gemm_fp4").make_problem(test_case));
}

TEST(ProblemFromAFile, IsCheckedAgainstItsDimensions) {
  const Operation& gemm = find_operation("gemm_fp4");
  const Problem right = gemm.make_problem(gemm_case(3, 4, 9, 8, "exact", 1));
  const auto refused = [&](const std::function<void(Problem&)>& spoil, const char* field) {
    Problem problem = right;
    spoil(problem);
    EXPECT_THAT([&] { gemm.expect(problem, {}); }, ThrowsMessage<std::invalid_argument>(HasSubstr(field)));
  };
  refused([](auto& p) { p.dims["K"] = 17; }, "A: has shape [3, 9]");
  refused([](auto& p) { input(p, "B").shape = {4, 2}; }, "B: has shape");
  refused([](auto& p) { input(p, "scales").dtype = DType::u16; }, "scales: is u16");
  refused([](auto& p) { p.inputs.erase(p.inputs.begin()); }, "A: the problem has no such input");
  refused([](auto& p) { input(p, "A").data.pop_back(); }, "A: ");
  refused([](auto& p) { p.dims["group_size"] = 4; }, "group_size=4");
  refused([](auto& p) { p.operation = "dequantize_fp4"; }, "operation");
}

TEST(Coverage, TellsWhatARunDidNotReach) {
  Coverage coverage, other;
  cover_codes(std::vector<std::uint32_t>{0x7777'7777}, 8, 1, coverage);
  EXPECT_EQ(coverage.missing(all_code_tags()).size(), 120U);
  other.add("code 7 at nibble 3");
  coverage.merge(other);
  EXPECT_EQ(coverage.reached().at("code 7 at nibble 3"), 2U);
}

// Words that are whole and those whose last nibbles only pad.
RC_GTEST_PROP(Coverage, OfPackedCodesIsThatOfEachCode, (std::vector<std::uint32_t> words)) {
  const auto N = *rc::gen::inRange<std::size_t>(1, 5);
  words.resize((words.size() / N + 1) * N, 0xFFFF'FFFF);
  const std::size_t K = words.size() / N * 8 - *rc::gen::inRange<std::size_t>(0, 8);
  Coverage coverage, expected;
  cover_codes(words, K, N, coverage);
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t n = 0; n < N; ++n)
      expected.add(fmt::format("code {} at nibble {}", reference::nibble_at(words, N, k, n), k % 8));
  }
  RC_ASSERT(coverage.reached() == expected.reached());
}

TEST(Coverage, CountsSpecialValuesOfEveryType) {
  Problem problem;
  Tensor& halves = problem.inputs.emplace_back(assay::make_tensor("A", DType::f16, {1 << 16}));
  for (std::size_t i = 0; i < halves.element_count(); ++i)
    halves.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(i);
  Tensor& floats = problem.inputs.emplace_back(assay::make_tensor("s", DType::f32, {9}));
  const float values[] = {0.0F,    -0.0F,      1.0F,           0x1p-126F, -0x1p-127F,
                          FLT_MAX, -HUGE_VALF, -std::nanf(""), 65504.0F};
  std::copy(std::begin(values), std::end(values), floats.as<float>().begin());
  problem.inputs.push_back(assay::make_tensor("B", DType::u32, {3}));
  Coverage coverage;
  cover_values(problem, coverage);
  const std::map<std::string, std::uint64_t> expected = {{"A: NaN", 2046},
                                                         {"A: infinity", 1},
                                                         {"A: -infinity", 1},
                                                         {"A: 0", 1},
                                                         {"A: -0", 1},
                                                         {"A: subnormal", 2046},
                                                         {"A: largest finite", 2},
                                                         {"s: NaN", 1},
                                                         {"s: -infinity", 1},
                                                         {"s: 0", 1},
                                                         {"s: -0", 1},
                                                         {"s: subnormal", 1},
                                                         {"s: largest finite", 1}};
  EXPECT_EQ(coverage.reached(), expected);
}

TEST(Coverage, CountsElementsThatTellAKernelFromOneThatWritesNothing) {
  const double nan = std::nan("");
  const Expectation expected = {.tensor = "C",
                                .value = {},
                                .low = {0, nan, -1, 2, -3},
                                .high = {0, nan, 1, 2, -2},
                                .signed_zero = false,
                                .bound = ""};
  EXPECT_EQ(telling_elements(expected), 2U);
}

TEST(Coverage, CountsElementsThatAKernelHasToClear) {
  Tensor counters = assay::make_tensor("counters", DType::u32, {3});
  const Expectation zeros = {.tensor = "counters",
                             .value = {0, 0, 0},
                             .low = {0, 0, 0},
                             .high = {0, 0, 0},
                             .signed_zero = true,
                             .bound = ""};
  EXPECT_EQ(telling_elements(zeros, &counters), 0U);
  counters.as<std::uint32_t>()[1] = 7;
  EXPECT_EQ(telling_elements(zeros, &counters), 1U);
}

TEST(Coverage, NearlyEveryGeneratedCaseTellsSomething) {
  for (const std::string& name : operation_names()) {
    const Operation& operation = find_operation(name);
    int silent = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const auto problem = operation.make_problem(case_at(operation.cases(testing::common_tile()), 1, i));
      const auto expected = operation.expect(problem, {});
      std::size_t telling = 0;
      for (const Expectation& one : expected) {
        const auto given = std::find_if(problem.inputs.begin(), problem.inputs.end(),
                                        [&](const auto& input) { return input.name == one.tensor; });
        telling += telling_elements(one, given == problem.inputs.end() ? nullptr : &*given);
      }
      silent += telling == 0 ? 1 : 0;
    }
    EXPECT_LE(silent, 6) << name;
  }
}

}  // namespace
}  // namespace assay::properties
