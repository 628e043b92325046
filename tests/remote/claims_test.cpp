// What a process says that runs a kernel is a claim: whatever it is, it ends that process or is read as one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/device/source_text.hpp"
#include "harness/remote/claims.hpp"
#include "harness/remote/messages.hpp"
#include "harness/remote/remote_device.hpp"
#include "tests/device/memory_device.hpp"

namespace assay::remote {
namespace {

using device::Dispatch;
using device::MemoryLaunch;

// The end of the next pipe that is written to. A kernel would look for it in memory.
int next_pipe() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return -1;
  for (const int end : ends) close(end);
  return ends[1];
}

/// How a launch ended whose process says that, as often as it can where `endless`.
struct Ended {
  bool process = false, malformed = false;
  std::string failure;
};

Ended ended_after(const std::string& said, bool endless = false) {
  device::MemoryDevice memory;
  const int report = next_pipe();
  memory.add("hostile", [&](MemoryLaunch&) {
    do static_cast<void>(!write(report, said.data(), said.size()));
    while (endless);
  });
  RemoteDevice remote(memory);
  const auto kernel = remote.load(device::kernel_named("hostile"));
  try {
    remote.dispatch({kernel, {}, {}, {1, 1, 1}, false, {1, 1, 1}});
  } catch (const process::KernelProcessEnded& ended) {
    return {true, ended.death.malformed, {}};
  } catch (const std::exception& failed) {
    return {false, false, failed.what()};
  }
  return {};
}

TEST(Claims, WhatIsNoMessageEndsTheProcess) {
  for (const std::string said : {
           "\n",
           "pass\n",
           "[]\n",
           "{\n",
           "{}\n",
           "{\"done\":1}\n",
           "{\"done\":{}}\n",
           "{\"done\":{\"report\":[]}}\n",
           "{\"done\":{\"report\":{\"faults\":[{}]}}}\n",
           "{\"done\":{\"report\":{\"faults\":7}}}\n",
           "{\"done\":{\"report\":{\"invocations\":\"many\"}}}\n",
           "{\"done\":{\"report\":{\"writers\":[[[1,2,3]]]}}}\n",
           "{\"failed\":7,\"device\":true}\n",
           "{\"failed\":\"so\"}\n",
           "{\"type\":\"seen\"}\n",
           "{\"type\":\"seen\",\"what\":{}}\n",
           "{\"type\":\"result\",\"verdict\":\"pass\"}\n",
           "{\"died\":{\"signal\":11}}\n",
           "{\"fault\":{}}\n",
           "{\"fault\":7}\n",
           "{\"look\":{\"at\":\"here\",\"stack\":[]}}\n",
           "{\"look\":[]}\n",
       }) {
    const auto ended = ended_after(said);
    EXPECT_TRUE(ended.process && ended.malformed) << said << ended.failure;
  }
}

TEST(Claims, NestedWithoutEndIsNoMessage) {
  const std::string deep = "{\"done\":" + std::string(1 << 20, '[') + "\n";
  EXPECT_TRUE(ended_after(deep).malformed);
}

TEST(Claims, MessagesWithoutEndEndTheProcess) {
  for (const char* said : {"{\"look\":7}\n", "x", "{\"type\":\"seen\"}\n"})
    EXPECT_TRUE(ended_after(std::string(4096, ' ') + said, true).malformed) << said;
}

RC_GTEST_PROP(Claims, BytesThatWereDrawnEndTheProcess, (const std::string& drawn)) {
  const auto ended = ended_after("{\"done\":" + drawn + "\n");
  RC_ASSERT(ended.process);
  RC_ASSERT(ended.malformed);
}

// [threadgroup, value, values, able, asleep, touches, (address, writes)...] of each.
TEST(Claims, StepsThatNobodyCouldDoAreNone) {
  const auto read = [](const char* steps) {
    return record_from({{"steps", nlohmann::json::parse(steps)}, {"redundant", false}, {"diverged", true}});
  };
  const auto record = read("\"1 0 2 3 1 2 1000 1 0 0 0 1 2 1 0 0 \"");
  ASSERT_EQ(record.steps.size(), 2U);
  EXPECT_TRUE(record.diverged);
  EXPECT_EQ(to_json(record), to_json(record_from(to_json(record))));
  EXPECT_EQ(record.steps[0].touches[0].address, 4096U);
  for (const char* bad :
       {"\"1 \"", "\"40 0 1 1 0 0 \"", "\"0 0 0 1 0 0 \"", "\"1 0 1 1 0 0 \"", "\"0 0 1 1 0 1 \"",
        "\"0 0 1 1 0 8000000000000000 \"", "\"1 0 2 3 1 0\"", "\"1  0 2 3 1 0 \"", "\"-1 0 2 3 1 0 \"",
        "\"10000000000000000 0 2 3 1 0 \"", "[1]", "7"})
    EXPECT_ANY_THROW(read(bad)) << bad;
}

TEST(Claims, AForgedFailureIsAFailureOfTheDevice) {
  EXPECT_EQ(ended_after("{\"failed\":\"no\\u001b[2Jmemory\",\"device\":true}\n").failure, "no[2Jmemory");
}

TEST(Claims, PlacesInOtherFilesAreNotQuoted) {
  device::LaunchReport report;
  device::Fault fault;
  fault.message = "a\nb\x1b[31m";
  fault.place = {"/etc/passwd", 1};
  fault.accesses.push_back({"read", {"/etc/passwd", 2}});
  report.faults.push_back(fault);
  const auto checked = checked_claim(report);
  EXPECT_EQ(checked.faults.front().place, device::SourcePlace{});
  EXPECT_EQ(checked.faults.front().accesses.front().place, device::SourcePlace{});
  EXPECT_EQ(checked.faults.front().message, "ab[31m");
}

TEST(Claims, RangesLieWithinTheirBuffer) {
  using nlohmann::json;
  EXPECT_EQ(ranges_from(json::parse("[[2,4],[8,16]]"), {2, 16}).size(), 2U);
  for (const char* wrong :
       {"[[2,17]]", "[[0,4]]", "[[4,4]]", "[[4,2]]", "[[2,4],[3,8]]", "[[2]]", "[7]", "[[-1,2]]"})
    EXPECT_ANY_THROW(ranges_from(json::parse(wrong), {2, 16})) << wrong;
}

TEST(Messages, ReportsComeBackAsTheyWere) {
  device::LaunchReport report;
  device::Fault fault;
  fault.kind = device::FaultKind::race;
  fault.message = "two writes";
  fault.place = {"a.metal", 7};
  fault.accesses.push_back({"write", {"a.metal", 7}, true, "thread 3", 3, 0, 3});
  fault.barriers.push_back({std::nullopt, true, false, {"a.metal", 5}, 2, true});
  fault.count = 9;
  fault.scope = 1;
  fault.moment = 4;
  fault.variable = 2;
  fault.object = "x";
  fault.stray = true;
  fault.same_value = true;
  report.faults.push_back(fault);
  report.undefined.push_back(fault);
  report.old_values.push_back({"n", {"load", {"a.metal", 1}}, {"change", {"a.metal", 2}}, 3});
  report.inactive_reads.push_back({{"shuffle", {"a.metal", 3}}, 5, 6});
  report.kernel_invocations = 64;
  report.writers = {{{1, 2}, {1, 2}, {3, 4}}, {}};
  report.conditions = {0, 1, 2, 3};
  device::Counts counts;
  counts.threads = 32;
  counts.simdgroups = {{1, 2, 3, 4}};
  counts.buffers = {{"x", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  report.counts = std::make_shared<const device::Counts>(counts);
  Dispatch launch;
  launch.arguments = {device::BufferSlice{device::BufferId{1}, 0, 3}, std::monostate{}};
  const auto there = to_json(report);
  EXPECT_EQ(to_json(report_from(there, launch)), there);
  const auto back = report_from(there, launch);
  EXPECT_EQ(back.faults.front().variable, 2U);
  EXPECT_EQ(back.writers.front(), report.writers.front());
  EXPECT_EQ(back.counts->buffers.front().transaction_bytes, 11U);
}

TEST(Messages, LaunchesComeBackAsTheyWere) {
  Dispatch launch;
  launch.kernel = device::KernelId{3};
  launch.arguments = {device::BufferSlice{device::BufferId{1}, 4, 8}, std::monostate{},
                      device::InlineBytes{{std::byte{1}, std::byte{255}}}};
  launch.threadgroup_bytes = {16, 32};
  launch.grid = {1, 2, 3};
  launch.grid_in_threads = true;
  launch.threads_per_threadgroup = {4, 5, 6};
  launch.schedule = 7;
  launch.resident_threadgroups = 8;
  launch.odd_variable = 9;
  launch.sample = {{0, 1, 2}};
  launch.textures = {std::nullopt, device::Texture{{device::BufferId{2}, 0, 64},
                                                   {device::TextureFormat::r8uint, 2, 3, 4, 5}}};
  launch.samplers = {device::Sampler{true, true, {device::TextureWrap::repeat}}};
  launch.pointers = {{device::BufferId{1}, 8, {device::BufferId{2}, 0, 4}}};
  const auto there = to_json(launch);
  EXPECT_EQ(to_json(dispatch_from(there)), there);
}

}  // namespace
}  // namespace assay::remote
