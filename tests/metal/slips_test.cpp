// Slips that Apple's compiler refuses, each beside the text that is right: the one is refused at its line,
// the other loads.
#include <gmock/gmock.h>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/module/module.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

struct Slip {
  const char *name, *before, *wrong, *right, *why;
};

class Slips : public testing::TestWithParam<Slip> {
 protected:
  std::string refusal(const std::string& before, const std::string& body) {
    const auto path = directory_.write(
        "slip.metal", "#include <metal_stdlib>\nusing namespace metal;\n" + before +
                          "kernel void k(device float* out [[buffer(0)]], constant float* in [[buffer(1)]],\n"
                          "              uint i [[thread_position_in_grid]]) {\n" +
                          body + "\n}\n");
    try {
      compile(KernelRun(path, "k").source(), Flavour::fast);
    } catch (const SourceError& error) {
      return error.what();
    }
    return {};
  }
  TemporaryDirectory directory_;
};

TEST_P(Slips, AreRefusedAndWhatIsRightLoads) {
  const Slip& slip = GetParam();
  EXPECT_THAT(refusal(slip.before, slip.wrong),
              testing::AllOf(testing::HasSubstr("slip.metal:"), testing::HasSubstr(slip.why)));
  EXPECT_EQ(refusal(slip.before, slip.right), "");
}

constexpr const char* kNoSpace = "without an address space";
INSTANTIATE_TEST_SUITE_P(
    , Slips,
    testing::Values(
        Slip{"LocalPointer", "", "float* p = out; p[0] = 1;", "device float* p = out; p[0] = 1;", kNoSpace},
        Slip{"ConstLocalPointer", "", "const half4 * p = (device half4*)out; out[i] = p->x;",
             "device half4 const* p = (device half4*)out; out[i] = p->x;", kNoSpace},
        Slip{"Cast", "", "out[i] = *(uint*)out;", "out[i] = *(device uint*)out;", kNoSpace},
        Slip{"ReinterpretCast", "", "out[i] = *reinterpret_cast<uint*>(out);",
             "out[i] = *reinterpret_cast<device uint*>(out);", kNoSpace},
        Slip{"LocalReference", "", "float x = 1; float& y = x; y = 2;",
             "float x = 1; thread float& y = x; y = 2;", kNoSpace},
        Slip{"ReferenceToAStruct", "struct S { float a; };\n", "S s; S& t = s; t.a = 1;",
             "S s; thread S& t = s; t.a = 1;", kNoSpace},
        Slip{"FewNumbers", "", "float4 v = float4(1, 2); out[i] = v.x;",
             "float4 v = float4(float2(1, 2), 3, -4); v = {1, 2}; out[i] = v.x;", "is made of 2 numbers"},
        Slip{"ManyNumbers", "", "float2 v = float2(1, 2, 3); out[i] = v.x;",
             "float2 v = float2(1, 2); out[i] = v.x;", "no matching constructor"},
        Slip{"ComponentTwice", "", "float4 v = 1; v.xx = float2(1); out[i] = v.x;",
             "float4 v = 1; v.xy = v.xx; out[i] = v.x;", "names a component twice"},
        Slip{"PartOfComponentsApart", "", "float4 v = 1; v.wzy.xy = float2(1); out[i] = v.x;",
             "float4 v = 1; v.wz = float2(1); out[i] = v.x;", "of components apart cannot be assigned to"},
        Slip{"OneOfComponentsApart", "", "float4 v = 1; v.wzy.x = 1; out[i] = v.x;",
             "float4 v = 1; v.lo.x = 1; v.wzy[0] = 1; out[i] = v.x;", "not assignable"},
        Slip{"ComponentOfAConstant", "", "const float4 v = 1; v.wz = float2(1); out[i] = v.x;",
             "const float4 v = 1; out[i] = v.wz.x;", "of a constant cannot be assigned to"},
        Slip{"ChoiceOfComponents", "", "float4 v = 1; (i ? v.wz : v.yx) = float2(1); out[i] = v.x;",
             "float4 v = 1; const float2 u = i ? v.wz : v.yx; out[i] = u.x;", "no viable overloaded '='"},
        Slip{"ReferenceToComponentsApart", "", "float4 v = 1; thread float2& u = v.wz; out[i] = u.x;",
             "float4 v = 1; thread float2& u = v.zw; out[i] = u.x;", "cannot bind to a temporary"},
        Slip{"LiteralOfOnesOwn",
             "constexpr float operator\"\"_k(unsigned long long x) { return x * 1000; }\n", "out[i] = 2_k;",
             "out[i] = 2bf + 2.H;", "`2_k`: user-defined literals are not supported"},
        Slip{"LiteralOfNoOne", "", "out[i] = 2.5_h;", "out[i] = 2.5h;", "no matching literal operator"},
        Slip{"Double", "", "double x = 1; out[i] = x;", "float x = 1.0; out[i] = x;",
             "Metal has no `double`"},
        Slip{"Goto", "", "if (i) goto end; out[i] = 1; end:;", "if (i) return; out[i] = 1;",
             "Metal has no `goto`"},
        Slip{"Throw", "", "if (i) throw 1;", "if (i) return;", "`throw` is not supported"},
        Slip{"New", "", "thread float* p = new float; out[i] = *p;", "float p; out[i] = p = 1;",
             "`new` is not supported"},
        Slip{"Virtual", "", "struct S { virtual float f() { return 1; } } s; out[i] = s.f();",
             "struct S { float f() { return 1; } } s; out[i] = s.f();", "`virtual` is not supported"},
        Slip{"ThreadLocal", "", "thread_local int x = 1; out[i] = x;", "int x = 1; out[i] = x;",
             "`thread_local` is not supported"},
        Slip{"StaticLocal", "", "static int x = 1; out[i] = x;", "static constant int x = 1; out[i] = x;",
             "can be written to, which Metal does not allow; write `constant`"},
        Slip{"WriteToConstant", "", "in[i] = 1;", "out[i] = in[i];", "read-only"},
        Slip{"LibraryOfC", "", "out[i] = expf(in[i]);", "out[i] = exp(in[i]);",
             "use of undeclared identifier 'expf'"},
        Slip{"Print", "", "printf(\"%d\", i);", "out[i] = i;", "use of undeclared identifier 'printf'"},
        Slip{"Standard", "", "out[i] = std::max(in[i], 1.0f);", "out[i] = metal::max(in[i], 1.0f);", "std"},
        Slip{"InitialisedThreadgroup", "", "threadgroup int x = 1; out[i] = x;",
             "threadgroup int x; x = 1; out[i] = x;", "no initialiser"},
        Slip{"VectorAsCondition", "", "float4 v = 1; if (v > 0) out[i] = 1;",
             "float4 v = 1; if (all(v > 0)) out[i] = 1;", "not contextually convertible to 'bool'"},
        Slip{"VectorsOfTwoLengths", "", "float3 v = float4(1); out[i] = v.x;",
             "float3 v = float4(1).xyz; out[i] = v.x;", "conversion from"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Slips, PointersOfParametersAndOfMembers) {
  EXPECT_THAT(refusal("static float f(const float* p) { return p[0]; }\n", "out[i] = f(nullptr);"),
              testing::HasSubstr("slip.metal:3: a pointer to `float` without an address space"));
  EXPECT_THAT(refusal("struct S {\n  half2* p; };\n", "S s; s.p = nullptr; out[i] = 1;"),
              testing::HasSubstr("slip.metal:4: a pointer to `half2` without an address space"));
  // A template's parameter brings its own; `auto` does.
  EXPECT_EQ(refusal("template <typename T> static float f(T* p) { return p[0]; }\n",
                    "auto* p = out; const auto& q = in[i]; out[i] = f(p) + q;"),
            "");
}

TEST_F(Slips, AnArrayOfTheThreadgroupsIsNoPointerToDeviceMemory) {
  const std::string before = "static void f(device float* p) { p[0] = 1; }\n";
  EXPECT_THAT(refusal(before, "threadgroup float t[2];\nf(t);\nout[i] = t[0];"),
              testing::HasSubstr("slip.metal:7: address spaces do not match"));
  EXPECT_EQ(refusal(before, "f(out);"), "");
}

TEST_F(Slips, KernelsReturnNothing) {
  const auto path =
      directory_.write("slip.metal", "kernel int k(device int* out [[buffer(0)]]) {\n  return 1;\n}\n");
  try {
    compile(KernelRun(path, "k").source(), Flavour::fast);
    ADD_FAILURE() << "loads";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("slip.metal:1: kernel `k` returns a value; kernels return void"));
  }
}

}  // namespace
}  // namespace assay::metal
