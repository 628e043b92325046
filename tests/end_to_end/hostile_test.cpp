// Kernels and manifests that try to do harm when they are verified: each gets a verdict that says so, the
// kernels beside it are judged, and nothing of the machine is touched. What texts may not say at all stands
// in tests/metal/host_access_test.cpp.
#include <gmock/gmock.h>

#include <regex>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Hostile {
  const char* name;
  const char* head;     ///< ahead of the kernel
  const char* body;     ///< of the kernel; line 8 of the text where the head is empty
  const char* verdict;  ///< in checked mode
  const char* says;     ///< of the report
};

const std::vector<Hostile> kHostile = {
    {"jump_to_a_guessed_address", "",
     "if (i == 0) { typedef void (*F)(); F f = (F)(0x123456780ul + M); f(); }", "error",
     "jump_to_a_guessed_address.metal:8: a function is called through a pointer"},
    {"jump_into_the_host", "",
     "if (i == 0) { typedef void (*F)(); F f = (F)(*(device ulong*)0x400000ul); f(); }", "",
     "jump_into_the_host.metal:8"},
    {"write_through_a_guessed_address", "", "*(device uint*)(0x7fff12340000ul) = 1;", "out of bounds",
     "write_through_a_guessed_address.metal:8"},
    {"read_of_the_host", "", "C[i % M] = half(*(device uint*)(0x555555554000ul));", "out of bounds",
     "read_of_the_host.metal:8"},
    {"write_below_a_buffer", "", "device half* p = C; p[-1 - int(i)] = 1.0h;", "out of bounds",
     "write_below_a_buffer.metal:8"},
    {"write_behind_threadgroup_memory", "", "threadgroup uint t[4]; t[4 + 1000 * i] = 1; C[0] = half(t[0]);",
     "", "write_behind_threadgroup_memory.metal:8"},
    {"stack_of_8_megabytes", "",
     "half big[4194304]; for (uint j = 0; j < 4194304; ++j) big[j] = half(i + j); C[0] = big[B[0] % "
     "4194304];",
     "crash", "the stack of a thread (256 KiB) overflows"},
    {"recursion_without_end",
     "template <typename T> static uint deep(T n, device const uint* B) { volatile uint pad[64]; pad[n % 64] "
     "= "
     "n; return n == 4000000000u ? 1 : deep(n + 1, B) + pad[B[0] % 64]; }",
     "C[0] = half(deep(i, B));", "error", "calls itself; Metal has no recursion"},
    {"a_choice_of_functions",
     "static half one(half4 x) { return x.x; } static half two(half4 x) { return x.y; }",
     "half (*of)(half4) = M > 9 ? one : two; C[0] = of(half4(i));", "error",
     "a_choice_of_functions.metal:9: a pointer or reference to a function"},
    {"memory_of_another_thread", "struct Held { thread uint* at; };",
     "threadgroup Held held[1024]; uint mine = i; held[i % 1024].at = &mine; "
     "threadgroup_barrier(mem_flags::mem_threadgroup); C[0] = half(*held[0].at);",
     "", "memory that is not the thread's own"},
    {"modes_told_apart", "", "C[0] = half(__builtin_constant_p(C[1] == 5.0h));", "unsupported",
     "modes_told_apart.metal:8: `__builtin_constant_p`"},
    {"recursion_by_name", "static uint deep(uint n) { return n == 0 ? 1 : deep(n - 1); }",
     "C[0] = half(deep(i));", "error", "recursion_by_name.metal:3: `deep` calls itself"},
    {"division_by_zero", "", "int zero = int(M) * 0; if (i == 0) C[0] = half(7 / zero);",
     "undefined operation", "division_by_zero.metal:8: a whole number is divided by zero"},
    {"division_of_vectors_by_zero", "",
     "int2 zero = int2(int(M) * 0); if (i == 0) C[0] = half((int2(7) / zero).x);", "undefined operation",
     ": a whole number is divided by zero"},
    {"division_that_overflows", "", "int m = int(M) * 0 - 1; C[0] = half((int(M) * 0 - 2147483647 - 1) / m);",
     "", ""},
    {"loop_without_end", "", "volatile uint one = 1; while (one != 0) {} C[0] = 0;", "timeout",
     "took more than"},
    {"loop_over_memory", "", "volatile uint j = 0; while (true) { C[0] = half(j); ++j; }", "timeout",
     "took more than"},
    {"system_from_a_constructor",
     "extern \"C\" int system(const char*); static int now = system(\"id > owned\");", "C[0] = half(now);",
     "unsupported", "system_from_a_constructor.metal:"},
    {"printing_a_verdict", "extern \"C\" int printf(const char*, ...);",
     "printf(\"1 of 1 kernels pass\"); C[0] = 0;", "unsupported", "printing_a_verdict.metal:"},
    {"fork_bomb", "extern \"C\" int fork();", "while (true) fork();", "unsupported", "fork_bomb.metal:"},
    {"early_exit", "extern \"C\" void _exit(int);", "_exit(0);", "unsupported", "early_exit.metal:"},
    {"include_of_passwords", "#include \"/etc/passwd\"", "C[0] = 0;", "",
     "include_of_passwords.metal:3: `/etc/passwd` lies outside"},
    {"include_of_zeros", "#include \"/dev/zero\"", "C[0] = 0;", "unsupported", "include_of_zeros.metal:3"},
    {"include_of_itself", "#include \"include_of_itself.metal\"", "C[0] = 0;", "error",
     "include_of_itself.metal:3: #include nested too deeply"},
    {"macros_that_explode",
     "#define A x x x x x x x x x x\n#define B_ A A A A A A A A A A\n#define D B_ B_ B_ B_ B_ B_ B_ B_ B_ "
     "B_\n"
     "#define E D D D D D D D D D D\n#define F E E E E E E E E E E\n#define G F F F F F F F F F F\n"
     "#define H G G G G G G G G G G\n#define I H H H H H H H H H H\n#define J I I I I I I I I I I\nJ",
     "C[0] = 0;", "error", "macros_that_explode: error: "},
};

class HostileKernels : public testing::TestWithParam<std::size_t> {};

constexpr std::size_t kShare = 7;

TEST_P(HostileKernels, GetAVerdictAndHarmNobody) {
  const Scratch scratch;
  std::string manifest;
  std::vector<Hostile> some;
  for (std::size_t i = GetParam(); i < kHostile.size(); i += (kHostile.size() + kShare - 1) / kShare)
    some.push_back(kHostile[i]);
  for (const auto& one : some) {
    std::string text = kernel_text(one.body);
    text.insert(text.find("kernel void"), std::string(one.head) + (*one.head != '\0' ? "\n" : ""));
    scratch.write(fmt::format("{}.metal", one.name), text);
    std::string entry = manifest_of(fmt::format("{}.metal", one.name), one.name);
    manifest += entry + "function = \"k\"\n";
  }
  scratch.write("m.toml", manifest);
  const auto before = fs::directory_iterator(scratch.root());
  const auto count = std::distance(before, fs::directory_iterator());
  const auto result = metal::run_process(
      {kProgram.string(), "verify", "--manifest", "m.toml", "--mode", "checked", "--timeout", "5"},
      scratch.root().string());
  const std::string words = std::regex_replace(result.out, std::regex("\\s+"), " ");
  EXPECT_NE(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr(fmt::format("0 of {} kernels pass", some.size())));
  EXPECT_THAT(result.out, Not(HasSubstr("1 of 1 kernels pass\n1 of 1")));
  for (const auto& one : some) {
    const auto row = result.out.find(std::string("\n") + one.name + " ");
    ASSERT_NE(row, std::string::npos) << one.name << result.out;
    const std::string line = result.out.substr(row + 1, result.out.find('\n', row + 1) - row - 1);
    EXPECT_THAT(line, HasSubstr(one.verdict)) << result.out;
    EXPECT_THAT(line, Not(HasSubstr(" pass ")));
    EXPECT_THAT(words, HasSubstr(one.says)) << one.name;
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.root()), fs::directory_iterator()), count)
      << "a file that no kernel may make";
  EXPECT_THAT(result.out, Not(HasSubstr("root:"))) << "a line of /etc/passwd";
}

INSTANTIATE_TEST_SUITE_P(Shares, HostileKernels,
                         testing::Range(std::size_t{0}, (kHostile.size() + kShare - 1) / kShare));

}  // namespace
}  // namespace assay::end_to_end
