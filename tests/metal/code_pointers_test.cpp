// Addresses of code: no text comes by one, in whatever way it is spelled, and none calls what is no function
// by name, or itself. Each is refused with its line, in fast and in checked mode; what Metal has in their
// place loads.
#include <gmock/gmock.h>

#include "harness/device/metal_version.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/module/module.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

using testing::HasSubstr;

struct Spelling {
  const char* name;
  const char* ahead;  ///< of the kernel, in one line: the first
  const char* body;   ///< of the kernel, in one line: the second; `n` is not known before it runs
  int line;           ///< that is refused; 0: it loads
  const char* says = "";
  const char* metal_version = nullptr;  ///< as __METAL_VERSION__ has it, if it is not the usual one
};
void PrintTo(const Spelling& one, std::ostream* out) { *out << one.name; }

#define ASSAY_TWO \
  "struct Six { float v[6]; }; float one(Six s) { return s.v[1]; } float two(Six s) { return s.v[2] * 2; } "

const std::vector<Spelling> kSpellings = {
    {"a_variable", ASSAY_TWO, "float (*of)(Six) = n > 9 ? one : two; out[0] = of(*(device Six*)in);", 2,
     "a pointer or reference to a function"},
    {"a_variable_that_is_folded", ASSAY_TWO, "float (*of)(Six) = one; out[0] = of(*(device Six*)in);", 2,
     "a pointer or reference to a function"},
    {"a_reference", ASSAY_TWO, "float (&of)(Six) = n > 9 ? one : two; out[0] = of(*(device Six*)in);", 2,
     "a pointer or reference to a function"},
    {"an_array", ASSAY_TWO, "float (*of[2])(Six) = {one, two}; out[0] = of[n & 1](*(device Six*)in);", 2,
     "a pointer or reference to a function"},
    {"a_parameter",
     "float twice(float (*f)(float), float x) { return f(f(x)); } float half_of(float x) { return x / 2; }",
     "out[0] = twice(half_of, in[0]);", 1, "a pointer or reference to a function"},
    {"a_cast_from_a_number", "", "out[0] = ((float (*)(float))(ulong)in)(1);", 2,
     "a pointer or reference to a function"},
    {"a_name_for_the_type", ASSAY_TWO "typedef float (*Of)(Six);",
     "Of of = n > 9 ? one : two; out[0] = of(*(device Six*)in);", 2, "called through a pointer"},
    {"a_name_for_a_function_type", ASSAY_TWO "using Of = float(Six);",
     "thread Of* of = n > 9 ? one : two; out[0] = of(*(device Six*)in);", 2, "called through a pointer"},
    {"a_name_cast_from_a_number", "using Of = float (*)(float);", "out[0] = ((Of)(ulong)in)(1);", 2,
     "called through a pointer"},
    {"auto", ASSAY_TWO, "auto of = n > 9 ? one : two; out[0] = of(*(device Six*)in);", 2,
     "called through a pointer"},
    {"decltype", ASSAY_TWO, "decltype(&one) of = n > 9 ? &one : &two; out[0] = of(*(device Six*)in);", 2,
     "called through a pointer"},
    {"a_choice_that_is_called", ASSAY_TWO, "out[0] = (n > 9 ? one : two)(*(device Six*)in);", 2,
     "called through a pointer"},
    {"a_member_of_a_struct", ASSAY_TWO "struct Holds { decltype(&one) of; };",
     "Holds h = {n > 9 ? one : two}; out[0] = h.of(*(device Six*)in);", 2, "called through a pointer"},
    {"a_template_argument_that_is_chosen",
     ASSAY_TWO "template <class F> float with(F f, Six s) { return f(s); }",
     "out[0] = with(n > 9 ? one : two, *(device Six*)in);", 1, "called through a pointer"},
    {"lambdas_made_pointers", "",
     "auto of = n > 9 ? +[](float x) { return x; } : +[](float x) { return x * 2; }; out[0] = of(in[0]);", 2,
     "called through a pointer", "400"},
    {"a_pointer_out_of_memory", ASSAY_TWO "typedef float (*Of)(float);",
     "threadgroup ulong kept; kept = (ulong)in + n; out[0] = (*(threadgroup Of*)&kept)(1);", 2,
     "called through a pointer"},
    {"a_union", "typedef float (*Of)(float); union Both { ulong number; Of of; };",
     "Both b; b.number = (ulong)in; out[0] = b.of(1);", 2, "called through a pointer"},
    {"pointers_to_methods", "struct P { float a(float x) { return x; } float b(float x) { return x * 2; } };",
     "P p; float (P::*of)(float) = n > 9 ? &P::a : &P::b; out[0] = (p.*of)(in[0]);", 2,
     "pointers to members"},
    {"pointers_to_methods_by_auto",
     "struct P { float a(float x) { return x; } float b(float x) { return x * 2; } };",
     "P p; auto of = n > 9 ? &P::a : &P::b; out[0] = (p.*of)(in[0]);", 2, "called through a pointer"},
    {"pointers_to_members", "struct P { float a, b; };",
     "P p = {1, 2}; float P::*at = n > 9 ? &P::a : &P::b; out[0] = p.*at;", 2, "pointers to members"},
    {"the_address_as_a_number", ASSAY_TWO, "out[0] = ((ulong)&two ^ (ulong)&one) > 4096;", 1,
     "the address of `one"},
    {"bytes_of_code", ASSAY_TWO, "out[0] = ((device uchar*)&one)[n];", 1, "the address of `one(Six)`"},
    {"the_address_of_a_label", "", "ulong at = (ulong)&&here; here: out[0] = at;", 2, "addresses of labels"},
    {"the_address_of_a_builtin", "", "auto f = &__builtin_expf; out[0] = (ulong)f;", 2, "__builtin_expf"},
    {"the_return_address", "", "out[0] = (ulong)__builtin_return_address(0);", 2, "__builtin_return_address"},
    {"the_frame_address", "", "out[0] = (ulong)__builtin_frame_address(0);", 2, "__builtin_frame_address"},
    {"setjmp", "", "ulong b[5]; out[0] = __builtin_setjmp(b);", 2, "__builtin_setjmp"},
    {"apply", "", "__builtin_apply(0, 0, 0);", 2, "__builtin_apply"},
    {"alloca", "", "out[0] = *(thread float*)__builtin_alloca(n);", 2, "__builtin_alloca"},
    {"recursion", "float deep(float x, uint n) { return n == 0 ? x : deep(x, n - 1) * x + 1; }",
     "out[0] = deep(in[0], n);", 1, "recursion"},
    {"recursion_of_two",
     "float b(float x, uint n); float a(float x, uint n) { return n == 0 ? x : b(x, n - 1) * x + 1; } float "
     "b(float x, uint n) { return n == 0 ? x : a(x, n - 1) + x; }",
     "out[0] = a(in[0], n);", 1, "recursion"},
    {"recursion_of_templates",
     "template <int I> float deep(float x, uint n) { return n == 0 ? x : deep<I ^ 1>(x, n - 1) * x + 1; }",
     "out[0] = deep<0>(in[0], n);", 1, "recursion"},
    {"recursion_of_methods",
     "struct P { float deep(float x, uint n) { return n == 0 ? x : deep(x, n - 1) * x + 1; } };",
     "P p; out[0] = p.deep(in[0], n);", 1, "recursion"},
    {"recursion_of_lambdas", "",
     "auto deep = [](auto self, float x, uint n) -> float { return n == 0 ? x : self(self, x, n - 1) * x + "
     "1; }; out[0] = deep(deep, in[0], n);",
     2, "recursion", "400"},
    {"recursion_of_operators",
     "struct P { float operator()(float x, uint n) { return n == 0 ? x : (*this)(x, n - 1) * x + 1; } };",
     "P p; out[0] = p(in[0], n);", 1, "recursion"},
    // What Metal has.
    {"a_parameter_of_a_template",
     "float one(float x) { return x + 1; } template <float (*F)(float)> float with(float x) { return F(x); }",
     "out[0] = with<one>(in[0]);", 0},
    {"a_function_handed_to_a_template",
     "float one(float x) { return x + 1; } template <class F> float with(F f, float x) { return f(x); }",
     "out[0] = with(one, in[0]);", 0},
    {"a_lambda_that_is_called", "",
     "auto add = [&](float x) { return x + in[0]; }; out[0] = add(1) + add(2);", 0, "", "400"},
    {"a_lambda_handed_to_a_template",
     "template <class F> float with(thread const F& f, float x) { return f(x); }",
     "out[0] = with([&](float x) { return x * in[0]; }, 2);", 0, "", "400"},
    {"a_callable_struct",
     "struct Add { float by; float operator()(float x) const { return x + by; } }; template <class F> float "
     "with(F f, float x) { return f(x); }",
     "out[0] = with(Add{in[0]}, 2);", 0},
    {"a_pointer_to_a_callable",
     "struct Add { float by; float operator()(float x) const { return x + by; } };",
     "Add a = {in[0]}; thread Add* p = &a; out[0] = (*p)(1) + (*p)(2);", 0},
    {"pointers_to_members_of_a_struct", "struct P { float a, b[4]; };",
     "P p = {in[0], {1, 2, 3, 4}}; thread float* at = n > 9 ? &p.a : &p.b[1]; thread float& r = p.b[2]; r += "
     "*at; out[0] = r;",
     0},
    {"templates_that_count_down",
     "template <int I> float sum(device const float* x) { if constexpr (I == 0) return 0; else return x[I] + "
     "sum<I - 1>(x); }",
     "out[0] = sum<5>(in);", 0},
    {"an_array_by_reference", "float sum(thread const float (&x)[4]) { return x[0] + x[3]; }",
     "float own[4] = {1, 2, 3, in[0]}; out[0] = sum(own);", 0},
    {"an_address_as_a_number", "", "out[0] = (((ulong)in) & 3) == 0 && (ulong)(out + 1) - ulong(out) == 4;",
     0},
    {"a_switch", "",
     "float y = 0; switch (n) { case 0: y = in[0]; break; case 1: y = in[1] * 2; break; case 2: y = "
     "sqrt(in[2]); break; case 3: y = exp(in[3]); break; case 4: y = 5; break; case 5: y = in[5] / 3; break; "
     "case 6: y = 1; } out[0] = y;",
     0},
};

class CodePointers : public testing::TestWithParam<Spelling> {
 protected:
  static std::string refusal(Flavour flavour) {
    const auto& one = GetParam();
    const TemporaryDirectory directory;
    const auto path = directory.write(
        "k.metal", std::string("#include <metal_stdlib>\nusing namespace metal;\n#line 1\n") + one.ahead +
                       "\nkernel void k(device float* in [[buffer(0)]], device float* out [[buffer(1)]], "
                       "constant uint& n [[buffer(2)]]) { " +
                       one.body + " }\n");
    KernelRun kernel(path, "k");
    if (one.metal_version != nullptr) kernel.define(device::kMetalVersionMacro, one.metal_version);
    try {
      compile(kernel.source(), flavour);
    } catch (const SourceError& error) {
      const std::string what = error.what();
      return what.substr(what.find("k.metal"));
    }
    return "";
  }
};

TEST_P(CodePointers, AreRefusedWithTheirLine) {
  for (const auto flavour : {Flavour::fast, Flavour::checked}) {
    const std::string what = refusal(flavour);
    if (GetParam().line == 0) {
      EXPECT_EQ(what, "");
    } else {
      EXPECT_THAT(what, testing::StartsWith("k.metal:" + std::to_string(GetParam().line) + ": "));
      EXPECT_THAT(what, HasSubstr(GetParam().says));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Spellings, CodePointers, testing::ValuesIn(kSpellings),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace assay::metal
