// What may put a faulty kernel right and is no mutation.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/mutate/bodies.hpp"

namespace assay::mutate {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> repaired(const std::string& body, const std::set<std::string>& kinds) {
  return bodies_by(repairs_of, body, kinds);
}

TEST(Repairs, VariablesGetInitialValues) {
  EXPECT_THAT(repaired("float sum;", {"initial value"}), ElementsAre("float sum = {};"));
  EXPECT_THAT(repaired("half eight[2][8];", {"initial value"}), ElementsAre("half eight[2][8] = {};"));
  EXPECT_THAT(repaired("vec<half, 4> v;", {"initial value"}), ElementsAre("vec<half, 4> v = {};"));
}

TEST(Repairs, WhatTakesNoInitialValueGetsNone) {
  EXPECT_THAT(repaired("threadgroup half tile[8];", {"initial value"}), IsEmpty());
  EXPECT_THAT(repaired("float sum = 0; return; g(a); p[1] = 2;", {"initial value"}), IsEmpty());
}

TEST(Repairs, TypesGetWider) {
  EXPECT_THAT(repaired("half h; ushort n;", {"precision"}),
              ElementsAre("float h; ushort n;", "half h; uint n;"));
}

TEST(Repairs, BarriersAreMadeStrongerAndPutBetweenStatements) {
  const std::string added = "metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup); ";
  EXPECT_THAT(repaired("simdgroup_barrier(flags);", {"barrier"}), Contains("threadgroup_barrier(flags);"));
  EXPECT_THAT(repaired("a = 1;b = 2;", {"barrier"}),
              ElementsAre(" " + added + "a = 1;b = 2;", "a = 1; " + added + "b = 2;"));
  EXPECT_THAT(repaired("for (;;) {a = 1;}", {"barrier"}), Contains("for (;;) {a = 1; " + added + "}"));
  EXPECT_THAT(repaired("if (c) a = 1;", {"barrier"}), testing::Not(Contains("if (c) " + added + "a = 1;")));
}

TEST(Repairs, IndicesGoBack) { EXPECT_THAT(repaired("x = p[i];", {"index"}), Contains("x = p[i - 1];")); }

TEST(Repairs, MutationsAreAmongThem) {
  const auto text = tokens_of(metal::kBodyNames + "void f() { if (a < b) x = c + 1; }");
  const auto repairs = all_of(text, repairs_of);
  for (const auto& mutation : all_of(text, mutations_of)) {
    const auto same = [&](const Mutation& one) { return apply(text, one) == apply(text, mutation); };
    EXPECT_TRUE(std::any_of(repairs.begin(), repairs.end(), same)) << apply(text, mutation);
  }
}

}  // namespace
}  // namespace assay::mutate
