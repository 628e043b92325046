// A kernel's text is data: it cannot run code of its own on the host, or reach what the host has. Of the two
// guards that stand in the way, here is the text's, without the object's (object_guard_test.cpp).
#include <gmock/gmock.h>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/module/module.hpp"
#include "tests/metal/hostile.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

using testing::HasSubstr;

const char* const kKernel =
    "\nkernel void k(device int* out [[buffer(0)]]) { out[0] = int(sizeof(TOUCHED)); }\n";

class HostileText : public testing::TestWithParam<Hostile> {
 protected:
  // What is said of a text, paths without the directory.
  std::string refusal_of(const std::string& text) {
    KernelRun kernel(directory_.write("odd.metal", text), "k");
    const auto& source = kernel.source();
    std::string what;
    try {
      compile(source, Flavour::fast);
    } catch (const SourceError& error) {
      what = error.what();
    }
    const std::string prefix = directory_.path().string() + "/";
    for (auto at = what.find(prefix); at != std::string::npos; at = what.find(prefix)) {
      what.erase(at, prefix.size());
    }
    return what;
  }
  TemporaryDirectory directory_;
};

TEST_P(HostileText, IsRefusedWithItsLine) {
  std::string text = GetParam().text;
  const bool own_kernel = text.find("void k(") != std::string::npos;
  if (!own_kernel) text += kKernel;
  const std::string gets = GetParam().gets;
  const auto colon = gets.find(": ");
  EXPECT_THAT(refusal_of(text), testing::AllOf(testing::StartsWith(gets.substr(0, colon + 2)),
                                               HasSubstr(gets.substr(colon + 2))));
}

INSTANTIATE_TEST_SUITE_P(
    , HostileText,
    testing::Values(
        Hostile{"C function of the host", "\nextern \"C\" int TOUCHED(const char*);",
                "odd.metal:2: `extern \"C\"` declares something of the host"},
        Hostile{"C function with a body", "extern \"C\" int TOUCHED() { return 1; }",
                "odd.metal:1: `extern \"C\"` declares"},
        Hostile{"C block", "extern \"C\" {\nstruct S { int a; };\nint TOUCHED(int);\n}",
                "odd.metal:3: `extern \"C\"` declares"},
        Hostile{"C++ function", "extern \"C++\" int TOUCHED(int);", "odd.metal:1: `extern \"C++\"` declares"},
        Hostile{"kernel without a body", "extern \"C\" kernel void system(int);\n#define TOUCHED system",
                "odd.metal:1: `extern \"C\"`"},
        Hostile{"variable of the host", "extern char** TOUCHED;",
                "odd.metal:1: `extern` declares something of the host"},
        Hostile{"variable inside a function",
                "kernel void k(device int* out) {\n  extern int environ;\n  out[0] = environ;\n}",
                "odd.metal:2: `extern` declares something of the host"},
        Hostile{"extern from a macro", "#define E extern\n#define L \"C\"\n\nE L int TOUCHED(int);",
                "odd.metal:4: `extern \"C\"` declares"},
        Hostile{"assembly",
                "kernel void k(device int* out) {\n  asm volatile(\"syscall\" ::: \"memory\");\n}",
                "odd.metal:2: inline assembly is not supported"},
        Hostile{"assembly behind a condition",
                "kernel void k(device int* out) {\n  if (out[0])\n    __asm__(\"syscall\");\n}",
                "odd.metal:3: inline assembly is not supported"},
        Hostile{"assembly at file scope", "struct TOUCHED {};\nasm(\".section .init_array\");\n",
                "odd.metal:2: inline assembly is not supported"},
        Hostile{"register by name", "kernel void k(device int* out) {\n  register long x asm(\"rsp\");\n}",
                "odd.metal:2: inline assembly is not supported"},
        Hostile{"assembly in a template",
                "template <class T> int f() { __asm(\"nop\"); return 1; }\n"
                "constexpr constant int TOUCHED = sizeof(f<int>());",
                "odd.metal:1: inline assembly is not supported"},
        Hostile{"symbol by label of a variable", "int TOUCHED asm(\"assay_lane\");",
                "odd.metal:1: inline assembly is not supported"},
        Hostile{"constructor", "__attribute__((constructor)) void TOUCHED() {}",
                "odd.metal:1: the attribute `constructor` is not supported"},
        Hostile{"constructor in brackets", "[[gnu::constructor]] void TOUCHED() {}",
                "odd.metal:1: the attribute `constructor` is not supported"},
        Hostile{"constructor in loose brackets",
                "[ [using __gnu__ : unused, __constructor__(101)] ]\nvoid TOUCHED() {}",
                "odd.metal:1: the attribute `constructor` is not supported"},
        Hostile{"destructor", "void TOUCHED() __attribute__((unused, __destructor__));\nvoid TOUCHED() {}",
                "odd.metal:1: the attribute `destructor` is not supported"},
        Hostile{"section", "__attribute((section(\".init_array\"))) constant int TOUCHED = 1;",
                "odd.metal:1: the attribute `section` is not supported"},
        Hostile{"indirect function", "int TOUCHED() __attribute__((ifunc(\"x\")));",
                "odd.metal:1: the attribute `ifunc` is not supported"},
        Hostile{"alias", "int TOUCHED() __attribute__((weakref(\"system\")));",
                "odd.metal:1: the attribute `weakref` is not supported"},
        Hostile{"annotation",
                "kernel void k(device int* out) {\n"
                "  __attribute__((annotate(\"threadgroup_slot:9\"))) int own[4];\n  out[0] = own[0];\n}",
                "odd.metal:2: the attribute `annotate` is not supported"},
        Hostile{"visibility", "__attribute__((visibility(\"default\"))) int TOUCHED = 1;",
                "odd.metal:1: the attribute `visibility` is not supported"},
        Hostile{"checks switched off", "[[clang::no_sanitize(\"thread\")]] int TOUCHED() { return 1; }",
                "odd.metal:1: the attribute `no_sanitize` is not supported"},
        Hostile{"checks switched off in a lambda",
                "kernel void k(device int* out) {\n"
                "  auto f = [&]() __attribute__((no_sanitize_thread)) { out[0] = 1; };\n  f();\n}",
                "odd.metal:2: the attribute `no_sanitize_thread` is not supported"},
        Hostile{"cleanup", "kernel void k(device int* out) {\n  int x __attribute__((cleanup(f)));\n}",
                "odd.metal:2: the attribute `cleanup` is not supported"},
        Hostile{"thread local", "static thread_local int TOUCHED = 1;",
                "odd.metal:1: `thread_local` is not supported: a kernel may not use memory of the host's "
                "threads"},
        Hostile{"new", "kernel void k(device int* out) {\n  out[0] = *new int(1);\n}",
                "odd.metal:2: `new` is not supported"},
        Hostile{"virtual function", "struct TOUCHED { virtual int f(); };",
                "odd.metal:1: `virtual` is not supported"},
        Hostile{"return address",
                "kernel void k(device ulong* out) {\n  out[0] = "
                "(ulong)__builtin_return_address(0);\n}",
                "odd.metal:2: `__builtin_return_address`: this function of the host's compiler"},
        Hostile{"copy that no check sees",
                "kernel void k(device int* out) {\n  __builtin_memcpy(out, out + 9, 4);\n}",
                "odd.metal:2: `__builtin_memcpy`: this function of the host's compiler"},
        Hostile{"printf", "kernel void k(device int* out) {\n  __builtin_printf(\"1 of 1 kernels pass\");\n}",
                "odd.metal:2: `__builtin_printf`: this function of the host's compiler"},
        Hostile{"atomics that no check sees",
                "kernel void k(device int* out) {\n  __sync_fetch_and_add(out, 1);\n}",
                "odd.metal:2: `__sync_fetch_and_add` is not supported"},
        Hostile{"jump to an address", "kernel void k(device ulong* out) {\n  goto *(void*)out[0];\n}",
                "odd.metal:2: a `goto` to an address is not supported"},
        Hostile{"position forged",
                "kernel void k(device int* out) {\n  assay_lane->index_in_simdgroup = 0;\n}",
                "odd.metal:2: the simulator reserves the name `assay_lane`"},
        Hostile{"hook of the checker replaced", "void __tsan_read4(void* TOUCHED) {}",
                "odd.metal:1: the simulator reserves the name `__tsan_read4`"},
        Hostile{"macro of the simulator's", "ASSAY_EXPORT int TOUCHED = 1;",
                "odd.metal:1: the simulator reserves the name `ASSAY_EXPORT`"},
        Hostile{"lanes switched by hand", "struct TOUCHED {};\nusing ::jump_fcontext;",
                "odd.metal:2: the simulator reserves the name `jump_fcontext`"},
        Hostile{"options of the compiler", "#pragma GCC optimize(\"no-sanitize=thread\")\nstruct TOUCHED {};",
                "odd.metal:1: `#pragma GCC optimize` instructs the host's compiler"},
        Hostile{"options from a macro",
                "#define P(x) _Pragma(x)\nstruct TOUCHED {};\n\nP(\"GCC push_options\")",
                "odd.metal:4: `#pragma GCC push_options` instructs the host's compiler"},
        Hostile{"symbol renamed", "#pragma redefine_extname f system\nint TOUCHED;",
                "odd.metal:1: `#pragma redefine_extname` instructs the host's compiler"},
        Hostile{"weak symbol", "%:pragma weak f = system\nint TOUCHED;",
                "odd.metal:1: `#pragma weak` instructs the host's compiler"},
        Hostile{"directive written by a macro", "#define HASH #\nint TOUCHED;\nHASH include \"/etc/passwd\"",
                "odd.metal:3: `#include` is not supported here"},
        Hostile{"absolute include", "int TOUCHED;\n#include \"/etc/passwd\"",
                "odd.metal:2: `/etc/passwd` lies outside the kernel's project and its include_dirs"},
        Hostile{"include of a parent's", "int TOUCHED;\n\n#include \"../../../../../../../../etc/passwd\"",
                "odd.metal:3: `../../"},
        Hostile{"lines of another file", "int TOUCHED;\n#line 3 \"/etc/passwd\"\nint x = ;",
                "odd.metal:2: `/etc/passwd` lies outside the kernel's project and its include_dirs"},
        Hostile{"raw string", "constant char TOUCHED[] = R\"(\")\"; asm(\"'\");",
                "odd.metal:1: raw strings are not supported"},
        Hostile{"digraphs", "<:<:gnu::constructor:>:> void TOUCHED() {}",
                "odd.metal:1: digraphs, as `<:`, are not supported"},
        Hostile{"macros of the compiler between brackets",
                "[ __REGISTER_PREFIX__ [gnu::constructor]] void TOUCHED() {}",
                "odd.metal:1: `__REGISTER_PREFIX__` is a macro of the host's compiler"},
        Hostile{"quote within a number", "[[x::y(0x1'a' ' )]] int TOUCHED; [[x::y(')]] int y;",
                "odd.metal:1: `0x1'a'` is not a number"},
        Hostile{"spliced word", "#define B(x) x\n#define AS() as\nAS()B(\\)\nm(\"nop\"); int TOUCHED;",
                "odd.metal:3: a `\\` outside of strings is not supported"}),
    named);

// The source's folder is what a link in it leads to, too.
TEST_F(HostileText, LinksLeadNowhereElse) {
  std::filesystem::create_symlink("/etc/passwd", directory_.path() / "link.h");
  EXPECT_THAT(refusal_of("\n#include \"link.h\"\nkernel void k() {}\n"),
              HasSubstr("link.h` lies outside the kernel's project and its include_dirs"));
}

TEST_F(HostileText, ValuesThatWouldBeComputedWhileTheKernelIsLoaded) {
  const std::string tail = kKernel;
  for (const char* text : {
           "\nint f(int x) { return x * x; }\nconstant int TOUCHED = f(4);",
           "\nint f(int x) { return x; }\nconstant float2 TOUCHED[2] = {float2(1), float2(f(2))};",
       }) {
    const auto refused = refusal_of(text + tail);
    EXPECT_THAT(refused, testing::StartsWith("odd.metal:3: ")) << text;
    EXPECT_THAT(refused, HasSubstr("not a constant expression")) << text;
  }
  EXPECT_THAT(refusal_of("\nint f(int x) { return x; }\ntemplate <class T> constant T many = T(f(3));\n"
                         "kernel void k(device int* out) { out[0] = many<int>; }\n"),
              HasSubstr("odd.metal:3: the value of `many` is not a constant expression"));
  EXPECT_THAT(refusal_of("int f(int x) { return x; }\nkernel void k(device int* out) {\n"
                         "  static const int now = f(out[0]);\n  out[0] = now;\n}\n"),
              HasSubstr("odd.metal:3: the value of `now` is not a constant expression"));
}

// Metal has no variables that threads share but those in threadgroup and device memory: a race on one would
// be seen by nobody.
TEST_F(HostileText, VariablesThatStayAndCanBeWrittenTo) {
  const std::string tail = kKernel;
  for (const char* text :
       {"\n\nstatic uint TOUCHED[64];", "\n\nint TOUCHED = 1;", "\n\nmetal::float4 TOUCHED;",
        "\n\nstatic volatile int TOUCHED{0};", "\nnamespace n {\nint counter;\n}\n#define TOUCHED n::counter",
        "\n\n__attribute__((aligned(16))) float TOUCHED[4];", "\n\narray<int, 4> TOUCHED;",
        "\n\nstatic const int TOUCHED = 4;"}) {
    const auto refused = refusal_of("#include <metal_stdlib>\nusing namespace metal;" + (text + tail));
    EXPECT_THAT(refused, HasSubstr("program scope variable must reside in constant address space: write "
                                   "`constant` before its type"))
        << text;
    EXPECT_THAT(refused, testing::MatchesRegex("odd.metal:[45]: .*")) << text;
  }
  EXPECT_THAT(refusal_of("kernel void k(device int* out) {\n  static int many;\n  out[0] = many++;\n}\n"),
              HasSubstr("odd.metal:2: `many` is shared by all threads and can be written to"));
  EXPECT_THAT(
      refusal_of("struct S { static inline int x; };\nkernel void k(device int* out) { out[0] = S::x++; }\n"),
      HasSubstr("is shared by all threads and can be written to"));
  for (const char* text : {"struct S { int x; } all;\nkernel void k(device int* out) { out[0] = all.x++; }\n",
                           "int many(3);\nkernel void k(device int* out) { out[0] = many++; }\n"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("program scope variable must reside in constant address space"))
        << text;
  }
}

TEST_F(HostileText, FilesOfLineDirectivesHaveNamesThatCanBeShown) {
  for (const char* name : {"x\\n\\n1 of 1 kernels pass", "\\033[31mred", "\\177", ""}) {
    EXPECT_THAT(refusal_of(std::string("#line 3 \"") + name + "\"\n" + kKernel),
                HasSubstr("gives a file an empty name, or one with control characters"))
        << name;
  }
  for (const char* name : {"k.metal", "with space.metal", "\u00e9.metal"}) {
    EXPECT_EQ(
        refusal_of(std::string("#line 3 \"") + name + "\"\nkernel void k(device int* out) { out[0] = 1; }\n"),
        "")
        << name;
  }
}

// What the text guard does not recognise, the object shows: a member's initialiser, a call of nothing.
TEST_F(HostileText, WhatTheTextGuardMissesTheObjectShows) {
  EXPECT_THAT(refusal_of("int f(int x) { return x; }\nstruct S { static inline const int now = f(3); };\n"
                         "kernel void k(device int* out) { out[0] = S::now; }\n"),
              HasSubstr("odd.metal:2: the value of `now` is not a constant expression"));
  EXPECT_EQ(refusal_of("\nint system(int);\n\nkernel void k(device int* out) { out[0] = system(1); }\n"),
            "odd.metal:2: `system(int)` is used, but neither the kernel nor the simulator defines it");
}

// What public kernels and headers shared with a host program do say.
TEST_F(HostileText, HonestTextIsLeftAlone) {
  EXPECT_EQ(
      refusal_of(
          "#include <metal_stdlib>\n#include <simd/simd.h>\nusing namespace metal;\n"
          "#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Wunused\"\n#pragma mark - "
          "Types\n"
          "#pragma METAL fp math_mode(safe)\n#pragma pack(push, 1)\n"
          "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
          "typedef struct __attribute__((packed)) { ushort d; uchar q[2]; } Block;\n"
          "void host_only(Block* block);\n"
          "#ifdef __cplusplus\n}\n#endif\n#pragma pack(pop)\n"
          "extern \"C\" int host_too(const char* s, ...) __attribute__((format(printf, 1, 2)));\n"
          "#define MTL_CONST static constant constexpr const\n"
          "#define FOR_UNROLL _Pragma(\"clang loop unroll(full)\") for\n"
          "MTL_CONST float kTable[4] = {0.f, 0.5f, 1.f, -1.f};\n"
          "constant half4 kVectors[2] = {half4(1.h), half4(2.h, 3.h, 4.h, 5.h)};\n"
          "constant float kScale = 1.0f / sqrt(2.0f);\nconstant uint kBits = as_type<uint>(1.0f);\n"
          "constant int kCount [[function_constant(7)]];\nconstant int kTwice = 2 * 3;\n"
          "template <typename T> struct Limits { static constexpr constant T top = T(4); };\n"
          "typedef float float4_t __attribute__((ext_vector_type(4)));\n"
          "union Bits { float f; uint u; };\nstruct Fixed { Fixed(const thread Fixed&) = delete; int x; };\n"
          "enum __attribute__((enum_extensibility(open))) Mode : int { kFast };\n"
          "static inline __attribute__((always_inline)) float one(thread const Bits& b) { return b.f; }\n"
          "[[clang::noinline]] int later(int x);\n[[nodiscard, gnu::pure]] int later(int x) { return x; }\n"
          "template <typename T, int N = 1'0> METAL_FUNC T many(T x) {\n"
          "  static constexpr constant int kStep = 2;\n"
          "  FOR_UNROLL (int i = 0; i < N; ++i) x += kStep;\n  return x;\n}\n"
          "struct Box { int a; };\nkernel void k(device int* out [[buffer(0)]], constant Block* blocks "
          "[[buffer(1)]], uint tid [[thread_position_in_grid]]) {\n  Bits b; b.u = kBits;\n"
          "  alignas(16) int x[4] = {later(3), 0};\n  if (__builtin_expect(tid == 0, 1)) [[likely]] {\n"
          "    out[0] = many(x[0]) + int(kTable[1] * 2 + float(kVectors[1].x) + kScale) + int(one(b)) + "
          "kFast +\n"
          "             int(blocks->d) + Limits<int>::top + kTwice + __builtin_popcount(tid);\n  }\n}\n"
          "extern \"C\" kernel void other() {}\n"),
      "");
  directory_.write("shared.h", "struct Box { int a; };\n");
  EXPECT_EQ(refusal_of("#include \"shared.h\"\n#line 40 \"generator.py\"\nkernel void k(device Box* out) { "
                       "out[0].a = 1; }\n"),
            "");
}

// No false alarm of the guard of objects: every function of Metal's that the compiler may turn into one of
// libm or libc.
TEST_F(HostileText, EveryFunctionOfTheLibraryIsOffered) {
  KernelRun kernel(directory_.write("odd.metal", R"(#include <metal_stdlib>
using namespace metal;
#define ONE(f) out[n] = f(out[n]); h[n] = f(h[n]); v[n] = f(v[n]); ++n;
#define TWO(f) out[n] = f(out[n], out[n + 1]); h[n] = f(h[n], h[n + 1]); v[n] = f(v[n], v[n + 1]); ++n;
kernel void k(device float* out [[buffer(0)]], device half* h [[buffer(1)]], device float4* v [[buffer(2)]], device int* w [[buffer(3)]]) {
  int n = 0;
  ONE(fabs) ONE(floor) ONE(ceil) ONE(round) ONE(rint) ONE(trunc) ONE(sqrt) ONE(rsqrt) ONE(exp) ONE(exp2) ONE(exp10) ONE(log)
  ONE(log2) ONE(log10) ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh)
  ONE(acosh) ONE(atanh) ONE(sinpi) ONE(cospi) ONE(tanpi) ONE(fract) ONE(saturate) ONE(sign)
  TWO(atan2) TWO(pow) TWO(powr) TWO(fmod) TWO(fdim) TWO(copysign) TWO(divide) TWO(fmin) TWO(fmax) TWO(nextafter)
  int e; out[n] = frexp(out[n], e); w[0] = e; out[n + 1] = ldexp(out[n], w[1]); w[2] = ilogb(out[n]);
  float c; out[n + 2] = sincos(out[n], c); out[n + 3] = c; float i; out[n + 4] = modf(out[n], i); out[n + 5] = i;
  out[n + 6] = fma(out[n], out[n + 1], out[n + 2]); out[n + 7] = mix(out[n], out[n + 1], out[n + 2]);
  w[3] = int(rint(out[n])); w[4] = int(round(out[n])); w[5] = int(floor(out[n])); w[6] = int(ceil(out[n])); w[7] = int(trunc(out[n]));
  long l = long(round(out[n])); w[8] = int(l >> 32); l = long(rint(out[n])); w[9] = int(l);
  w[10] = clz(w[1]) + ctz(w[2]) + popcount(w[3]); out[n+8] = length(v[0]) + dot(v[1], v[2]); v[3] = normalize(v[4]);
  struct Big { float a[300]; }; *(device Big*)(v + 400) = *(device Big*)(v + 900);
  for (int q = 0; q < w[0]; ++q) w[q + 11] = w[q + 12];
}
)"),
                   "k");
  for (const auto numerics : {Numerics::strict, Numerics::contracted, Numerics::reassociated}) {
    EXPECT_NO_THROW(compile(kernel.source(), Flavour::fast, toolchain(), numerics));
  }
  EXPECT_NO_THROW(compile(kernel.source(), Flavour::checked));
}

}  // namespace
}  // namespace assay::metal
