#include "assay/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

namespace assay {
namespace {

constexpr int kVerdicts = static_cast<int>(Verdict::error) + 1;

TEST(Verdict, NamesAreDistinctAndReadBack) {
  std::set<std::string_view> names;
  for (int i = 0; i < kVerdicts; ++i) {
    const auto verdict = static_cast<Verdict>(i);
    EXPECT_TRUE(names.insert(name_of(verdict)).second);
    EXPECT_EQ(verdict_from_name(name_of(verdict)), verdict);
  }
}

TEST(Verdict, UnknownNameListsTheNames) {
  try {
    verdict_from_name("wrong");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_THAT(e.what(),
                testing::HasSubstr("\"wrong\" is no verdict; there are pass, wrong result, law broken"));
  }
}

TEST(Verdict, OnlyAPassIsGreen) {
  for (int i = 0; i < kVerdicts; ++i) {
    const auto verdict = static_cast<Verdict>(i);
    EXPECT_EQ(exit_status(verdict) == 0, verdict == Verdict::pass) << name_of(verdict);
  }
}

TEST(Verdict, WhatCouldNotBeJudgedIsStatusTwo) {
  for (const Verdict verdict : {Verdict::vacuous, Verdict::unsupported, Verdict::error}) {
    EXPECT_EQ(exit_status(verdict), 2) << name_of(verdict);
  }
  EXPECT_EQ(exit_status(Verdict::timeout), 1);
}

TEST(Verdict, EveryFaultHasItsVerdict) {
  std::set<Verdict> verdicts;
  for (int i = 0; i <= static_cast<int>(device::FaultKind::undefined); ++i) {
    verdicts.insert(verdict_of(static_cast<device::FaultKind>(i)));
  }
  EXPECT_EQ(verdicts.size(), static_cast<std::size_t>(device::FaultKind::undefined) + 1);
}

}  // namespace
}  // namespace assay
