#include "harness/verify/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace assay {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kMinimal = R"([[kernel]]
name = "k"
source = "k.metal"
operation = "gemm_fp4"
arguments = ["A", "MNK"]
threads_per_threadgroup = 128
tile = { m = 64, n = 32, k = 16 }
grid = "tiles"
)";

std::string error(const std::string& text) {
  try {
    parse_manifest(text, "dir/kernels.toml");
  } catch (const ManifestError& e) {
    return e.what();
  }
  return "no error";
}

/// kMinimal with the line that starts with `field` replaced (or `line` appended).
std::string with(const std::string& field, const std::string& line) {
  std::string text = kMinimal;
  const auto start = text.find("\n" + field);
  if (start == std::string::npos) return text + line + "\n";
  return text.replace(start + 1, text.find('\n', start + 1) - start - 1, line);
}

KernelEntry entry(const std::string& text) { return parse_manifest(text, "dir/kernels.toml").at(0); }

TEST(Manifest, VersionOfMetalIsWhatTheTextSees) {
  EXPECT_EQ(entry(with("metal_version", "metal_version = \"3.1\"")).defines.at("__METAL_VERSION__"), "310");
  EXPECT_FALSE(entry(kMinimal).defines.contains("__METAL_VERSION__"));
  for (const char* version : {"\"31\"", "\"\"", "\"3.1.2\"", "3.1"})
    EXPECT_THAT(error(with("metal_version", std::string("metal_version = ") + version)),
                testing::HasSubstr(": metal_version: "))
        << version;
}

TEST(Manifest, FullEntry) {
  const KernelEntry e = entry(R"toml([[kernel]]
name = "marlin"
function = "marlin_gemm<64>"
source = "src/marlin.metal"
operation = "gemm_fp4"
arguments = ["A", "-", "K:ulong", "=K/8", 7, 0.5, ["M", "N:ushort", "group_size"]]
threads_per_threadgroup = [32, 4]
tile = { m = 64, n = 64, k = 32 }
grid = ["ceil(N / tile.n)", "M", 2]
grid_unit = "threads"
threadgroup_memory = [1024, "tile_m * tile_k * 2"]
arithmetic = { dequantize = "float", accumulate = "half" }
requires = { M_max = 16, N_multiple = 8, K_min = 2, K_multiple = 4, group_size = [32, 64] }
defines = { TILE = 64, FAST = true, NAME = "x", SCALE = 2.0 }
function_constants = { 0 = 32, 3 = true }
include_dirs = ["include"]
claims = { threadgroup_bytes = 16384, barriers = 1.5 }
shapes = [{ M = 1, N = 4096 }, { K = 14336 }]
)toml");
  EXPECT_EQ(e.name, "marlin");
  EXPECT_EQ(e.manifest, "dir/kernels.toml");
  EXPECT_EQ(e.lines.at("grid"), 9u);
  EXPECT_EQ(e.threads_per_threadgroup, (device::Size3{32, 4, 1}));
  EXPECT_TRUE(e.grid.in_threads);
  EXPECT_EQ(e.grid.size[0].evaluate_integer(e.with_tile({{"N", 130}})), 3);
  EXPECT_EQ(e.threadgroup_memory.at(1).evaluate_integer(e.with_tile({})), 4096);
  EXPECT_EQ(e.arithmetic.dequantize, Precision::float_precision);
  EXPECT_EQ(e.arithmetic.accumulate, Precision::half_precision);
  EXPECT_EQ(e.claims, (std::map<std::string, double>{{"threadgroup_bytes", 16384}, {"barriers", 1.5}}));
  EXPECT_EQ(e.shapes, (std::vector<Dims>{{{"M", 1}, {"N", 4096}}, {{"K", 14336}}}));

  ASSERT_EQ(e.arguments.size(), 7u);
  EXPECT_EQ(std::get<NamedArgument>(e.arguments[0]).name, "A");
  EXPECT_TRUE(std::holds_alternative<UnboundArgument>(e.arguments[1]));
  EXPECT_EQ(std::get<NamedArgument>(e.arguments[2]).type, ScalarType::ulong);
  EXPECT_EQ(std::get<ScalarArgument>(e.arguments[3]).fields.at(0).value.evaluate_integer({{"K", 64}}), 8);
  EXPECT_EQ(std::get<ScalarArgument>(e.arguments[4]).fields.at(0).type, ScalarType::uint);
  EXPECT_EQ(std::get<ScalarArgument>(e.arguments[5]).fields.at(0).type, ScalarType::float_);
  const auto& fields = std::get<ScalarArgument>(e.arguments[6]).fields;
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields[0].type, ScalarType::uint);
  EXPECT_EQ(fields[1].type, ScalarType::ushort);

  const device::KernelSource source = e.kernel_source();
  EXPECT_EQ(source.path, "dir/src/marlin.metal");
  EXPECT_EQ(source.function, "marlin_gemm<64>");
  EXPECT_EQ(source.defines, (std::map<std::string, std::string>{
                                {"TILE", "64"}, {"FAST", "1"}, {"NAME", "x"}, {"SCALE", "2.0"}}));
  EXPECT_EQ(source.function_constants, (std::map<std::uint32_t, std::string>{{0, "32"}, {3, "true"}}));
  EXPECT_EQ(source.include_dirs.at(0), "dir/include");
}

TEST(Manifest, DefaultsOfAMinimalEntry) {
  const KernelEntry e = entry(kMinimal);
  EXPECT_EQ(e.function, "k");
  EXPECT_EQ(e.grid.rule, GridRule::tiles);
  EXPECT_FALSE(e.grid.in_threads);
  EXPECT_EQ(e.threads_per_threadgroup, (device::Size3{128, 1, 1}));
  EXPECT_EQ(e.arithmetic.dequantize, Precision::half_precision);
  EXPECT_EQ(e.arithmetic.accumulate, Precision::float_precision);
  EXPECT_TRUE(entry(with("grid", "grid = \"elements\"")).grid.in_threads);
}

TEST(Manifest, RequirementsByDimension) {
  const KernelEntry e = entry(with("requires", "requires = { M_max = 16, K_multiple = 8, group_size = 32 }"));
  EXPECT_FALSE(e.unmet_requirement({{"M", 16}, {"K", 8}, {"group_size", 32}}));
  EXPECT_EQ(e.unmet_requirement({{"M", 17}, {"K", 8}, {"group_size", 32}}),
            "M is 17; the kernel requires it to be at most 16");
  EXPECT_EQ(e.unmet_requirement({{"M", 1}, {"K", 12}, {"group_size", 32}}),
            "K is 12; the kernel requires it to be a multiple of 8");
  EXPECT_EQ(e.unmet_requirement({{"M", 1}, {"K", 8}, {"group_size", 64}}),
            "group_size is 64; the kernel requires it to be one of 32");
  EXPECT_THROW(e.unmet_requirement({{"K", 8}, {"M", 1}}), ManifestError);
}

struct BadManifest {
  std::string text, start, part;
};
void PrintTo(const BadManifest& bad, std::ostream* out) { *out << bad.part; }

class ManifestErrors : public testing::TestWithParam<BadManifest> {};

TEST_P(ManifestErrors, OneLineWithFileLineAndField) {
  const std::string what = error(GetParam().text);
  EXPECT_THAT(what, StartsWith("dir/kernels.toml:" + GetParam().start));
  EXPECT_THAT(what, HasSubstr(GetParam().part));
  EXPECT_EQ(what.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, ManifestErrors,
    testing::Values(
        BadManifest{"kernel = [", "1: manifest: ", "not TOML"},
        BadManifest{"", "1: kernel: ", "write one [[kernel]] table for each"},
        BadManifest{"kernel = 3\n", "1: kernel: ", "no kernels"},
        BadManifest{"\nversion = 1\n" + kMinimal,
                    "2: version: ", "is not a field here; the fields are kernel"},
        BadManifest{with("name", ""), "1: name: ", "is missing"},
        BadManifest{with("name", "name = \"a b\""), "2: name: ", "characters other than"},
        BadManifest{with("source", "source = 7"), "3: source: ", "is a integer; write a string"},
        BadManifest{with("colour", "colour = 1"),
                    "9: colour: ", "is not a field here; the fields are accept, arguments"},
        BadManifest{with("tile", "tile = { m = 64, n = 64, q = 1 }"), "7: tile.k: ", "is missing"},
        BadManifest{with("tile", "tile = { m = 64, n = 64, k = 1, q = 1 }"),
                    "7: tile.q: ", "the fields are k, m, n"},
        BadManifest{with("tile", "tile = { m = 0, n = 64, k = 1 }"), "7: tile.m: ", "from 1 to"},
        BadManifest{with("tile", ""), "8: grid: ", "needs the field tile"},
        BadManifest{with("grid", "grid = \"stripes\""), "8: grid: ", "\"elements\""},
        BadManifest{with("grid", "grid = [1, 2, 3, 4]"), "8: grid: ", "has 4 sizes; write three"},
        BadManifest{with("grid", "grid = [1, 2]"), "8: grid: ", "has 2 sizes; write three"},
        BadManifest{with("grid", "grid = [\"ceil(N / \", 1, 1]"), "8: grid[0]: ", "a value is missing"},
        BadManifest{with("grid_unit", "grid_unit = \"threads\""), "9: grid_unit: ", "leave it out"},
        BadManifest{with("threads", "threads_per_threadgroup = 0"), "6: threads_per_threadgroup: ", "from 1"},
        BadManifest{with("accepted", "accept = [\"races\"]"), "9: accept: ",
                    "takes \"same_value_writes\" and \"saturating_conversions\", and nothing else"},
        BadManifest{with("resident", "resident_threadgroups = 1"), "9: resident_threadgroups: ", "from 2"},
        BadManifest{with("threads", "threads_per_threadgroup = \"x\""),
                    "6: threads_per_threadgroup: ", "whole"},
        BadManifest{with("arguments", "arguments = \"A\""), "5: arguments: ", "write a list"},
        BadManifest{with("arguments", "arguments = []"), "5: arguments: ", "has 0 entries"},
        BadManifest{with("arguments", "arguments = [\"A\", \"K:uint3\"]"), "5: arguments[1]: ", "ushort"},
        BadManifest{with("arguments", "arguments = [\"A\",\n true]"), "6: arguments[1]: ", "neither a name"},
        BadManifest{with("arguments", "arguments = [\"=K//8\"]"), "5: arguments[0]: ", "not expected"},
        BadManifest{with("requires", "requires = { M_max = 0 }"), "9: requires.M_max: ", "from 1"},
        BadManifest{with("requires", "requires = { M_max = 4, M_min = 8 }"), "9: requires: ", "no M is"},
        BadManifest{with("arithmetic", "arithmetic = { accumulate = \"double\" }"),
                    "9: arithmetic.accumulate: ", "\"half\" or \"float\""},
        BadManifest{with("claims", "claims = { a = \"b\" }"), "9: claims.a: ", "write a number"},
        BadManifest{with("defines", "defines = { \"a-b\" = 1 }"), "9: defines.a-b: ", "not a macro name"},
        BadManifest{with("function_constants", "function_constants = { x = 1 }"),
                    "9: function_constants.x: ", "not an index"},
        BadManifest{kMinimal + kMinimal, "10: name: ", "choose a different one"}));

class ManifestFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    dir_ = std::filesystem::path(testing::TempDir()) /
           (std::string("assay_manifest_") + info->name() + std::to_string(::getpid()));
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::string read_error(const std::filesystem::path& file) {
    try {
      read_manifest(file);
    } catch (const ManifestError& e) {
      return e.what();
    }
    return "no error";
  }

  std::filesystem::path dir_;
};

TEST_F(ManifestFile, NoSuchFile) {
  EXPECT_EQ(read_error(dir_ / "none.toml"),
            (dir_ / "none.toml").string() + ": manifest: no such file; give the path of a kernels.toml");
  EXPECT_EQ(read_error(dir_), dir_.string() + ": manifest: is a directory; give the path of a kernels.toml");
}

TEST_F(ManifestFile, SourcesAreRelativeToTheManifestAndMustExist) {
  std::ofstream(dir_ / "kernels.toml") << kMinimal;
  EXPECT_THAT(read_error(dir_ / "kernels.toml"), HasSubstr("kernels.toml:3: source: kernel k: no file"));
  std::ofstream(dir_ / "k.metal") << "kernel void k() {}";
  EXPECT_EQ(read_manifest(dir_ / "kernels.toml").at(0).source, dir_ / "k.metal");
}

/// What a manifest may name, with `PLACE` for the path.
struct Named {
  const char* name;
  const char* line;
};
std::ostream& operator<<(std::ostream& out, const Named& named) { return out << named.name; }

class OfItsOwnProject : public ManifestFile, public testing::WithParamInterface<Named> {
 protected:
  void SetUp() override {
    ManifestFile::SetUp();
    for (const char* folder : {"project", "other"}) std::filesystem::create_directories(dir_ / folder);
    std::ofstream(dir_ / "project/k.metal") << "kernel void k() {}";
    std::ofstream(dir_ / "other/file") << "secret";
    std::filesystem::create_symlink("../other/file", dir_ / "project/link");
    std::filesystem::create_symlink("../other", dir_ / "project/folder");
  }

  std::filesystem::path manifest(const std::string& path) {
    std::string line = GetParam().line, text = kMinimal;
    line.replace(line.find("PLACE"), 5, path);
    const std::string field = line.substr(0, line.find(' '));
    if (field == "reference") {
      text += "\n[[operation]]\nname = \"own\"\n" + line +
              "\ndimensions = [{ name = \"N\", largest = 4 }]\n"
              "tensors = [{ name = \"y\", type = \"float\", shape = [\"N\"], access = \"out\" }]\n";
      text.replace(text.find("gemm_fp4"), 8, "own");
    } else {
      text = with(field, line);
    }
    const auto file = dir_ / "project/kernels.toml";
    std::ofstream(file) << text;
    return file;
  }
};

TEST_P(OfItsOwnProject, NamesNothingElse) {
  const bool folder = std::string(GetParam().name) == "include_dirs";
  const std::string there = folder ? "" : "/file";
  for (const std::string& path :
       {"../other" + there, (dir_ / ("other" + there)).string(), std::string(folder ? "folder" : "link"),
        "/etc" + std::string(folder ? "" : "/passwd")}) {
    const std::string error = read_error(manifest(path));
    EXPECT_THAT(error, testing::AllOf(HasSubstr(GetParam().name), HasSubstr("lies outside"),
                                      HasSubstr("--allow-dir"), testing::Not(HasSubstr("\n"))))
        << path;
  }
}

INSTANTIATE_TEST_SUITE_P(Fields, OfItsOwnProject,
                         testing::Values(Named{"source", "source = \"PLACE\""},
                                         Named{"text_prefix", "text_prefix = [\"PLACE\"]"},
                                         Named{"include_dirs", "include_dirs = [\"PLACE\"]"},
                                         Named{"reference", "reference = \"PLACE\""}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace assay
