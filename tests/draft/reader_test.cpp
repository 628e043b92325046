// What a draft reads of a kernel's parameters, over signatures that are put together from parts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/draft/kernel_reader.hpp"
#include "harness/metal/compile/errors.hpp"

namespace assay::draft {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using Kind = Parameter::Kind;

/// A file that goes with the test.
class MetalFile {
 public:
  explicit MetalFile(const std::string& text) {
    static int number = 0;
    path_ = fs::temp_directory_path() / fmt::format("assay-draft-{}-{}.metal", getpid(), number++);
    std::ofstream(path_) << "#include <metal_stdlib>\nusing namespace metal;\n" << text;
  }
  ~MetalFile() { fs::remove(path_); }
  KernelText read(const std::string& function = "k") const {
    return read_kernel({path_, function, {}, {}, {}});
  }
  std::vector<std::string> kernels() const { return kernels_of({path_, "", {}, {}, {}}); }

 private:
  fs::path path_;
};

struct Spelling {
  std::string metal, type;
  std::size_t bytes;
  std::vector<std::size_t> inner;
};
const std::vector<Spelling> kSpellings = {{"half", "half", 2, {}},
                                          {"float", "float", 4, {}},
                                          {"bfloat", "bfloat", 2, {}},
                                          {"uint", "uint", 4, {}},
                                          {"int8_t", "char", 1, {}},
                                          {"uint16_t", "ushort", 2, {}},
                                          {"unsigned int", "uint", 4, {}},
                                          {"bool", "bool", 1, {}},
                                          {"half4", "half", 8, {4}},
                                          {"float3", "float", 16, {4}},
                                          {"packed_float3", "float", 12, {3}},
                                          {"uchar2", "uchar", 2, {2}},
                                          {"metal::half2", "half", 4, {2}},
                                          {"vec<half, 4>", "half", 8, {4}},
                                          {"int64_t", "uint", 8, {2}},
                                          {"Alias", "half", 2, {}},
                                          {"Twice", "half", 2, {}},
                                          {"Block", "uchar", 18, {18}},
                                          {"Unnamed", "uchar", 16, {16}},
                                          {"Tagged", "uchar", 4, {4}},
                                          {"atomic_uint", "uint", 4, {}},
                                          {"atomic<int>", "int", 4, {}},
                                          {"Eight", "half", 16, {8}}};
constexpr const char* kTypes =
    "typedef half Alias;\nusing Twice = Alias;\nstruct Block { half scale; uchar nibbles[16]; };\n"
    "typedef half Eight __attribute__((ext_vector_type(8)));\n"
    "typedef struct { half rows; uint64_t pitch; } Unnamed;\ntypedef struct tag { half a, b; } Tagged;\n";

// By its place, and not by the word: `bias` and `rank` are types of Metal's library as well.
TEST(DraftReader, ParametersThatHaveNoName) {
  const MetalFile file(
      std::string(kTypes) +
      "typedef device half* Rows;\n"
      "kernel void k(device const float* bias, constant uint& rank, device half4*, constant unsigned int&, "
      "device vec<half, 4>* level, Rows, const Rows rows, device float (&sampler)[4], "
      "constant metal::uint&, constant metal::uint& extent, device float* __restrict access, "
      "device coherent(device) float* component, uint [[thread_position_in_grid]]) {}\n");
  std::vector<bool> named;
  for (const auto& one : file.read().parameters) named.push_back(one.named);
  EXPECT_THAT(named,
              ElementsAre(true, true, false, false, true, false, true, true, false, true, true, true, false));
}

// Metal has no `restrict`: Apple's compiler expects a ")" there, as clang does.
TEST(DraftReader, RestrictedPointersLeadToWhatOthersDo) {
  for (const std::string word : {"__restrict", "__restrict__"}) {
    const MetalFile file("kernel void k(device const half2 *" + word + " x, device int* " + word +
                         " y [[buffer(1)]]) {}\n");
    const auto parameters = file.read().parameters;
    ASSERT_EQ(parameters.size(), 2U);
    EXPECT_EQ(parameters[0].element.type, "half") << word;
    EXPECT_EQ(parameters[1].element.type, "int") << word;
  }
}

RC_GTEST_PROP(DraftReader, BuffersAreReadAsTheyAreDeclaredWhereverTheyStand, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 6);
  std::string parameters;
  std::vector<std::pair<Spelling, bool>> wanted;
  for (std::size_t i = 0; i < count; ++i) {
    // Of any size of case: a range would begin with its first few.
    const Spelling one = *rc::gen::elementOf(kSpellings);
    const bool atomic = one.metal.starts_with("atomic");
    const bool writable = atomic || *rc::gen::arbitrary<bool>();
    const std::string constness =
        writable ? "" : *rc::gen::element<std::string>("const ", "");  // before or behind the type
    const bool in_constant = !writable && constness.empty();
    parameters +=
        fmt::format("{}{} {}{}* b{}{},\n", constness, in_constant ? "constant" : "device", "", one.metal, i,
                    *rc::gen::arbitrary<bool>() ? fmt::format(" [[buffer({})]]", i) : "");
    wanted.emplace_back(one, writable);
  }
  const auto kernel = MetalFile(fmt::format("{}kernel void k({}uint i [[thread_position_in_grid]]) {{}}\n",
                                            kTypes, parameters))
                          .read();
  RC_ASSERT(kernel.parameters.size() == count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [spelling, writable] = wanted[i];
    const Parameter& one = kernel.parameters[i];
    RC_ASSERT(one.name == fmt::format("b{}", i));
    RC_ASSERT(one.kind == Kind::buffer);
    RC_ASSERT(one.writable == writable);
    RC_ASSERT(one.element.type == spelling.type);
    RC_ASSERT(one.element.size == spelling.bytes);
    RC_ASSERT(one.element.inner == spelling.inner);
    RC_ASSERT(one.element.atomic == spelling.metal.starts_with("atomic"));
  }
  RC_ASSERT(kernel.axes_of("thread_position_in_grid") == 1U);
}

std::vector<std::string> scalars_of(const Parameter& one) {
  std::vector<std::string> all;
  for (const auto& scalar : one.element.scalars) all.push_back(scalar.name + ":" + scalar.type);
  return all;
}

TEST(DraftReader, ScalarsVectorsAndStructsArePassedByValue) {
  const auto kernel = MetalFile(
                          "struct Sizes { uint M, N; float eps; int64_t strides[2]; };\n"
                          "kernel void k(constant ushort& n, constant uint3& mnk, constant Sizes& sizes, "
                          "constant Sizes* same,\n"
                          "              constant uint* shape, device float* y, uint2 at "
                          "[[threadgroup_position_in_grid]]) {}\n")
                          .read();
  EXPECT_THAT(scalars_of(kernel.parameters[0]), ElementsAre(":ushort"));
  EXPECT_THAT(scalars_of(kernel.parameters[1]), ElementsAre("x:uint", "y:uint", "z:uint"));
  for (const std::size_t i : {2, 3}) {
    EXPECT_EQ(kernel.parameters[i].kind, Kind::scalars);
    EXPECT_THAT(scalars_of(kernel.parameters[i]),
                ElementsAre("M:uint", "N:uint", "eps:float", "strides_0:long", "strides_1:long"));
  }
  EXPECT_EQ(kernel.parameters[4].kind, Kind::buffer);
  EXPECT_FALSE(kernel.parameters[4].writable);
  EXPECT_EQ(kernel.axes_of("threadgroup_position_in_grid"), 2U);
}

// As translated shaders declare buffers.
TEST(DraftReader, AStructOfAnArrayThatGoesOnIsABuffer) {
  const auto kernel = MetalFile(
                          "struct Rows { half4 at[1]; };\nstruct Two { float at[2]; };\n"
                          "kernel void k(const device Rows& rows, constant Two& two) {}\n")
                          .read();
  EXPECT_EQ(kernel.parameters[0].kind, Kind::buffer);
  EXPECT_EQ(kernel.parameters[0].element.type, "half");
  EXPECT_THAT(kernel.parameters[0].element.inner, ElementsAre(4));
  EXPECT_EQ(kernel.parameters[1].kind, Kind::scalars);
}

// Nothing can be bound to a pointer that lies in memory.
TEST(DraftReader, StructsOfPointers) {
  const auto kernel =
      MetalFile(
          "struct Rows { device half* x; uint n; };\nstruct Both { uint m; Rows rows; };\n"
          "struct Plain { uint m; float f; };\n"
          "kernel void k(constant Rows& a, device Both* b, constant Plain& c, device half* d) {}\n")
          .read();
  std::vector<bool> pointers;
  for (const auto& one : kernel.parameters) pointers.push_back(one.element.pointers);
  EXPECT_THAT(pointers, ElementsAre(true, true, false, false));
}

// Each component is a scalar, at its place in the struct.
TEST(DraftReader, VectorsInStructsArePassedByComponents) {
  const auto kernel =
      MetalFile("struct P { uint n; float2 by; };\nkernel void k(constant P& p, device float* y) {}\n")
          .read();
  EXPECT_THAT(scalars_of(kernel.parameters[0]), ElementsAre("n:uint", "by_x:float", "by_y:float"));
  std::vector<std::size_t> offsets;
  for (const auto& one : kernel.parameters[0].element.scalars) offsets.push_back(one.offset);
  EXPECT_THAT(offsets, ElementsAre(0, 8, 12));
  EXPECT_EQ(kernel.parameters[0].element.size, 16U);
}

TEST(DraftReader, TemplatesStandForTheirArguments) {
  const MetalFile file(
      "template <typename T, int N = 4>\nkernel void k(device const T* x [[buffer(0)]], device vec<T, N>* y) "
      "{}\n"
      "template [[host_name(\"k_half\")]] kernel void k<half>(device const half* x, device vec<half, 4>* "
      "y);\n"
      "template [[host_name(\"k_float\")]] kernel void k<float, 2>(device const float* x, device vec<float, "
      "2>* y);\n"
      "kernel void other(device float* y) {}\n");
  EXPECT_THAT(file.kernels(), testing::UnorderedElementsAre("other", "k_half", "k_float"));
  EXPECT_EQ(file.read("k_half").parameters[0].element.type, "half");
  EXPECT_EQ(file.read("k_half").parameters[1].element.size, 8U);
  EXPECT_EQ(file.read("k_float").parameters[1].element.size, 8U);
  EXPECT_EQ(file.read("k_float").parameters[1].element.type, "float");
  EXPECT_THROW(file.read("k"), metal::CompileError);
}

// Clang makes no body of what is wrong in it; whoever compiles the kernel says what.
TEST(DraftReader, AKernelThatIsWrongHasParameters) {
  const auto kernel = MetalFile(
                          "template <typename T>\nkernel void k(device T* x) { x[0] = nothing(x); }\n"
                          "template [[host_name(\"k_half\")]] kernel void k<half>(device half* x);\n")
                          .read("k_half");
  ASSERT_EQ(kernel.parameters.size(), 1U);
  EXPECT_EQ(kernel.parameters[0].element.type, "half");
}

TEST(DraftReader, NumbersThatAConstantIsComparedWith) {
  const auto kernel =
      MetalFile(
          "#define SCALE 10\nconstant short what [[function_constant(0)]];\n"
          "constant int how [[function_constant(1)]];\nenum { kRow = 3, kColumn };\n"
          "inline float unused(float x) { return what == 99 ? x : 0; }\n"
          "kernel void k(device float* y, uint i [[thread_position_in_grid]]) {\n"
          "  if (what == SCALE) y[i] = 1;\n  if (11 == what || what == SCALE) y[i] = 2;\n"
          "  switch (how) { case kRow: y[i] += 1; break; case kColumn: y[i] += 2; default: break; }\n}\n")
          .read();
  ASSERT_EQ(kernel.constants.size(), 2U);
  EXPECT_THAT(kernel.constants[0].compared, testing::ElementsAre(10, 11));
  EXPECT_THAT(kernel.constants[1].compared, testing::ElementsAre(3, 4));
}

TEST(DraftReader, ConstantsAndThreadsThatTheTextNames) {
  const auto kernel =
      MetalFile(
          "constant bool wide [[function_constant(3)]];\nconstant constexpr uint THREADS = 96;\n"
          "constant int shift [[function_constant(4)]];\n"
          "constant int by = is_function_constant_defined(shift) ? shift : 0;\n"
          "kernel void k(device float* y, uint i [[thread_index_in_threadgroup]]) {\n"
          "  if (wide && i < THREADS) y[i + by] = 1;\n}\n")
          .read();
  ASSERT_EQ(kernel.constants.size(), 2U);
  EXPECT_FALSE(kernel.constants[0].asked);
  EXPECT_TRUE(kernel.constants[1].asked);
  EXPECT_EQ(kernel.constants[0].index, 3U);
  EXPECT_EQ(kernel.constants[0].type, "bool");
  ASSERT_TRUE(kernel.threads);
  EXPECT_EQ(kernel.threads->threads.x, 96U);
}

}  // namespace
}  // namespace assay::draft
