// References are texts of strangers too: they reach nothing, and what they do wrong is an error of theirs.
#include <gmock/gmock.h>

#include <regex>

#include "tests/end_to_end/program.hpp"
#include "tests/signals_at_once.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

struct BadReference {
  const char* name;
  const char* text;
  const char* says;
  int status = 2;
};

/// None of these reaches anything; each is an error that names the reference's line where there is one, but
/// for what harms nobody: its answer is what it is.
const std::vector<BadReference> kBadReferences = {
    {"system_call",
     "extern \"C\" int system(const char*);\nvoid reference() { system(\"id > owned\"); y(0) = 1; }",
     "r.cpp:1: `extern \"C\"` declares something of the host"},
    {"assembly", "void reference() { asm volatile(\"syscall\"); }", "r.cpp:1: inline assembly"},
    {"guessed_address", "void reference() { *(volatile int*)0x123456780 = 1; y(0) = x(0); }",
     "the reference crashed: signal 11 (Segmentation fault) at address 0x123456780"},
    {"jump", "void reference() { typedef void (*F)(); F f = (F)0x400000ul; f(); }",
     "the reference crashed: signal"},
    {"endless", "void reference() {\n  volatile int one = 1;\n  while (one) {}\n}",
     "the reference ran for 2 s of processor time on one problem at"},
    {"recursion",
     "static int deep(volatile int n) { volatile int pad[100]; pad[n % 100] = n; return deep(n + 1) + "
     "pad[3]; }\n"
     "void reference() { y(0) = deep(0); }",
     "the reference crashed: signal 11"},
    {"division", "void reference() { volatile int zero = 0; y(0) = 7 / zero; }",
     "the reference crashed: signal 8"},
    {"past_an_array",
     "void reference() {\n  double table[4] = {};\n  volatile int far = 9;\n  y(0) = table[far];\n}",
     "the reference goes past the end of one of its arrays at"},
    {"state", "void reference() { static long calls; ++calls; y(0) = calls; }",
     "is a variable that all threads share and can write to"},
    {"passwords", "#include \"/etc/passwd\"\nvoid reference() { y(0) = x(0); }",
     "r.cpp:1: `/etc/passwd` lies outside"},
    {"own_judge",
     "};\nextern \"C\" void assay_reference_assign(unsigned, long, double, double, double) {}\nstruct B {\n"
     "void reference() {} ",
     "r.cpp:2: the simulator reserves the name `assay_reference_assign`"},
    {"behind_the_class",
     "};\nstruct A { A(); int x; };\nA::A() { x = 1; }\nA at_load;\nstruct B {\nvoid reference() {}", ""},
    {"outside", "void reference() { for (Index i = 0; i <= M; ++i) y(i) = x(i); }", "has no such element"},
    {"far_outside", "void reference() { y(-1000000) = x(0); }", "y[-1000000] has no such element"},
    {"sets_its_input", "void reference() { x.set(0, 0); y(0) = 0; }", "x is set outside of fill()"},
    {"unassigned", "void reference() {}", "reference() assigns nothing to element 0 of y"},
    {"no_function", "void referenz() {}", "r.cpp: defines no function `void reference()`"},
    {"endless_fill",
     "void reference() { for (Index i = 0; i < M; ++i) y(i) = x(i); }\nvoid fill(Draw&) { volatile int one = "
     "1; while (one) {} }",
     "the reference ran for 2 s"},
    // Where its tensors lie, and how many elements they have: the judge remembers what it said.
    {"shared_memory",
     "void reference() {\n  for (Index i = 0; i < M; ++i) y(i) = x(i);\n"
     "  volatile unsigned long* words = (volatile unsigned long*)(*(unsigned long*)&x);\n"
     "  for (long i = 1; i < 1000; ++i)\n    if (words[-i] != 0) words[-i] = 0x7000000000ul;\n}",
     "1 of 1 kernels pass", 0},
};

class HostileReference : public testing::TestWithParam<std::size_t> {};

TEST_P(HostileReference, IsAnErrorThatSaysSoAndHarmsNobody) {
  const BadReference& one = kBadReferences[GetParam()];
  if (std::string(one.says).starts_with("the reference ran for")) ASSAY_NEEDS_SIGNALS_AT_ONCE();
  const Scratch scratch;
  scratch.write("r.cpp", one.text);
  scratch.write("k.metal",
                kHead +
                    "kernel void k(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],\n"
                    "  constant uint& M [[buffer(2)]], uint i [[thread_position_in_grid]]) { if (i < M) y[i] "
                    "= x[i]; }\n");
  scratch.write(
      "m.toml",
      "[[operation]]\nname = \"o\"\nreference = \"r.cpp\"\ndimensions = [{ name = \"M\", largest = 4 "
      "}]\ntensors = [\n"
      "  { name = \"x\", type = \"float\", shape = [\"M\"] },\n"
      "  { name = \"y\", type = \"float\", shape = [\"M\"], access = \"out\" },\n]\n"
      "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\noperation = \"o\"\narguments = [\"x\", \"y\", \"M\"]\n"
      "threads_per_threadgroup = 32\ngrid = [\"M\", \"1\", \"1\"]\ngrid_unit = \"threads\"\n");
  const auto count = [&] {
    return std::distance(fs::directory_iterator(scratch.root()), fs::directory_iterator());
  };
  const auto before = count();
  const auto result = metal::run_process({kProgram.string(), "verify", "--manifest", "m.toml", "--mode",
                                          "fast", "--numerics", "strict", "--cases", "5", "--timeout", "2"},
                                         scratch.root().string());
  const std::string words = std::regex_replace(result.out + result.err, std::regex("\\s+"), " ");
  EXPECT_EQ(result.exit_code, one.status) << words;
  EXPECT_THAT(words, HasSubstr(one.says));
  EXPECT_THAT(words, Not(HasSubstr("root:"))) << "a line of /etc/passwd";
  EXPECT_EQ(count(), before) << "a file that no reference may make";
}

INSTANTIATE_TEST_SUITE_P(Each, HostileReference, testing::Range(std::size_t{0}, kBadReferences.size()),
                         [](const auto& info) { return std::string(kBadReferences[info.param].name); });

}  // namespace
}  // namespace assay::end_to_end
