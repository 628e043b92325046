#include "harness/verify/binding.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "assay/mock_device.hpp"
#include "harness/verify/launch_sizes.hpp"
#include "harness/verify/run_problem.hpp"
#include "harness/verify/scalar_arguments.hpp"

namespace assay {
namespace {

using device::BufferId;
using device::BufferSlice;
using device::FaultKind;
using device::InlineBytes;
using device::KernelId;
using device::MockDevice;
using device::SourcePlace;
using testing::_;
using testing::HasSubstr;
using testing::NiceMock;
using testing::Return;
using testing::StrictMock;

KernelEntry entry_of(const std::string& arguments, const std::string& more = "grid = \"tiles\"\n") {
  return parse_manifest("[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\noperation = \"gemm\"\narguments = " +
                            arguments +
                            "\nthreads_per_threadgroup = 128\ntile = { m = 64, n = 32, k = 16 }\n" + more,
                        "kernels.toml")
      .at(0);
}

/// A [M,K] half, B [K] bytes -> C [M,N] half.
Problem problem_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto side = [](std::int64_t x) { return static_cast<std::size_t>(x); };
  return {"gemm",
          {{"M", m}, {"N", n}, {"K", k}, {"group_size", 32}},
          {make_tensor("A", DType::f16, {side(m), side(k)}), make_tensor("B", DType::u8, {side(k)})},
          {{"C", DType::f16, {side(m), side(n)}}}};
}

template <class T>
std::vector<T> values(const std::vector<std::byte>& bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

std::vector<std::byte> packed(const std::string& argument, const Problem& problem) {
  const KernelEntry entry = entry_of("[" + argument + ", \"C\"]");
  const auto resolved = resolve_arguments(entry, argument_names_of(problem));
  return pack_scalars(entry, "arguments[0]", std::get<ScalarArgument>(resolved.at(0)),
                      entry.with_tile(problem.dims));
}

std::string resolve_error(const KernelEntry& entry) {
  try {
    resolve_arguments(entry, argument_names_of(problem_of(1, 2, 3)));
  } catch (const ManifestError& e) {
    return e.what();
  }
  return "no error";
}

TEST(PackScalars, VectorOfThreeIsPaddedToFour) {
  EXPECT_EQ(values<std::uint32_t>(packed("\"MNK\"", problem_of(5, 6, 7))),
            (std::vector<std::uint32_t>{5, 6, 7, 0}));
  EXPECT_EQ(values<std::uint32_t>(packed("\"NM\"", problem_of(5, 6, 7))), (std::vector<std::uint32_t>{6, 5}));
  EXPECT_EQ(values<std::uint64_t>(packed("\"KMN:ulong\"", problem_of(5, 6, 7))),
            (std::vector<std::uint64_t>{7, 5, 6, 0}));
}

// As C makes it: only a vector of three has the size of one of four.
TEST(PackScalars, StructOfThreeIsNotPadded) {
  EXPECT_EQ(values<std::uint32_t>(packed("[\"M\", \"N\", \"K\"]", problem_of(5, 6, 7))),
            (std::vector<std::uint32_t>{5, 6, 7}));
  EXPECT_EQ(packed("[\"M:ushort\", \"N:uchar\", \"K:ushort\"]", problem_of(5, 6, 7)).size(), 6u);
  EXPECT_EQ(packed("[\"M\", \"N:uchar\", \"K:uchar\"]", problem_of(5, 6, 7)).size(), 8u);
}

TEST(PackScalars, ConcatenationPrefersLongNames) {
  EXPECT_EQ(values<std::uint32_t>(packed("\"MNKgroup_size\"", problem_of(5, 6, 7))),
            (std::vector<std::uint32_t>{5, 6, 7, 32}));
  Problem ambiguous = problem_of(5, 6, 7);
  ambiguous.dims["MN"] = 30;
  EXPECT_EQ(values<std::uint32_t>(packed("\"MNK\"", ambiguous)), (std::vector<std::uint32_t>{30, 7}));
}

TEST(PackScalars, StructFieldsAreAligned) {
  const auto bytes = packed("[\"M:uchar\", \"K:ulong\", \"N:ushort\", \"=K/8:float\"]", problem_of(5, 6, 20));
  ASSERT_EQ(bytes.size(), 24u);
  EXPECT_EQ(static_cast<int>(bytes[0]), 5);
  EXPECT_EQ(values<std::uint64_t>(bytes).at(1), 20u);
  EXPECT_EQ(values<std::uint16_t>(bytes).at(8), 6);
  EXPECT_EQ(values<float>(bytes).at(5), 2.5f);
}

TEST(PackScalars, TileSizesAndExpressionsAreScalars) {
  EXPECT_EQ(values<std::uint32_t>(packed("\"tile_k\"", problem_of(1, 1, 1))),
            (std::vector<std::uint32_t>{16}));
  EXPECT_EQ(values<std::uint32_t>(packed("\"=ceil(K / tile.k)\"", problem_of(1, 1, 33))),
            (std::vector<std::uint32_t>{3}));
}

TEST(PackScalars, ValueThatDoesNotFitIsAnError) {
  try {
    packed("\"M:uchar\"", problem_of(256, 1, 1));
    FAIL();
  } catch (const ManifestError& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("kernels.toml:5: arguments[0]: kernel k: M is 256, which does not fit in uchar"));
  }
  EXPECT_THROW(packed("\"=-M\"", problem_of(1, 1, 1)), ManifestError);
  EXPECT_THROW(packed("\"=K/8\"", problem_of(1, 1, 9)), ManifestError);
}

TEST(ResolveArguments, UnknownNameListsWhatTheOperationHas) {
  EXPECT_EQ(resolve_error(entry_of("[\"C\",\n \"bias\"]")),
            "kernels.toml:6: arguments[1]: kernel k: \"bias\" is no tensor and no scalar of operation gemm; "
            "tensors: "
            "A, B, C; scalars: K, M, N, group_size");
}

TEST(ResolveArguments, UnknownNamesInExpressionsAreFoundBeforeAnythingRuns) {
  EXPECT_THAT(resolve_error(entry_of("[\"C\", \"=P/8\"]")),
              HasSubstr("arguments[1]: kernel k: \"P/8\": P is no"));
  EXPECT_THAT(resolve_error(entry_of("[\"C\"]", "grid = [1, \"Q\",\n 1]\n")),
              HasSubstr("kernels.toml:8: grid[1]: "));
  EXPECT_THAT(resolve_error(entry_of("[\"C\"]", "grid = \"tiles\"\nthreadgroup_memory = [\"Q\"]\n")),
              HasSubstr("kernels.toml:9: threadgroup_memory[0]: "));
}

TEST(ResolveArguments, OutputMustBeBound) {
  EXPECT_THAT(resolve_error(entry_of("[\"A\"]")),
              HasSubstr("the output C of operation gemm is not among them"));
}

TEST(ResolveArguments, TensorTakesNoScalarType) {
  EXPECT_THAT(resolve_error(entry_of("[\"C:uint\"]")), HasSubstr("C is a tensor"));
}

TEST(Grid, RulesOnRaggedShapes) {
  const Problem problem = problem_of(65, 33, 8);
  EXPECT_EQ(grid_of(entry_of("[\"C\"]"), problem), (device::Size3{2, 2, 1}));
  EXPECT_EQ(grid_of(entry_of("[\"C\"]", "grid = \"elements\"\n"), problem), (device::Size3{33, 65, 1}));
  EXPECT_EQ(grid_of(entry_of("[\"C\"]", "grid = \"rows\"\n"), problem), (device::Size3{65, 1, 1}));
  EXPECT_EQ(grid_of(entry_of("[\"C\"]", "grid = [\"ceil(N / 16)\", \"M\", 2]\n"), problem),
            (device::Size3{3, 65, 2}));
}

TEST(Grid, SideOutOfRangeIsAnError) {
  EXPECT_THROW(grid_of(entry_of("[\"C\"]", "grid = [\"M - 1\", 1, 1]\n"), problem_of(1, 1, 1)),
               ManifestError);
  EXPECT_THROW(grid_of(entry_of("[\"C\"]", "grid = [\"4294967296 * M\", 1, 1]\n"), problem_of(1, 1, 1)),
               ManifestError);
  EXPECT_THROW(grid_of(entry_of("[\"C\"]", "grid = [\"N / 2\", 1, 1]\n"), problem_of(1, 1, 1)),
               ManifestError);
}

// Each length of 4 to 256 bytes, with what the message proposes in its place. Metal refuses the launch: that
// is a fault of the entry, at its line, and nothing runs.
TEST(ThreadgroupMemory, LengthsThatAreNoMultiplesOf16BytesAreAFaultOfTheEntry) {
  const KernelEntry entry = entry_of("[\"C\"]", "grid = \"tiles\"\nthreadgroup_memory = [\"4 * K\"]\n");
  const KernelEntry mended =
      entry_of("[\"C\"]", "grid = \"tiles\"\nthreadgroup_memory = [\"16 * ceil((4 * K) / 16)\"]\n");
  for (std::int64_t k = 1; k <= 64; ++k) {
    const std::int64_t next = (k + 3) / 4 * 16;
    const Dims dims = {{"K", k}};
    EXPECT_FALSE(refused_length(mended, dims));
    EXPECT_EQ(threadgroup_bytes(mended, "", mended.threadgroup_memory[0], mended.with_tile(dims)),
              static_cast<std::size_t>(next));
    const auto refused = refused_length(entry, dims);
    ASSERT_EQ(refused.has_value(), k % 4 != 0) << k;
    if (!refused) continue;
    EXPECT_EQ(refused->kind, FaultKind::misaligned);
    EXPECT_EQ(refused->place, (SourcePlace{"kernels.toml", 9}));
    EXPECT_THAT(refused->message,
                HasSubstr(fmt::format("threadgroup_memory[0]: \"4 * K\" is {} at K={};", 4 * k, k)));
    EXPECT_THAT(
        refused->message,
        HasSubstr(fmt::format("multiples of 16 bytes, here {}: write \"16 * ceil((4 * K) / 16)\"", next)));
  }
}

TEST(Launch, RunsNothingThatMetalRefuses) {
  NiceMock<MockDevice> mock;
  EXPECT_CALL(mock, allocate(_)).WillRepeatedly(Return(BufferId{10}));
  EXPECT_CALL(mock, dispatch(_)).Times(0);
  const KernelEntry entry =
      entry_of("[\"C\", \"K\", \"-\", \"A\"]", "grid = \"tiles\"\nthreadgroup_memory = [\"4 * K\"]\n");
  const auto result = run_problem(mock, KernelId{1}, entry, problem_of(1, 1, 7));
  ASSERT_EQ(result.report.faults.size(), 1u);
  EXPECT_EQ(result.report.faults.front().kind, FaultKind::misaligned);
}

TEST(Binding, LaunchFollowsTheManifestsOrder) {
  NiceMock<MockDevice> mock;
  EXPECT_CALL(mock, allocate(2u * 65 * 33)).WillOnce(Return(BufferId{10}));  // C
  EXPECT_CALL(mock, allocate(2u * 65 * 8)).WillOnce(Return(BufferId{20}));   // A
  EXPECT_CALL(mock, upload(BufferId{20}, 0, testing::SizeIs(2u * 65 * 8)));
  EXPECT_CALL(mock, upload(BufferId{10}, _, _)).Times(0);
  const KernelEntry entry =
      entry_of("[\"C\", \"K\", \"-\", \"A\"]", "grid = \"tiles\"\nthreadgroup_memory = [\"tile_m * 2\"]\n");
  const Problem problem = problem_of(65, 33, 8);
  const Binding binding(mock, KernelId{7}, entry, problem);
  const device::Dispatch& launch = binding.dispatch();
  EXPECT_EQ(launch.kernel, KernelId{7});
  ASSERT_EQ(launch.arguments.size(), 4u);
  EXPECT_EQ(std::get<BufferSlice>(launch.arguments[0]).buffer, BufferId{10});
  EXPECT_EQ(std::get<BufferSlice>(launch.arguments[0]).size_bytes, 2u * 65 * 33);
  EXPECT_EQ(values<std::uint32_t>(std::get<InlineBytes>(launch.arguments[1]).bytes),
            (std::vector<std::uint32_t>{8}));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(launch.arguments[2]));
  EXPECT_EQ(std::get<BufferSlice>(launch.arguments[3]).buffer, BufferId{20});
  EXPECT_EQ(launch.threadgroup_bytes, (std::vector<std::size_t>{128}));
  EXPECT_EQ(launch.grid, (device::Size3{2, 2, 1}));
  EXPECT_EQ(launch.threads_per_threadgroup, (device::Size3{128, 1, 1}));
}

TEST(Binding, TensorBoundTwiceIsOneBuffer) {
  NiceMock<MockDevice> mock;
  EXPECT_CALL(mock, allocate(_)).WillOnce(Return(BufferId{1}));
  const KernelEntry entry = entry_of("[\"C\", \"C\"]");
  const Problem problem = problem_of(1, 1, 1);
  const Binding binding(mock, KernelId{}, entry, problem);
  EXPECT_EQ(std::get<BufferSlice>(binding.dispatch().arguments[1]).buffer, BufferId{1});
}

TEST(Binding, OutputThatIsAnInputStartsWithItsContents) {
  NiceMock<MockDevice> mock;
  Problem problem = problem_of(1, 1, 1);
  problem.inputs.push_back(make_tensor("C", DType::f16, {1, 1}));
  EXPECT_CALL(mock, upload(_, 0, testing::SizeIs(2)));
  const KernelEntry entry = entry_of("[\"C\"]");
  const Binding binding(mock, KernelId{}, entry, problem);
  EXPECT_TRUE(binding.changed_inputs().empty());
}

// A write to a buffer that holds no tensor as it is: sizes, or running sums, alone.
TEST(Binding, WritesToABufferWithoutTensorsAreSeen) {
  NiceMock<MockDevice> mock;
  EXPECT_CALL(mock, allocate(_)).WillOnce(Return(BufferId{1})).WillOnce(Return(BufferId{2}));
  const KernelEntry entry = entry_of("[{ buffer = [\"M\", \"sums(B)\"] }, \"C\"]");
  const Problem problem = problem_of(3, 1, 2);
  const Binding binding(mock, KernelId{}, entry, problem);  // a download that gives zeros: M is no longer 3
  EXPECT_EQ(binding.changed_inputs(), std::vector<std::string>{"a buffer that holds no tensor"});
}

TEST(Binding, BuffersGoBackWhenALaterStepFails) {
  StrictMock<MockDevice> mock;
  EXPECT_CALL(mock, allocate(_)).WillOnce(Return(BufferId{1})).WillOnce(Return(BufferId{2}));
  EXPECT_CALL(mock, upload(BufferId{2}, _, _)).WillOnce(testing::Throw(device::DeviceError("lost")));
  EXPECT_CALL(mock, release(BufferId{1}));
  EXPECT_CALL(mock, release(BufferId{2})).WillOnce(testing::Throw(device::DeviceError("lost")));
  const KernelEntry entry = entry_of("[\"C\", \"A\"]");
  const Problem problem = problem_of(1, 1, 1);
  EXPECT_THROW(Binding(mock, KernelId{}, entry, problem), device::DeviceError);
}

TEST(Binding, NothingIsAllocatedForABadEntry) {
  StrictMock<MockDevice> mock;
  const KernelEntry entry = entry_of("[\"C\", \"nonsense\"]");
  const Problem problem = problem_of(1, 1, 1);
  EXPECT_THROW(Binding(mock, KernelId{}, entry, problem), ManifestError);
}

TEST(Binding, DataMustFollowFromTheShape) {
  NiceMock<MockDevice> mock;
  const KernelEntry entry = entry_of("[\"C\", \"A\"]");
  Problem cut = problem_of(2, 2, 2);
  cut.inputs[0].data.pop_back();
  EXPECT_THROW(Binding(mock, KernelId{}, entry, cut), std::invalid_argument);
  Problem empty = problem_of(2, 2, 2);
  empty.outputs[0].shape = {2, 0};
  EXPECT_THROW(Binding(mock, KernelId{}, entry, empty), std::invalid_argument);
  Problem huge = problem_of(2, 2, 2);
  huge.outputs[0].shape = {std::size_t{1} << 63, 4};
  EXPECT_THROW(Binding(mock, KernelId{}, entry, huge), std::invalid_argument);
}

}  // namespace
}  // namespace assay
