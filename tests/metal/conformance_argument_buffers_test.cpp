// Conformance: argument buffers. Varied: how the struct is written, what its pointers lead to, the fault.
#include <gmock/gmock.h>

#include "harness/metal/module/module.hpp"
#include "tests/metal/conformance.hpp"

namespace assay::metal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kOut = KernelRun::kUnbound, kMore = kOut + 1, kRows = kOut + 10;

/// Bytes with values at given places.
class Bytes {
 public:
  explicit Bytes(std::size_t size) : bytes_(size) {}
  template <class T>
  Bytes& put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }
  operator std::vector<std::byte>() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class ConformanceOfArgumentBuffers : public BothModes {
 protected:
  /// A launch of a kernel that takes a `Set`, of so many elements; out at kOut, part.values at kMore.
  static KernelRun with_set(const std::string& function, std::uint32_t count, std::size_t outputs) {
    KernelRun run = conformance_kernel("argument_buffers", function);
    const std::vector<std::byte> set = Bytes(72).put(48, std::uint32_t{2});
    run.buffer(0, set).pointer(0, 0, kOut).pointer(0, 8, kOut + 5).pointer(0, 40, kMore);
    run.pointer(0, 56, kOut + 6).pointer(0, 64, kOut + 7);
    for (std::size_t r = 0; r < 3; ++r) {
      run.buffer(kRows + r, std::vector<float>(count, static_cast<float>(r + 1)));
      run.pointer(0, 16 + 8 * r, kRows + r);
    }
    const std::vector<std::byte> lengths = Bytes(8).put(0, count).put(4, 0.5f);
    run.buffer(kOut, std::vector<float>(outputs)).fresh(kMore, (count + 2) * sizeof(float));
    run.buffer(kOut + 5, lengths).buffer(kOut + 6, std::vector<float>{10, 20, 30, 40});
    run.buffer(kOut + 7, std::vector<std::uint32_t>{100});
    return run.grid({1, 1, 1}, {32, 1, 1});
  }
};
ASSAY_BOTH_MODES(ConformanceOfArgumentBuffers);

TEST_P(ConformanceOfArgumentBuffers, SetsOfDescriptors) {
  const auto finished = run_clean(with_set("descriptors", 6, 6));
  EXPECT_THAT(finished.values<float>(kOut), ElementsAre(8, 13, 18, 23, 8, 13));
  EXPECT_EQ(finished.values<std::uint32_t>(kOut + 7)[0], 106u);
}

TEST_P(ConformanceOfArgumentBuffers, BlocksInBlocks) {
  KernelRun run = conformance_kernel("argument_buffers", "blocks");
  // lengths 0, a at 8 (stride 8, values 16, shift 24), others 32, flip 40, weights 48.
  const std::vector<std::byte> globals = Bytes(64)
                                             .put(8, std::uint32_t{2})
                                             .put(24, std::uint16_t{1})
                                             .put(40, true)
                                             .put(48, 1.0f)
                                             .put(52, 2.0f)
                                             .put(56, 3.0f)
                                             .put(60, 4.0f);
  const std::vector<std::byte> others = Bytes(48).put(0, std::uint32_t{1}).put(24, std::uint32_t{3});
  const std::vector<std::byte> lengths = Bytes(8).put(4, 0.5f);
  std::vector<Half> a, b, c;
  for (int i = 0; i < 16; ++i) {
    a.push_back(Half(float(i)));
    b.push_back(Half(float(100 * i)));
    c.push_back(Half(float(1000 * i)));
  }
  run.buffer(2, globals).buffer(0, std::vector<float>(4));
  run.buffer(kOut, lengths)
      .buffer(kOut + 1, a)
      .buffer(kOut + 2, others)
      .buffer(kOut + 3, b)
      .buffer(kOut + 4, c);
  run.pointer(2, 0, kOut).pointer(2, 16, kOut + 1).pointer(2, 32, kOut + 2);
  run.pointer(kOut + 2, 8, kOut + 3).pointer(kOut + 2, 32, kOut + 4, 2);  // the second begins at 1000
  const auto finished = run_clean(run.grid({1, 1, 1}, {4, 1, 1}));
  EXPECT_THAT(finished.values<float>(0),
              ElementsAre(-0.5f * 1, -0.5f * (3 + 4000) * 2, -0.5f * (5 + 200) * 3, -0.5f * (7 + 10000) * 4));
}

TEST_P(ConformanceOfArgumentBuffers, TablesWithoutBindings) {
  KernelRun run = conformance_kernel("argument_buffers", "tensors");
  const std::vector<std::byte> all = Bytes(32)
                                         .put(8, std::uint32_t{2})
                                         .put(12, std::uint32_t{3})
                                         .put(24, std::uint32_t{1})
                                         .put(28, std::uint32_t{4});
  run.buffer(0, all).buffer(1, std::vector<std::uint64_t>(2)).buffer(2, std::vector<std::uint64_t>(2));
  run.buffer(3, std::vector<std::uint64_t>(1));
  run.buffer(kOut, std::vector<float>(6, 1)).buffer(kOut + 1, std::vector<float>(4, 5));
  for (std::size_t i = 2; i < 7; ++i) run.buffer(kOut + i, std::vector<float>(2, 9));
  run.pointer(0, 0, kOut).pointer(0, 16, kOut + 1).pointer(1, 0, kOut + 2).pointer(1, 8, kOut + 3);
  run.pointer(2, 0, kOut + 4).pointer(2, 8, kOut + 5).pointer(3, 0, kOut + 6);
  const auto finished = run_clean(run.grid({1, 1, 1}, {2, 1, 1}));
  EXPECT_THAT(finished.values<float>(kOut + 2), ElementsAre(6, 9));
  EXPECT_THAT(finished.values<float>(kOut + 3), ElementsAre(20, 9));
  EXPECT_THAT(finished.values<float>(kOut + 4), ElementsAre(-6, 9));
  EXPECT_THAT(finished.values<float>(kOut + 5), ElementsAre(9, -20));
  EXPECT_THAT(finished.values<float>(kOut + 6), ElementsAre(12, 40));
}

TEST_P(ConformanceOfArgumentBuffers, ListsOfNodes) {
  KernelRun run = conformance_kernel("argument_buffers", "list");
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::vector<std::byte> node = Bytes(16).put(0, i + 1);
    run.buffer(i == 0 ? 0 : kOut + i, node);
    if (i > 0) run.pointer(i == 1 ? 0 : kOut + i - 1, 8, kOut + i);
  }
  const auto finished = run_clean(run.buffer(1, std::vector<std::uint32_t>(2)));
  EXPECT_THAT(finished.values<std::uint32_t>(1), ElementsAre(1234, 4));
}

// As "path at offset", those that can only be read with "const" before them.
std::vector<std::string> pointers_of(const std::string& function, const std::string& parameter) {
  simulator::SimulatedGpu gpu;
  device::KernelSource source;
  source.path = source_path("conformance/argument_buffers.metal");
  source.function = function;
  std::vector<std::string> all;
  for (const auto& one : gpu.module(gpu.load(source))->parameters()) {
    if (one.name != parameter) continue;
    for (const device::PlacedPointer& pointer : pointers_behind(one.shape, one.name)) {
      all.push_back((pointer.pointer->read_only ? "const " : "") + pointer.path + " at " +
                    std::to_string(pointer.offset));
    }
  }
  return all;
}

TEST(ConformanceOfArgumentBuffersThat, ModulesDescribe) {
  EXPECT_THAT(pointers_of("descriptors", "set"),
              ElementsAre("set.out at 0", "const set.lengths at 8", "const set.rows[0] at 16",
                          "const set.rows[1] at 24", "const set.rows[2] at 32", "set.part.values at 40",
                          "const set.bias at 56", "set.visits at 64"));
  EXPECT_THAT(pointers_of("blocks", "globals"),
              ElementsAre("const globals->lengths.data at 0", "globals->a.values at 16",
                          "const globals->others at 32"));
  EXPECT_THAT(pointers_of("tensors", "all"), ElementsAre("all->data at 0"));
  EXPECT_THAT(pointers_of("tensors", "sums"), ElementsAre("sums[0] at 0", "sums[1] at 8"));
  EXPECT_THAT(pointers_of("tensors", "more"), ElementsAre("more[0] at 0"));
  EXPECT_THAT(pointers_of("blocks", "out"), ElementsAre());
}

TEST(ConformanceOfArgumentBuffersThat, AreMisusedNamesTheMember) {
  using simulator::Mode;
  class Sets : public ConformanceOfArgumentBuffers {
   public:
    void TestBody() override {}
    static std::string fault(std::uint32_t which) {
      const auto finished = with_set("faults", 4, 33).value(1, which).run(Mode::checked);
      const auto& faults = finished.report.faults;
      return faults.empty() ? "no fault" : faults.front().message;
    }
  };
  EXPECT_EQ(Sets::fault(0), "a write at byte 132 is past the end of `set.out`, which has 132 bytes");
  EXPECT_THAT(Sets::fault(1), HasSubstr("writes `set.out` at byte 0 twice"));
  EXPECT_THAT(Sets::fault(2), HasSubstr("`set.part.values` at byte 0"));
  EXPECT_EQ(Sets::fault(3), "a read at byte 16,000 is past the end of `set.rows[2]`, which has 16 bytes");
}

}  // namespace
}  // namespace assay::metal
