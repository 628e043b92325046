// Kernels of operations that Assay has never heard of, as their author states them: buffers alone, a
// reference in text, another kernel.
#include <gmock/gmock.h>

#include <regex>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A kernel that gives each row to a threadgroup of 64 threads, with this body from line 6 on.
std::string rows_kernel(const std::string& name, const std::string& body,
                        const std::string& output = "float") {
  return fmt::format(
      "kernel void {}(device const half* x [[buffer(0)]], device {}* y [[buffer(1)]],\n"
      "    constant uint& N [[buffer(2)]], uint row [[threadgroup_position_in_grid]],\n"
      "    uint t [[thread_position_in_threadgroup]]) {{\n{}\n}}\n",
      name, output, body);
}

std::string entry_of(const std::string& name, const std::string& more) {
  return fmt::format(
      "[[kernel]]\nname = \"{0}\"\nsource = \"k.metal\"\narguments = [\"x\", \"y\", \"N\"]\n"
      "threads_per_threadgroup = 64\ngrid = [\"M\", \"1\", \"1\"]\n{1}\n",
      name, more);
}

std::string buffers(const std::string& output_type = "float", const std::string& output_shape = "\"M\"") {
  return fmt::format(
      "dimensions = [\"M\", {{ name = \"N\", largest = 512 }}]\ntensors = [\n"
      "  {{ name = \"x\", type = \"half\", shape = [\"M\", \"N\"] }},\n"
      "  {{ name = \"y\", type = \"{}\", shape = [{}], access = \"out\" }},\n]\n",
      output_type, output_shape);
}

std::string operation_of(const std::string& name, const std::string& more, const std::string& buffers_of_it) {
  return fmt::format("[[operation]]\nname = \"{0}\"\n{1}\n{2}\n", name, more, buffers_of_it);
}

class OwnOperation : public testing::Test {
 protected:
  metal::ProcessResult verify(const std::string& manifest, const std::string& metal,
                              std::vector<std::string> more = {}) {
    scratch_.write("k.metal", kHead + metal);
    scratch_.write("m.toml", manifest);
    std::vector<std::string> arguments = {
        "verify", "--numerics", "strict", "--cases", "40", "--manifest", (scratch_ / "m.toml").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto result = assay(arguments);
    // As one line, so that what is said is found however it is wrapped.
    words_ = std::regex_replace(result.out + result.err, std::regex("\\s+"), " ");
    return result;
  }

  Scratch scratch_;
  std::string words_;
};

constexpr const char* kSum =
    "  threadgroup float part[64];\n  float s = 0;\n"
    "  for (uint i = t; i < N; i += 64) s += float(x[row * N + i]);\n  part[t] = s;\n"
    "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "  for (uint d = 32; d > 0; d /= 2) {\n    if (t < d) part[t] += part[t + d];\n"
    "    threadgroup_barrier(mem_flags::mem_threadgroup);\n  }\n  if (t == 0) y[row] = part[0];";

// Right for all numbers but those whose double half has none.
TEST_F(OwnOperation, PlannedValuesThatDoHarmSayHowTheyAreLeftOut) {
  scratch_.write(
      "same.reference.cpp",
      "void reference() {\n  for (Index m = 0; m < M; ++m)\n    for (Index n = 0; n < N; ++n) y(m, n) = "
      "x(m, n);\n}\n");
  const std::string same =
      "  for (uint i = t; i < N; i += 64) y[row * N + i] = x[row * N + i] * 2.0h / 2.0h;";
  const auto manifest = [](std::string tensors, const std::string& never) {
    const std::string x = "shape = [\"M\", \"N\"] }";
    tensors.replace(tensors.find(x), x.size() - 2, "shape = [\"M\", \"N\"], never = [" + never + "]");
    return operation_of("same", "reference = \"same.reference.cpp\"", tensors) +
           entry_of("same", "operation = \"same\"");
  };
  const auto tensors = buffers("half", "\"M\", \"N\"");
  EXPECT_EQ(verify(manifest(tensors, ""), rows_kernel("same", same, "half"), {"--mode", "fast"}).exit_code,
            1);
  EXPECT_THAT(words_,
              testing::ContainsRegex("The case has planned values \\(x: [^)]*\\). If the inputs never hold "
                                     "them, write never = \\[\"(extremes|magnitudes|ends|outliers)\"\\]"));
  const auto left_out = verify(manifest(tensors, R"("extremes", "magnitudes", "ends", "outliers")"),
                               rows_kernel("same", same, "half"), {"--mode", "fast"});
  EXPECT_EQ(left_out.exit_code, 0) << words_;
}

/// The kernels of these lengths: floats, and their magnitude is right.
std::string floats(std::string text) {
  for (const char* half : {"half*", "\"half\""}) {
    const auto at = text.find(half);
    if (at != std::string::npos)
      text.replace(at, std::string(half).size(), half[0] == '"' ? "\"float\"" : "float*");
  }
  return text;
}

// A square overflows, or is 0, long before the number does. Its result, infinite or 0, was right for the
// largest value and for ordinary ones.
TEST_F(OwnOperation, SquaresThatHaveNoRoomAreFound) {
  scratch_.write(
      "length.reference.cpp",
      "void reference() {\n  for (Index m = 0; m < M; ++m)\n    for (Index n = 0; n < N; ++n) y(m, n) = "
      "abs(x(m, n));\n}\n");
  const auto manifest = floats(operation_of("length", "reference = \"length.reference.cpp\"",
                                            buffers("float", "\"M\", \"N\""))) +
                        entry_of("length", "operation = \"length\"");
  const auto kernel = [](const char* length) {
    return floats(rows_kernel(
        "length", fmt::format("  for (uint i = t; i < N; i += 64) {{\n    const float v = x[row * N + "
                              "i];\n    y[row * N + i] = {};\n  }}",
                              length)));
  };
  const std::vector<std::string> fast = {"--mode", "fast"};
  EXPECT_EQ(verify(manifest, kernel("abs(v)"), fast).exit_code, 0) << words_;
  EXPECT_EQ(verify(manifest, kernel("precise::sqrt(v * v)"), fast).exit_code, 1) << words_;
  // Those alone that are 0.
  EXPECT_EQ(verify(manifest, kernel("abs(v) > 1 ? abs(v) : precise::sqrt(v * v)"), fast).exit_code, 1)
      << words_;
}

TEST_F(OwnOperation, ALengthOfThreadgroupMemoryThatMetalRefusesIsRejected) {
  for (const auto& [bytes, status] : {std::pair{"4 * N", 1}, {"16 * ceil(N / 4)", 0}}) {
    auto kernel = rows_kernel(
        "sum",
        "  for (uint i = t; i < N; i += 64) part[i] = x[row * N + i];\n"
        "  threadgroup_barrier(mem_flags::mem_threadgroup);\n  if (t == 0) y[row] = part[N - 1];");
    const std::string last = "uint t [[";
    kernel.insert(kernel.find(last), "threadgroup float* part [[threadgroup(0)]], ");
    const auto result =
        verify(entry_of("sum", fmt::format("threadgroup_memory = [\"{}\"]\nrequires = {{ N_max = 512 }}\n{}",
                                           bytes, buffers())),
               kernel);
    EXPECT_EQ(result.exit_code, status) << words_;
    if (status == 1) {
      EXPECT_THAT(words_, HasSubstr("MISALIGNED"));
      EXPECT_THAT(words_, HasSubstr("write \"16 * ceil((4 * N) / 16)\""));
      EXPECT_THAT(words_, HasSubstr("m.toml:7"));
    }
  }
}

TEST_F(OwnOperation, BuffersAloneAreEnoughForARightKernel) {
  const auto result = verify(entry_of("row_sum", buffers()), rows_kernel("row_sum", kSum));
  EXPECT_EQ(result.exit_code, 0) << words_;
  EXPECT_THAT(words_, HasSubstr("row_sum: has no reference, so its results are not judged"));
}

// One fault each of those that need no reference.
TEST_F(OwnOperation, BuffersAloneShowWhatNeedsNoReference) {
  struct Fault {
    const char* what;
    const char* instead;
    const char* says;
  };
  for (const Fault& fault :
       {Fault{"threadgroup_barrier(mem_flags::mem_threadgroup);\n  for", "\n  for", "race at"},
        Fault{"x[row * N + i]", "x[row * N + i + 1]", "out of bounds"},
        Fault{"  part[t] = s;\n", "  if (t < 32) part[t] = s;\n", "uninitialised read"},
        Fault{"if (t == 0) y[row]", "if (t == 0 && row > 0) y[row]", "were never written"},
        Fault{"float s = 0;", "float s = float(t % 32 == 0 ? y[row] : 0);", "uninitialised read"}}) {
    const auto result =
        verify(entry_of("row_sum", buffers()), rows_kernel("row_sum", with(kSum, fault.what, fault.instead)));
    EXPECT_EQ(result.exit_code, 1) << words_;
    EXPECT_THAT(words_, HasSubstr(fault.says)) << fault.instead;
  }
}

// An integer has no NaN that says that nobody wrote it.
TEST_F(OwnOperation, ElementsOfIntegersThatNobodyWroteAreFound) {
  const auto result = verify(entry_of("first", buffers("uint", "\"M\", 2")),
                             rows_kernel("first", "  if (t == 0) y[2 * row] = 7;", "uint"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(words_, HasSubstr("1 of 2 elements of y were never written; the first is y[0,1]"));
}

TEST_F(OwnOperation, ReferenceInTextRejectsWhatIsWrongAndNothingElse) {
  scratch_.write("sum.reference.cpp",
                 "void reference() {\n  for (Index m = 0; m < M; ++m)\n"
                 "    y(m) = sum(N, [&](Index n) { return x(m, n); });\n}\n");
  const std::string manifest = operation_of("sum", "reference = \"sum.reference.cpp\"", buffers()) +
                               entry_of("right", "operation = \"sum\"") +
                               entry_of("wrong", "operation = \"sum\"");
  const auto result =
      verify(manifest, rows_kernel("right", kSum) + rows_kernel("wrong", with(kSum, "d = 32", "d = 16")));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(words_, HasSubstr("1 of 2 kernels pass"));
  EXPECT_THAT(words_, HasSubstr("wrong: WRONG RESULT"));
  EXPECT_THAT(words_, HasSubstr("derived from sum.reference.cpp"));
}

// The index of the largest: where two are as large, the reference says which; where the values that are
// compared are off, either is right.
TEST_F(OwnOperation, ComparisonsThatMayGoEitherWayAreRightEitherWay) {
  const std::string first =
      "  if (t != 0) return;\n  uint best = 0;\n  for (uint i = 1; i < N; ++i)\n"
      "    if (COMPARE) best = i;\n  y[row] = best;";
  scratch_.write(
      "exact.reference.cpp",
      "void reference() {\n  each(M, [&](Index m) {\n    Index best = 0;\n    for (Index n = 1; n < N; ++n)\n"
      "      if (x(m, n) > x(m, best)) best = n;\n    y(m) = best;\n  });\n}\n");
  scratch_.write(
      "off.reference.cpp",
      "void reference() {\n  each(M, [&](Index m) {\n    Index best = 0;\n    for (Index n = 1; n < N; ++n)\n"
      "      if (exp(x(m, n)) > exp(x(m, best))) best = n;\n    y(m) = best;\n  });\n}\n");
  // None so large that exp gives infinity, which is exact again.
  const std::string sizes =
      with(with(buffers("uint"), "largest = 512", "largest = 8"), "shape = [\"M\", \"N\"]",
           "shape = [\"M\", \"N\"], values = { from = -4, to = 4 }");
  const std::string manifest =
      operation_of("exact", "reference = \"exact.reference.cpp\"", sizes) +
      operation_of("off", "reference = \"off.reference.cpp\"", sizes) +
      entry_of("first", "operation = \"exact\"") + entry_of("last", "operation = \"exact\"") +
      entry_of("first_off", "operation = \"off\"") + entry_of("last_off", "operation = \"off\"") +
      entry_of("least_off", "operation = \"off\"");
  const auto kernel = [&](const char* name, const char* compare) {
    return rows_kernel(name, with(first, "COMPARE", compare), "uint");
  };
  const auto result =
      verify(manifest, kernel("first", "x[row * N + i] > x[row * N + best]") +
                           kernel("last", "x[row * N + i] >= x[row * N + best]") +
                           kernel("first_off", "exp(float(x[row * N + i])) > exp(float(x[row * N + best]))") +
                           kernel("last_off", "exp(float(x[row * N + i])) >= exp(float(x[row * N + best]))") +
                           kernel("least_off", "x[row * N + i] < x[row * N + best]"));
  EXPECT_THAT(words_, HasSubstr("3 of 5 kernels pass"));
  EXPECT_THAT(words_, HasSubstr("last: WRONG RESULT"));
  EXPECT_THAT(words_, HasSubstr("least_off: WRONG RESULT"));
  EXPECT_EQ(result.exit_code, 1);
}

// Blocks of a half scale and sixteen bytes: fill() draws scales that are numbers, the reference decodes.
TEST_F(OwnOperation, LayoutsAreDecodedByTheReferenceAndFilledByIt) {
  scratch_.write(
      "blocks.reference.cpp",
      "Number weight(Index row, Index n) {\n  const Index block = n / 32, at = n % 32;\n"
      "  const Number scale = half_from_bits(w(row, block, 0) | w(row, block, 1) << 8);\n"
      "  const int byte = w(row, block, 2 + at % 16);\n"
      "  return scale * ((at < 16 ? byte & 15 : byte >> 4) - 8);\n}\n"
      "void reference() {\n  for (Index row = 0; row < M; ++row)\n"
      "    y(row) = sum(32 * B, [&](Index n) { return weight(row, n) * x(n); });\n}\n"
      "void fill(Draw& draw) {\n  for (Index row = 0; row < M; ++row)\n    for (Index b = 0; b < B; ++b) {\n"
      "      const unsigned scale = bits_of_half(draw.normal());\n      w.set(scale & 255, row, b, 0);\n"
      "      w.set(scale >> 8, row, b, 1);\n    }\n}\n");
  const std::string manifest =
      "[[operation]]\nname = \"blocks\"\nreference = \"blocks.reference.cpp\"\n"
      "dimensions = [\"M\", { name = \"B\", largest = 16 }]\ntensors = [\n"
      "  { name = \"w\", type = \"uchar\", shape = [\"M\", \"B\", 18] },\n"
      "  { name = \"x\", type = \"float\", shape = [\"32 * B\"] },\n"
      "  { name = \"y\", type = \"float\", shape = [\"M\"], access = \"out\" },\n]\n"
      "[[kernel]]\nname = \"right\"\nsource = \"k.metal\"\noperation = \"blocks\"\narguments = [\"w\", "
      "\"x\", \"y\", \"B\"]\n"
      "threads_per_threadgroup = 32\ngrid = [\"M\", \"1\", \"1\"]\n"
      "[[kernel]]\nname = \"wrong\"\nsource = \"k.metal\"\noperation = \"blocks\"\narguments = [\"w\", "
      "\"x\", \"y\", \"B\"]\n"
      "threads_per_threadgroup = 32\ngrid = [\"M\", \"1\", \"1\"]\n";
  const std::string body =
      "struct Block { half scale; uchar codes[16]; };\n"
      "kernel void NAME(device const Block* w [[buffer(0)]], device const float* x [[buffer(1)]],\n"
      "    device float* y [[buffer(2)]], constant uint& B [[buffer(3)]],\n"
      "    uint row [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {\n  float s "
      "= 0;\n"
      "  for (uint b = 0; b < B; ++b) {\n    device const Block& one = w[row * B + b];\n"
      "    const int code = lane < 16 ? one.codes[lane] & 15 : one.codes[lane - 16] >> 4;\n"
      "    s += float(one.scale) * float(code - 8) * x[32 * b + lane];\n  }\n  s = simd_sum(s);\n"
      "  if (lane == 0) y[row] = s;\n}\n";
  const auto right = with(body, "NAME", "right");
  auto wrong = with(body, "NAME", "wrong");
  wrong = with(with(wrong, "struct Block { half scale; uchar codes[16]; };\n", ""), "lane < 16 ?",
               "lane % 2 == 0 ?");
  wrong = with(wrong, "one.codes[lane] & 15", "one.codes[lane / 2] & 15");
  wrong = with(wrong, "one.codes[lane - 16] >> 4", "one.codes[lane / 2] >> 4");
  verify(manifest, right + wrong);
  EXPECT_THAT(words_, HasSubstr("1 of 2 kernels pass"));
  EXPECT_THAT(words_, HasSubstr("wrong: WRONG RESULT"));
}

TEST_F(OwnOperation, AnotherKernelSaysWhatIsRight) {
  const std::string naive =
      "  if (t != 0) return;\n  float s = 0;\n  for (uint i = 0; i < N; ++i) s += float(x[row * N + i]);\n  "
      "y[row] = s;";
  const auto run = [&](const std::string& reference) {
    return verify(operation_of("sum", "reference = " + reference, buffers()) +
                      entry_of("naive", "operation = \"sum\"") + entry_of("tree", "operation = \"sum\""),
                  rows_kernel("naive", naive) + rows_kernel("tree", kSum));
  };
  run("{ kernel = \"naive\" }");
  EXPECT_THAT(words_, HasSubstr("tree: WRONG RESULT"));
  EXPECT_THAT(words_, HasSubstr("the bits of kernel naive"));
  EXPECT_THAT(words_, HasSubstr("1 of 2 kernels pass"));
  run("{ kernel = \"naive\", ulps = 100000 }");
  EXPECT_THAT(words_, HasSubstr("2 of 2 kernels pass"));
  EXPECT_EQ(run("{ kernel = \"missing\" }").exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("its reference, the kernel missing, is not in this manifest"));
}

// Linear, and yet what is zero at one place does not make the output zero there and nowhere else.
TEST_F(OwnOperation, StencilsAreLinearAndBreakNoLaw) {
  scratch_.write(
      "stencil.reference.cpp",
      "void reference() {\n  for (Index m = 0; m < M; ++m)\n"
      "    y(m) = x(m) + (m > 0 ? x(m - 1) : Number(0)) + (m + 1 < M ? x(m + 1) : Number(0));\n}\n");
  const std::string manifest =
      "[[operation]]\nname = \"stencil\"\nreference = \"stencil.reference.cpp\"\nlinear = [\"x\"]\n"
      "dimensions = [\"M\"]\ntensors = [\n  { name = \"x\", type = \"float\", shape = [\"M\"] },\n"
      "  { name = \"y\", type = \"float\", shape = [\"M\"], access = \"out\" },\n]\n"
      "[[kernel]]\nname = \"stencil\"\nsource = \"k.metal\"\noperation = \"stencil\"\n"
      "arguments = [\"x\", \"y\", \"M\"]\nthreads_per_threadgroup = 32\ngrid = [\"M\", \"1\", \"1\"]\n"
      "grid_unit = \"threads\"\n";
  const auto result =
      verify(manifest,
             "kernel void stencil(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],\n"
             "    constant uint& M [[buffer(2)]], uint i [[thread_position_in_grid]]) {\n"
             "  y[i] = x[i] + (i > 0 ? x[i - 1] : 0.0f) + (i + 1 < M ? x[i + 1] : 0.0f);\n}\n");
  EXPECT_EQ(result.exit_code, 0) << words_;
}

// No result is judged: mutants that only results tell from the kernel are survivors, not errors.
TEST_F(OwnOperation, KernelsAreMutated) {
  scratch_.write("k.metal", kHead + rows_kernel("first", "  if (t == 0) y[row] = 2 * float(x[row * N]);"));
  scratch_.write("m.toml", entry_of("first", buffers()));
  const auto result = assay({"mutate", "--cases", "5", "--manifest", (scratch_ / "m.toml").string()});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("first: survived ("));
  EXPECT_THAT(result.err, Not(HasSubstr("could not be judged")));
}

// The reference may have to draw values: it is compiled before the process that counts is confined.
TEST_F(OwnOperation, KernelsAreProfiled) {
  scratch_.write("sum.reference.cpp",
                 "void reference() {\n  for (Index m = 0; m < M; ++m)\n"
                 "    y(m) = sum(N, [&](Index n) { return x(m, n); });\n}\nvoid fill(Draw& draw) { "
                 "x.set(draw.normal(), 0, 0); }\n");
  scratch_.write("k.metal", kHead + rows_kernel("row_sum", kSum));
  scratch_.write("m.toml", operation_of("sum", "reference = \"sum.reference.cpp\"", buffers()) +
                               entry_of("row_sum", "operation = \"sum\""));
  const auto result = assay({"profile", "--manifest", (scratch_ / "m.toml").string()});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("row_sum: sum"));
}

// A fault in one operation is that of the kernels that name it.
TEST_F(OwnOperation, FaultyOperationsBlockNoOtherKernels) {
  const std::string manifest = operation_of("faulty", "reference = \"none.reference.cpp\"", buffers()) +
                               entry_of("of_faulty", "operation = \"faulty\"") +
                               entry_of("of_unknown", "operation = \"unknown\"") +
                               entry_of("row_sum", buffers());
  const std::string kernels =
      rows_kernel("row_sum", kSum) + rows_kernel("of_faulty", kSum) + rows_kernel("of_unknown", kSum);
  EXPECT_EQ(verify(manifest, kernels, {"row_sum"}).exit_code, 0) << words_;
  EXPECT_EQ(verify(manifest, kernels, {"of_faulty"}).exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("m.toml:3: operation.reference: no file"));
  EXPECT_EQ(verify(manifest, kernels, {"of_unknown"}).exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("operation \"unknown\": unknown"));
}

// The same text in another folder is compiled once, and named where it stands.
TEST_F(OwnOperation, AnErrorOfAReferenceNamesTheKernelThatAskedForIt) {
  fs::create_directories(scratch_ / "two");
  for (const char* const file : {"past.reference.cpp", "two/past.reference.cpp"}) {
    scratch_.write(file, "void reference() {\n  each(M, [&](Index m) { y(m) = x(m, N); });\n}\n");
    const std::string manifest = operation_of("past", fmt::format("reference = \"{}\"", file), buffers()) +
                                 entry_of("row_sum", "operation = \"past\"");
    EXPECT_EQ(verify(manifest, rows_kernel("row_sum", kSum)).exit_code, 2);
    EXPECT_THAT(words_, HasSubstr("row_sum: error: "));
    EXPECT_THAT(words_, HasSubstr((scratch_ / file).string() + ":2"));
  }
}

TEST_F(OwnOperation, FieldsThatMeanNothingAreErrorsAtTheirLine) {
  struct Mistake {
    const char* what;
    const char* instead;
    const char* says;
  };
  for (const Mistake& mistake :
       {Mistake{"type = \"half\"", "type = \"halff\"",
                "m.toml:9: tensors[0].type: `halff` is not one of half"},
        Mistake{"\"N\"] }", "\"Q\"] }",
                "m.toml:9: tensors[0].shape[1]: `Q` is not a dimension; the dimensions are M, N"},
        Mistake{"access = \"out\"", "access = \"in\"", "tensors: has no output"},
        Mistake{"largest = 512", "largest = 0", "dimensions[1].largest: is 0"},
        Mistake{"largest = 512", "values = [4], edges = [3]",
                "dimensions[1].edges: means nothing beside values"},
        Mistake{"\"M\", {", "\"N\", {", "dimensions[1].name: `N` is there twice"},
        Mistake{"shape = [\"M\", \"N\"] }", "shape = [\"M\", \"N\"], values = { below = \"M\" } }",
                "is of whole numbers"},
        Mistake{"shape = [\"M\", \"N\"] }", "shape = [\"M\", \"N\"], never = [\"inf\"] }",
                "m.toml:9: tensors[0].never: `inf` is not one of NaN, infinity, -0"},
        Mistake{"access = \"out\"", "access = \"out\", never = [\"NaN\"]", "never: describes an output"},
        Mistake{"shape = [\"M\", \"N\"] }", "shape = [\"M\", \"N\"], values = 70000 }",
                "is not a value of the tensor's type"}}) {
    const auto result = verify(with(entry_of("row_sum", buffers()), mistake.what, mistake.instead),
                               rows_kernel("row_sum", kSum));
    EXPECT_EQ(result.exit_code, 2) << words_;
    EXPECT_THAT(words_, HasSubstr(mistake.says));
  }
}

// A failure of a stated operation is run again by its line.
TEST_F(OwnOperation, FailuresAreReplayed) {
  const auto wrong =
      rows_kernel("row_sum", with(kSum, "if (t == 0) y[row]", "if (t == 0 && row > 0) y[row]"));
  const auto result = verify(entry_of("row_sum", buffers()), wrong, {"--mode", "fast"});
  const auto begin = result.out.find("assay replay '");
  ASSERT_NE(begin, std::string::npos) << result.out;
  const auto line = result.out.substr(begin + 14, result.out.find('\'', begin + 14) - begin - 14);
  const auto again = assay({"replay", line});
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("were never written"));
}

}  // namespace
}  // namespace assay::end_to_end
