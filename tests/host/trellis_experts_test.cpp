// The layer of experts: what it binds, on a mock device; what it refuses; and end to end on the simulated GPU
// against the reference.
#include "kernels/host/trellis_experts.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "harness/simulator/simulated_gpu.hpp"
#include "harness/verify/manifest.hpp"
#include "reference/half.hpp"
#include "reference/moe.hpp"
#include "tests/host/packing.hpp"
#include "tests/host/recording_device.hpp"
#include "tests/host/trellis_weights.hpp"

namespace assay::host {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

const std::string kExpertsFolder = std::string(ASSAY_SOURCE_DIR) + "/kernels";

struct Layer {
  std::vector<TrellisTensors> gate, up, down;

  Layer(std::size_t experts, std::size_t K, std::size_t intermediate, std::size_t N,
        std::size_t group_size = 8, unsigned bits = 3) {
    for (unsigned e = 0; e < experts; ++e) {
      gate.emplace_back(K, intermediate, group_size, bits, 3 * e);
      up.emplace_back(K, intermediate, group_size, bits, 3 * e + 1);
      down.emplace_back(intermediate, N, group_size, bits, 3 * e + 2);
    }
  }

  static std::vector<reference::TrellisWeights> views(const std::vector<TrellisTensors>& all) {
    std::vector<reference::TrellisWeights> found;
    for (const auto& one : all) found.push_back(one.view());
    return found;
  }

  TrellisExperts on(KernelLibrary& kernels) const {
    const auto gates = views(gate), ups = views(up), downs = views(down);
    return {kernels, {gates, ups, downs}};
  }

  std::vector<reference::ExpertWeights> dequantized() const {
    std::vector<reference::ExpertWeights> all;
    for (std::size_t e = 0; e < gate.size(); ++e)
      all.push_back({reference::dequantize_trellis(gate[e].view()),
                     reference::dequantize_trellis(up[e].view()),
                     reference::dequantize_trellis(down[e].view())});
    return all;
  }
};

TEST(TrellisExperts, ItsKernelIsThatOfTheManifest) {
  const auto manifest = assay::read_manifest(kExpertsFolder + "/kernels.toml");
  const KernelDescription& kernel = trellis_experts_kernel();
  const auto entry = std::find_if(manifest.begin(), manifest.end(),
                                  [&](const auto& one) { return one.name == kernel.name; });
  ASSERT_NE(entry, manifest.end());
  EXPECT_EQ(source_of(kernel, kExpertsFolder).function, entry->function);
  EXPECT_EQ(entry->threads_per_threadgroup, (device::Size3{kernel.threads_per_threadgroup, 1, 1}));
  EXPECT_EQ(entry->claims.at("threadgroup_bytes"), static_cast<double>(kernel.threadgroup_bytes));
  EXPECT_EQ(entry->tile.value().m, kernel.tile_m);
  EXPECT_EQ(entry->tile.value().n, kernel.tile_n);
  EXPECT_EQ(entry->tile.value().k, kernel.tile_k);
  EXPECT_EQ(entry->arguments.size(), 20U);
}

TEST(TrellisExperts, BindsTheExpertsOneBehindTheOther) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  const Layer layer(2, 40, 24, 70);
  auto experts = layer.on(kernels);
  const std::vector<std::uint32_t> ids(17 * 3, 1);
  const std::vector<float> probs(17 * 3, 0.25F);
  std::vector<std::vector<std::byte>> bound;
  EXPECT_CALL(device, dispatch).WillOnce([&](const device::Dispatch& launch) {
    EXPECT_EQ(launch.grid, (device::Size3{2, 2, 1}));
    EXPECT_EQ(launch.threads_per_threadgroup, (device::Size3{128, 1, 1}));
    for (const auto& argument : launch.arguments) {
      const auto* slice = std::get_if<device::BufferSlice>(&argument);
      bound.push_back(slice != nullptr ? device.live.at(slice->buffer)
                                       : std::get<device::InlineBytes>(argument).bytes);
    }
    return device::LaunchReport{};
  });
  experts(17, Halves(17 * 40, 7), {ids, probs});
  ASSERT_EQ(bound.size(), 20U);
  const auto expect_stacked = [&](std::size_t i, auto field, const std::vector<TrellisTensors>& part) {
    auto all = part[0].*field;
    all.insert(all.end(), (part[1].*field).begin(), (part[1].*field).end());
    const auto bytes = std::as_bytes(std::span(all));
    EXPECT_EQ(bound[i], std::vector<std::byte>(bytes.begin(), bytes.end())) << i;
  };
  std::size_t i = 3;
  for (const auto* part : {&layer.gate, &layer.up, &layer.down}) {
    expect_stacked(i++, &TrellisTensors::packed_indices, *part);
    expect_stacked(i++, &TrellisTensors::scales, *part);
    expect_stacked(i++, &TrellisTensors::grid, *part);
    expect_stacked(i++, &TrellisTensors::su, *part);
    expect_stacked(i++, &TrellisTensors::sv, *part);
  }
  std::vector<std::uint32_t> sizes(9);
  ASSERT_EQ(bound[19].size(), 36U);
  std::memcpy(sizes.data(), bound[19].data(), 36);
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{17, 40, 70, 2, 3, 3, 8, 7, 24}));
  EXPECT_EQ(device.live.size(), 15U) << "what one product needs is gone";
}

TEST(TrellisExperts, RefusesByNameBeforeAnythingReachesTheDevice) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  const auto refused = [&](const std::function<void(Layer&)>& spoil, const char* what) {
    Layer layer(2, 40, 24, 70);
    spoil(layer);
    EXPECT_THAT([&] { layer.on(kernels); }, ThrowsMessage<std::invalid_argument>(HasSubstr(what)));
  };
  refused([](Layer& l) { l.gate.clear(); }, "gate: there is no expert");
  refused([](Layer& l) { l.down.pop_back(); }, "down: has 1 experts, gate has 2");
  refused([](Layer& l) { l.up[1].su[39] = 0.5F; }, "expert 1: up: su: element 39");
  refused([](Layer& l) { l.up[1] = TrellisTensors(40, 32, 8, 3); }, "expert 1: up: is 40 x 32, not 40 x 24");
  refused([](Layer& l) { l.down[0] = TrellisTensors(32, 70, 8, 3); },
          "expert 0: down: is 32 x 70, not 24 x 70");
  refused([](Layer& l) { l.down[1] = TrellisTensors(24, 70, 8, 2); }, "expert 1: down: bits: 2, not 3");
  refused([](Layer& l) { l.gate[1] = TrellisTensors(40, 24, 16, 3); },
          "expert 1: gate: group_size: 16, not 8");
  refused([](Layer& l) { l.gate[1].grid.pop_back(); }, "expert 1: gate: grid: has 6 levels, not 7");
  EXPECT_THAT(device.steps, IsEmpty());

  auto experts = Layer(2, 40, 24, 70).on(kernels);
  const auto steps = device.steps.size();
  const auto asked = [&](std::size_t M, std::size_t x, std::vector<std::uint32_t> ids,
                         std::vector<float> probs) {
    return [&experts, M, x, ids = std::move(ids), probs = std::move(probs)] {
      experts(M, Halves(x), {ids, probs});
    };
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(asked(0, 0, {}, {}), ThrowsMessage<std::invalid_argument>(HasSubstr("M: ")));
  EXPECT_THAT(asked(2, 79, {0, 1}, {1, 1}), ThrowsMessage<std::invalid_argument>(HasSubstr("x: has 79")));
  EXPECT_THAT(asked(2, 80, {0, 1, 1}, {1, 1, 1}),
              ThrowsMessage<std::invalid_argument>(HasSubstr("expert_ids: has 3 elements")));
  EXPECT_THAT(asked(2, 80, {}, {}), ThrowsMessage<std::invalid_argument>(HasSubstr("expert_ids: has 0")));
  EXPECT_THAT(asked(2, 80, {0, 1}, {1}),
              ThrowsMessage<std::invalid_argument>(HasSubstr("expert_probs: has 1")));
  EXPECT_THAT(asked(2, 80, {0, 1}, {1, nan}),
              ThrowsMessage<std::invalid_argument>(HasSubstr("expert_probs: token 1, slot 0 is nan")));
  device.device_limits.threadgroup_memory_bytes = 4096;
  EXPECT_THAT(asked(2, 80, {0, 1}, {1, 1}), ThrowsMessage<std::invalid_argument>(HasSubstr("5120 bytes")));
  EXPECT_EQ(device.steps.size(), steps);
}

TEST(TrellisExperts, AFaultOfTheKernelIsAnErrorAndLeaksNothing) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  {
    auto experts = Layer(1, 8, 8, 8, 8, 2).on(kernels);
    device.dirty_launch = 0;
    EXPECT_THROW(experts(1, Halves(8), {std::vector<std::uint32_t>{0}, std::vector<float>{1}}), LaunchError);
    EXPECT_EQ(device.live.size(), 15U);
  }
  EXPECT_THAT(device.live, IsEmpty());
}

// A slot past the last expert counts for nothing, whatever its probability.
TEST(TrellisExperts, IsTheReferenceOnTheSimulatedGpu) {
  constexpr std::size_t M = 18, K = 40, I = 24, N = 70, top_k = 2;
  const Layer layer(3, K, I, N);
  const Halves x = normal_halves(M * K, 1, 5);
  std::vector<std::uint32_t> ids(M * top_k);
  std::vector<float> probs(M * top_k);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<std::uint32_t>(i * 7 % 5);
    probs[i] = ids[i] < 3 ? 0.1F * static_cast<float>(i % 9) : std::numeric_limits<float>::quiet_NaN();
  }
  const auto weights = layer.dequantized();
  const auto expected = reference::moe_swiglu({M, K, I, N, top_k, x, ids, probs, weights}, {});
  for (const auto mode : {simulator::Mode::fast, simulator::Mode::checked}) {
    simulator::SimulatedGpu gpu({.mode = mode, .threads = 1, .schedule = 0, .limits = {}});
    KernelLibrary kernels(gpu, kExpertsFolder);
    auto experts = layer.on(kernels);
    const Halves out = experts(M, x, {ids, probs});
    ASSERT_EQ(out.size(), expected.right.size());
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_TRUE(expected.right[i].contains(reference::half_to_double(out[i]))) << i;
  }
}

}  // namespace
}  // namespace assay::host
