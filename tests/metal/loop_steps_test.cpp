// Loops that count: each form of loop that C++ has, with and without braces, next to statements
// that a wrong reading of it would swallow.
#include <gtest/gtest.h>

#include <string>

#include "harness/metal/compile/variants.hpp"
#include "harness/metal/text/preprocess.hpp"
#include "harness/simulator/loop_steps.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

using simulator::Mode;

struct LoopCase {
  const char* name;
  const char* body;    ///< of a kernel of one thread; `n` is 5, `r` the result
  std::int64_t steps;  ///< that it takes: one where the head of a loop is passed
  std::uint32_t result;
};
void PrintTo(const LoopCase& one, std::ostream* out) { *out << one.name; }

const std::vector<LoopCase> kLoops = {
    {"none", "r = n;", 0, 5},
    {"for_with_braces", "for (uint i = 0; i < n; ++i) { r += i; }", 6, 10},
    {"for_without_braces", "for (uint i = 0; i < n; ++i) r += i; r += 100;", 6, 110},
    {"for_without_a_body", "for (; r < n; ++r) ; r += 1;", 6, 6},
    {"for_without_a_condition", "for (;;) { if (r == n) break; ++r; }", 6, 5},
    {"nested", "for (uint i = 0; i < n; ++i) for (uint j = 0; j < 3; ++j) r += 1;", 6 + 20, 15},
    {"while_", "while (r < n) ++r; r *= 2;", 6, 10},
    {"while_without_a_body", "while (++r < n) ; r += 1;", 5, 6},
    {"while_that_declares", "while (uint left = n - r) { r += left > 2 ? 2 : 1; }", 4, 5},
    {"do_with_braces", "do { ++r; } while (r < n); r += 1;", 5, 6},
    {"do_without_braces", "do ++r; while (r < n); while (r < 7) ++r;", 5 + 3, 7},
    {"do_of_a_loop", "do for (uint j = 0; j < 3; ++j) ++r; while (r < n);", 2 + 8, 6},
    {"do_of_a_while", "do while (r < 3) ++r; while (++r < n);", 2 + 5, 5},
    {"do_of_a_do", "do do ++r; while (r % 2); while (r < n);", 3 + 6, 6},
    {"do_of_an_if", "do if (r < 3) r += 2; else ++r; while (r < n); r += 1;", 3, 6},
    {"else_of_the_loop", "if (n == 4) for (;;) break; else r = 7;", 0, 7},
    {"else_inside", "for (uint i = 0; i < n; ++i) if (i == 2) r += 10; else r += 1;", 6, 14},
    {"continue_", "for (uint i = 0; i < n; ++i) { if (i % 2) continue; r += 1; }", 6, 3},
    {"range", "uint a[3] = {1, 2, 3}; for (uint x : a) r += x;", 4, 6},
    {"in_a_switch", "switch (n) { case 5: while (r < 2) ++r; break; default: r = 9; }", 3, 2},
    {"in_a_function", "r = twice<3>(n) + twice<2>(n);", 4 + 3, 25},
    {"constant", "constexpr uint c = triangle(4); r = c + triangle(n);", 6, 6 + 10},
    {"with_a_pragma", "_Pragma(\"unroll\") for (uint i = 0; i < 4; ++i) r += i;", 5, 6},
    {"around_a_pragma", "for (uint j = 0; j < 2; ++j)\n#pragma unroll\n for (uint i = 0; i < 4; ++i) r += i;",
     3 + 10, 12},
};

constexpr const char* kAhead = R"(
template <int N> uint twice(uint n) { uint r = 0; for (int i = 0; i < N; ++i) r += n; return r; }
constexpr uint triangle(uint n) { uint r = 0; for (uint i = 0; i < n; ++i) r += i; return r; }
)";

class Loops : public testing::TestWithParam<LoopCase> {};

TEST_P(Loops, TakeAStepWhereTheirHeadsArePassed) {
  const auto& one = GetParam();
  const TemporaryDirectory folder;
  const std::string head =
      "kernel void k(device uint* out [[buffer(0)]], constant uint& n [[buffer(1)]]) {\n";
  device::KernelSource source;
  source.path = folder.write("k.metal", kAhead + head + "uint r = 0;\n" + one.body + "\nout[0] = r;\n}\n");
  source.function = "k";
  const auto text = preprocess(source);
  for (const Flavour flavour : {Flavour::fast, Flavour::checked}) {
    const auto compiled = compile_variants(source, {text}, {flavour, Numerics::strict, true});
    ASSERT_TRUE(compiled[0].module) << compiled[0].error;
    simulator::Options options;
    options.mode = flavour == Flavour::fast ? Mode::fast : Mode::checked;
    options.compile = [&](const device::KernelSource&) { return compiled[0].module; };
    simulator::allow_steps(1000);
    const auto finished = KernelRun(source.path, "k")
                              .buffer<std::uint32_t>(0, {0})
                              .value<std::uint32_t>(1, 5)
                              .grid({1, 1, 1}, {1, 1, 1})
                              .run(options);
    EXPECT_EQ(finished.values<std::uint32_t>(0)[0], one.result);
    EXPECT_EQ(1000 - simulator::steps_left(), one.steps);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Loops, testing::ValuesIn(kLoops),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace assay::metal
