// What is wrong is one line: file, line and the matter.
#include <gmock/gmock.h>
#include <unistd.h>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/module/module.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Errors : public testing::Test {
 protected:
  // "CompileError odd.metal:3: ..." of compiling kernel k, paths without the directory.
  std::string error_of(const std::string& text, Flavour flavour = Flavour::fast) {
    return error_of_file(directory_.write("odd.metal", text), flavour);
  }
  std::string error_of_file(const std::filesystem::path& path, Flavour flavour = Flavour::fast) {
    KernelRun kernel(path, "k");
    std::string what;
    try {
      compile(kernel.source(), flavour);
    } catch (const UnsupportedFeature& error) {
      what = std::string("unsupported ") + error.what();
    } catch (const CompileError& error) {
      what = std::string("error ") + error.what();
    } catch (const ToolchainError& error) {
      what = std::string("toolchain ") + error.what();
    }
    EXPECT_THAT(what, Not(HasSubstr("\n")));
    const std::string prefix = directory_.path().string() + "/";
    for (auto at = what.find(prefix); at != std::string::npos; at = what.find(prefix))
      what.erase(at, prefix.size());
    return what;
  }
  TemporaryDirectory directory_;
};

TEST_F(Errors, FilesThatCannotBeRead) {
  EXPECT_EQ(error_of_file(directory_.path() / "none.metal"),
            "error none.metal: cannot read the kernel source: No such file or directory");
  std::filesystem::create_directory(directory_.path() / "folder.metal");
  EXPECT_EQ(error_of_file(directory_.path() / "folder.metal"),
            "error folder.metal: cannot read the kernel source: it is a directory");
  if (geteuid() == 0) return;  // root may read anything
  const auto locked = directory_.write("locked.metal", "");
  std::filesystem::permissions(locked, std::filesystem::perms::none);
  EXPECT_EQ(error_of_file(locked), "error locked.metal: cannot read the kernel source: Permission denied");
}

TEST_F(Errors, MissingIncludes) {
  EXPECT_EQ(error_of("#include <metal_stdlib>\n\n#include \"gone.h\"\n"),
            "error odd.metal:3: 'gone.h' file not found");
  directory_.write("here.h", "\n#include \"gone_too.h\"\n");
  EXPECT_EQ(error_of("#include \"here.h\"\n"), "error here.h:2: 'gone_too.h' file not found");
  EXPECT_THAT(error_of("#include <MetalPerformancePrimitives/MPPSomethingNew.h>\n"),
              AllOf(StartsWith("unsupported odd.metal:1: "),
                    HasSubstr("Metal 4 tensors beyond matmul2d are not supported")));
}

// A header of what is not simulated is in the way of the kernels alone that use it.
TEST_F(Errors, HeadersOfWhatIsNotSimulated) {
  const std::string headers =
      "#include <metal_stdlib>\n#include <metal_raytracing>\n#include <metal_mesh>\n"
      "#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\n"
      "using namespace metal;\nusing namespace raytracing;\nusing namespace mpp::tensor_ops;\n";
  EXPECT_EQ(error_of(headers + "kernel void other(device float* out, primitive_acceleration_structure all "
                               "[[buffer(1)]]) {}\n"
                               "kernel void k(device float* out) { out[0] = 1; }\n"),
            "");
  EXPECT_EQ(error_of(headers + "kernel void k(device float* out, primitive_acceleration_structure all "
                               "[[buffer(1)]]) {}\n"),
            "unsupported odd.metal:8: `primitive_acceleration_structure`: ray tracing is not supported");
  EXPECT_EQ(error_of(headers +
                     "kernel void k(device float* out) {\n  ray r;\n  intersector<triangle_data> i;\n}\n"),
            "unsupported odd.metal:10: `triangle_data`: ray tracing is not supported");
  EXPECT_THAT(error_of(headers + "kernel void k(device float* out) {\n"
                                 "  constexpr auto what = mpp::tensor_ops::vector_descriptor(8);\n}\n"),
              "unsupported odd.metal:9: `mpp`: Metal 4 tensors beyond matmul2d are not supported");
}

// Of tensors, what is not built is named; a program may have a tensor of its own.
TEST_F(Errors, TensorsBeyondProducts) {
  const std::string headers =
      "#include <metal_stdlib>\n#include <metal_tensor>\n"
      "#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\n"
      "using namespace metal;\nusing namespace mpp::tensor_ops;\n";
  const auto in_kernel = [&](const std::string& body) {
    return error_of(headers + "kernel void k(device half* p) {\n" + body + "\n}\n");
  };
  for (const std::string type :
       {"tensor<device half, dextents<int, 2>>", "tensor<device half, dextents<int, 2>, tensor_handle>"}) {
    EXPECT_EQ(error_of(headers + "kernel void k(" + type + " a [[buffer(0)]]) {}\n"),
              "unsupported odd.metal:6: `a`: tensors that the host binds (tensor_handle) are not supported; "
              "take a pointer, and make a tensor of it (tensor_inline)");
  }
  EXPECT_EQ(
      in_kernel("tensor<device half, dextents<int, 2>> t(p, dextents<int, 2>(4, 4));"),
      "unsupported odd.metal:7: tensors that the host binds (tensor_handle) are not supported; make one "
      "of a pointer: tensor<..., tensor_inline>");
  EXPECT_EQ(in_kernel("constexpr auto what = convolution2d_descriptor(8, 8, 8);"),
            "unsupported odd.metal:7: `convolution2d_descriptor`: convolutions of tensors are not supported");
  EXPECT_EQ(
      in_kernel("matmul2d<matmul2d_descriptor(16, 16, 16), execution_threadgroup> op;"),
      "unsupported odd.metal:7: `execution_threadgroup`: operations of a whole threadgroup, whatever its "
      "size, are not supported");
  const std::string product = "constexpr auto what = matmul2d_descriptor(16, 16, 16);\n";
  EXPECT_EQ(in_kernel(product + "auto sums = matmul2d<what, execution_simdgroup>()"
                                ".get_destination_cooperative_tensor<half, half, float>();\n"
                                "reduce_rows(sums, sums);"),
            "unsupported odd.metal:9: `reduce_rows`: reductions of tensors are not supported");
  EXPECT_EQ(in_kernel(product + "matmul2d<what, execution_simdgroups<2>> op;\n"
                                "auto a = op.get_left_input_cooperative_tensor<half, half, float>();"),
            "unsupported odd.metal:9: inputs in the registers of several simdgroups are not supported");
  EXPECT_EQ(error_of("#include <metal_stdlib>\nusing namespace metal;\n"
                     "struct tensor { int extents; };\nstruct extents { int rank; };\n"
                     "kernel void k(device tensor* p) { extents e{2}; p->extents = e.rank; }\n"),
            "");
}

// So is a specialisation of a template of the text's own.
TEST_F(Errors, SpecialisationsThatAKernelDoesNotUse) {
  const std::string text =
      "#include <metal_stdlib>\nusing namespace metal;\ntemplate <class T> struct Of { T t; };\n"
      "template <> struct Of<int> { depth2d_ms_array<float> cube; };\n";
  EXPECT_EQ(error_of(text + "kernel void k(device float* out) { out[0] = 1; }\n"), "");
  EXPECT_EQ(error_of(text + "kernel void k(device float* out) { Of<float> of{1}; out[0] = of.t; }\n"),
            "unsupported odd.metal:4: `depth2d_ms_array`: textures of that kind are not supported");
}

// One of the library's stays, since nobody has to mention it: also where its base is the text's own.
TEST_F(Errors, SpecialisationsOfTheLibrarysTraitsStay) {
  EXPECT_EQ(
      error_of(
          "#include <metal_stdlib>\nstruct Decimal { int units; };\nstruct Yes : metal::true_type {};\n"
          "namespace metal {\ntemplate <> struct is_floating_point<Decimal> : Yes {};\n}\n"
          "kernel void k(device int* out) {\n  static_assert(metal::is_floating_point<Decimal>::value);\n"
          "  static_assert(Yes::value);\n  out[0] = 1;\n}\n"),
      "");
}

TEST_F(Errors, PreprocessorErrors) {
  EXPECT_EQ(error_of("#if 1\nkernel void k() {}\n"), "error odd.metal:1: unterminated conditional directive");
  EXPECT_EQ(error_of("\n#error no Metal this old\n"), "error odd.metal:2: no Metal this old");
}

// A header that names vectors of other lengths is in the way of the kernels alone that use them.
TEST_F(Errors, VectorsOfLengthsThatThereAreNot) {
  const std::string names =
      "typedef half half6 __attribute__((ext_vector_type(6)));\n"
      "static half first(device const half6* p) { return (*p)[0]; }\n";
  const std::string said = "`vec<T, N>`: vectors have 2, 3, 4, 8 or 16 elements; others are not supported";
  EXPECT_EQ(error_of(names + "kernel void k(device half* out) { out[0] = 1; }\n"), "");
  EXPECT_EQ(error_of(names + "kernel void k(device half6* out [[buffer(0)]]) { if (!out) return; }\n"), "")
      << "a pointer to one needs none";
  EXPECT_EQ(error_of(names + "kernel void k(device half* out) {\n  half6 x;\n  out[0] = x[1];\n}\n"),
            "unsupported odd.metal:4: " + said);
  EXPECT_EQ(error_of(names + "kernel void k(device half* out) {\n"
                             "  out[0] = first((device const half6*)out);\n}\n"),
            "unsupported odd.metal:2: " + said);
  EXPECT_EQ(error_of("kernel void k(device half* out) {\n  half __attribute__((ext_vector_type(8))) x = 1;\n"
                     "  out[0] = x[1];\n}\n"),
            "");
}

TEST_F(Errors, InitialisersByIndex) {
  EXPECT_EQ(
      error_of("kernel void k(device int* out) {\n\n  int a[3] = {[2 ... 1] = 3};\n  out[0] = a[0];\n}\n"),
      "error odd.metal:3: array designator range [2, 1] is empty");
  EXPECT_EQ(error_of("kernel void k(device int* out, constant int& n) {\n  int a[3] = {[0 ... 3] = 3};\n"
                     "  out[0] = a[0];\n}\n"),
            "error odd.metal:2: array designator index (3) exceeds array bounds (3)");
}

// Matrices by way of what Apple's library is made of, as public kernels of before simdgroup_matrix do it.
TEST_F(Errors, InsidesOfApplesLibrary) {
  EXPECT_THAT(error_of("#include <metal_stdlib>\nusing namespace metal;\nkernel void k(device half* out) {\n"
                       "  vec<half, 64> t;\n  out[0] = t[0];\n}\n"),
              StartsWith("unsupported odd.metal:4: `vec<T, N>`: vectors have 2, 3, 4, 8 or 16 elements"));
  EXPECT_THAT(error_of("#include <metal_stdlib>\nnamespace metal {\ntemplate <typename T> struct S {\n"
                       "  typedef vec<T, 64> type;\n  type t;\n};\n}\nkernel void k(device half* out) {\n"
                       "  metal::S<half> s;\n  (void)s;\n}\n"),
              StartsWith("unsupported odd.metal:5: `vec<T, N>`: vectors have 2, 3, 4, 8 or 16 elements"));
  EXPECT_EQ(error_of("kernel void k(device half* out) {\n  out[0] = __metal_get_null(0);\n}\n"),
            "unsupported odd.metal:2: `__metal_get_null`: functions of Apple's compiler are not supported");
}

TEST_F(Errors, UndeclaredNamesAtTheirLine) {
  EXPECT_EQ(error_of("kernel void k(device int* out) {\n  int x = 1;\n  out[0] = x + missing;\n}\n"),
            "error odd.metal:3: use of undeclared identifier 'missing'");
  EXPECT_THAT(error_of("kernel void k(device int* out) {\n  out[0] = 1\n}\n"),
              StartsWith("error odd.metal:"));
  directory_.write("helper.h", "#pragma once\n\ninline int help() {\n  return nothing;\n}\n");
  EXPECT_EQ(error_of("#include \"helper.h\"\nkernel void k(device int* out) { out[0] = help(); }\n"),
            "error helper.h:4: use of undeclared identifier 'nothing'");
  EXPECT_THAT(error_of("void f(float8 x) {}\nkernel void k() { f(0); }\n"),
              StartsWith("error odd.metal:1: unknown type name 'float8'"));
}

TEST_F(Errors, InsideTheLibraryTheyAreTheCallers) {
  const std::string text =
      "#include <metal_stdlib>\nusing namespace metal;\ntemplate <typename T> struct S { T t; };\n"
      "kernel void k(device float* out) {\n  simdgroup_matrix<float, 8, 8> m;\n"
      "  simdgroup_load(m, (device S<int>*)out);\n  out[0] = 0;\n}\n";
  EXPECT_THAT(error_of(text), StartsWith("error odd.metal:6: "));
  EXPECT_THAT(error_of("#include <metal_stdlib>\nkernel void k(device float* out) {\n  "
                       "metal::simdgroup_matrix<float, 4, 4> m;\n}\n"),
              AllOf(StartsWith("error odd.metal:3: "), HasSubstr("8x8")));
}

TEST_F(Errors, InsideTemplatesTheyAreInTheTemplate) {
  EXPECT_THAT(error_of("template <typename T>\nint f(T x) {\n  return x.nothing;\n}\nkernel void k(device "
                       "int* out) { out[0] = f(1); }\n"),
              StartsWith("error odd.metal:3: "));
}

TEST_F(Errors, ArgumentsOfTheWrongTypeAtTheKernel) {
  EXPECT_THAT(
      error_of("\n\nkernel void k(device int* out, device float* p [[thread_position_in_grid]]) {}\n"),
      StartsWith("error odd.metal:3: "));
  EXPECT_THAT(error_of("kernel void k(device int* out [[buffer(kNone)]]) {}\n"),
              AllOf(StartsWith("error odd.metal:1: "), HasSubstr("kNone")));
}

TEST_F(Errors, PartsOfMetalThatAreMissing) {
  EXPECT_EQ(
      error_of("#include <metal_stdlib>\nusing namespace metal;\nstatic float f(depth2d_ms_array<float> t) { "
               "return 0; }\n"
               "kernel void k(device float* out) { out[0] = f(0); }\n"),
      "unsupported odd.metal:3: `depth2d_ms_array`: textures of that kind are not supported");
  EXPECT_EQ(error_of("void copy(int x) __asm(\"air.copy_elsewhere\");\n\nkernel void k() {\n  copy(1);\n}\n"),
            "unsupported odd.metal:4: `air.copy_elsewhere`: functions of Apple's compiler are not supported");
  EXPECT_EQ(
      error_of("kernel void k() {\n  simdgroup_async_copy(1);\n}\n"),
      "unsupported odd.metal:2: `simdgroup_async_copy`: asynchronous copies that the text does not declare "
      "are not supported");
  EXPECT_EQ(error_of("void copy(int x) __asm(\"air.copy_elsewhere\");\nconstant bool go = "
                     "false;\nkernel void k() {\n  if (go) copy(1);\n}\n"),
            "");
}

TEST_F(Errors, FunctionConstantsThatAreUsedWithoutAValue) {
  const std::string text =
      "\nconstant int size [[function_constant(3)]];\nconstant bool has = "
      "is_function_constant_defined(size);\n";
  const std::string missing =
      "unsupported odd.metal:2: function constant 3 (`size`) has no value; give it one, in a manifest as "
      "function_constants = { 3 = ... }";
  for (const auto flavour : {Flavour::fast, Flavour::checked}) {
    EXPECT_EQ(error_of(text + "kernel void k(device int* out) { out[0] = has ? size : 1; }\n", flavour), "");
    EXPECT_EQ(error_of(text + "kernel void k(device int* out) { out[0] = size; }\n", flavour), missing);
    EXPECT_EQ(error_of(text + "kernel void k(device int* out) { int x[size]; x[0] = 1; constexpr int y = "
                              "size; out[0] = x[0] + y; }\n",
                       flavour),
              missing);
  }
}

TEST_F(Errors, SpeakEnglishWhateverTheLanguage) {
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  setenv("CPATH", "/nowhere", 1);
  EXPECT_EQ(error_of("kernel void k() { missing(); }\n"),
            "error odd.metal:1: use of undeclared identifier 'missing'");
}

}  // namespace
}  // namespace assay::metal
