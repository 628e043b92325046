// How much of a fuzzing run with an end is said to be done.
#include <gtest/gtest.h>

#include <fstream>

#include "harness/fuzz/fuzz_run.hpp"
#include "tests/fuzzing/scratch.hpp"

namespace assay::fuzz {
namespace {

// Its rounds never come, and the run was said to have hardly begun until it was over.
TEST(FuzzShare, WhatWasGivenUpIsNotWaitedFor) {
  const Scratch scratch;
  std::ofstream(scratch / "k.metal") << "kernel void k() { this is no Metal; }\n";
  KernelEntry entry;
  entry.name = entry.function = "k";
  entry.manifest = scratch / "m.toml";
  entry.source = scratch / "k.metal";
  entry.operation = "gemm_fp4";
  FindingsDirectory directory(scratch / "f", 17);
  FuzzOptions options;
  options.rounds = 2;
  std::size_t given_up = 0;
  FuzzListener listener;
  listener.given_up = [&](const KernelEntry&, run::Mode, const std::string&) { ++given_up; };
  const auto end = fuzz({&entry}, directory, options, listener);
  EXPECT_EQ(given_up, end.modes);
  EXPECT_TRUE(end.not_all_judged);
  EXPECT_EQ(end.share, 1);
}

}  // namespace
}  // namespace assay::fuzz
