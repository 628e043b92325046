// What a machine and its other users may do to a run: files that are none, closed streams, limits, links.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// `script` by a shell, in which $A is the program.
metal::ProcessResult shell(const std::string& script, const fs::path& folder) {
  clear_environment();
  return metal::run_process({"/bin/sh", "-c", "A=" + kProgram.string() + "; " + script}, folder.string());
}

const std::string kNeighbour =
    kHead + "kernel void k(device float* y, uint i [[thread_position_in_grid]]) { y[i] = 1; }\n";
const std::string kNeighbours =
    "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\noperation = \"own\"\narguments = [\"y\"]\n"
    "threads_per_threadgroup = 32\ngrid = [\"N\", 1, 1]\ngrid_unit = \"threads\"\n\n"
    "[[operation]]\nname = \"own\"\nreference = \"k.reference.cpp\"\n"
    "dimensions = [{ name = \"N\", largest = 64 }]\n"
    "tensors = [{ name = \"y\", type = \"float\", shape = [\"N\"], access = \"out\" }]\n";

/// A command in a folder with a kernel, and the file in it that is a pipe.
struct Pipe {
  const char* name;
  const char* file;
  const char* command;
};
std::ostream& operator<<(std::ostream& out, const Pipe& pipe) { return out << pipe.name; }

class APipe : public testing::TestWithParam<Pipe> {};

TEST_P(APipe, IsRefusedAtOnceAndNotWaitedFor) {
  const Scratch scratch;
  scratch.write("k.metal",
                std::string(GetParam().file) == "h.h" ? "#include \"h.h\"\n" + kNeighbour : kNeighbour);
  scratch.write("m.toml", kNeighbours);
  scratch.write("k.reference.cpp", "void reference() { each(N, [&](Index n) { y(n) = 1; }); }\n");
  fs::remove(scratch / GetParam().file);
  ASSERT_EQ(mkfifo((scratch / GetParam().file).c_str(), 0600), 0);
  const auto begin = std::chrono::steady_clock::now();
  const auto result = shell(std::string("timeout 100 $A ") + GetParam().command, scratch.root());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_THAT(result.out + result.err,
              AllOf(HasSubstr(GetParam().file),
                    testing::ContainsRegex("regular file|is not a file|no file|cannot be read")));
}

INSTANTIATE_TEST_SUITE_P(
    Commands, APipe,
    testing::Values(
        Pipe{"verify_source", "k.metal", "verify --cases 1 --manifest m.toml"},
        Pipe{"verify_header", "h.h", "verify --cases 1 --manifest m.toml"},
        Pipe{"verify_reference", "k.reference.cpp", "verify --cases 1 --manifest m.toml"},
        Pipe{"verify_manifest", "m.toml", "verify --cases 1 --manifest m.toml"},
        Pipe{"check_source", "k.metal", "check k.metal"}, Pipe{"check_header", "h.h", "check k.metal"},
        Pipe{"check_prefix", "p.metal", "check k.metal --text-prefix p.metal"},
        Pipe{"init_header", "h.h", "init k.metal --out made"}, Pipe{"load_source", "k.metal", "load k.metal"},
        Pipe{"load_header", "h.h", "load k.metal"}, Pipe{"claims", "c.toml", "claims c.toml"},
        Pipe{"equivalents", "equivalent.toml", "mutate --manifest m.toml --sample 1"},
        Pipe{"inputs", "i.safetensors", "replay --inputs i.safetensors --kernel k --manifest m.toml"},
        Pipe{"merge", "r.json", "merge r.json"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Neighbours, StreamsThatAreClosedAreAPlainStatus) {
  const Scratch scratch;
  scratch.write("k.metal", kNeighbour);
  EXPECT_EQ(shell("$A list > /dev/full 2> /dev/full", scratch.root()).exit_code, 2);
  EXPECT_EQ(shell("$A list >&- 2>&-", scratch.root()).exit_code, 2);
  EXPECT_EQ(shell("$A verify --manifest none.toml >&- 2>&-", scratch.root()).exit_code, 2);
}

TEST(Neighbours, AFileThatMayNotGrowIsSaid) {
  const Scratch scratch;
  scratch.write("k.metal", kNeighbour);
  scratch.write("m.toml", kNeighbours);
  scratch.write("k.reference.cpp", "void reference() { each(N, [&](Index n) { y(n) = 1; }); }\n");
  const auto result =
      shell("ulimit -f 8; ASSAY_CACHE_DIR=$PWD/cache $A verify --cases 1 --manifest m.toml", scratch.root());
  EXPECT_EQ(result.exit_code, 2) << result.out;
  EXPECT_THAT(result.out + result.err, HasSubstr("File too large"));
}

TEST(Neighbours, ALimitOfMemoryIsNoHang) {
  const Scratch scratch;
  for (const char* limit : {"ulimit -d 60000", "ulimit -d 130000", "ulimit -v 400000"}) {
    const auto result = shell(std::string(limit) + "; timeout 60 $A cache", scratch.root());
    EXPECT_EQ(result.exit_code, 0) << limit << result.err;
  }
}

// The cache of somebody else, where no variable names one of this user's.
TEST(Neighbours, ACacheThatSomebodyElseMayWriteToIsNotUsed) {
  const Scratch scratch;
  scratch.write("k.metal", kNeighbour);
  const std::string own = "assay-cache-" + std::to_string(getuid());
  const std::string run =
      "mkdir -m 1777 tmp; mkdir -m 0777 tmp/" + own +
      "; env -u HOME -u XDG_CACHE_HOME -u ASSAY_CACHE_DIR TMPDIR=$PWD/tmp $A load k.metal";
  const auto result = shell(run, scratch.root());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("other users may write to"), HasSubstr("set ASSAY_CACHE_DIR")));
}

TEST(Neighbours, FoldersOfTheCommandLineAreOfTheProject) {
  const Scratch scratch;
  fs::create_directories(scratch / "theirs");
  fs::create_directories(scratch / "project");
  scratch.write("theirs/k.metal", kNeighbour);
  scratch.write("theirs/k.reference.cpp", "void reference() { each(N, [&](Index n) { y(n) = 1; }); }\n");
  scratch.write("project/m.toml", with(with(kNeighbours, "\"k.metal\"", "\"../theirs/k.metal\""),
                                       "\"k.reference.cpp\"", "\"../theirs/k.reference.cpp\""));
  const std::string verify = "$A verify --cases 1 --mode fast --manifest project/m.toml ";
  const auto refused = shell(verify, scratch.root());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.out + refused.err, AllOf(HasSubstr("lies outside"), HasSubstr("--allow-dir")));
  const auto allowed = shell(verify + "--allow-dir theirs", scratch.root());
  EXPECT_NE(allowed.exit_code, 2) << allowed.out << allowed.err;
}

TEST(Neighbours, ATextIncludesFromItsProjectAndNotFromBeyond) {
  const Scratch scratch;
  fs::create_directories(scratch / "project/kernels");
  fs::create_directories(scratch / "project/math");
  scratch.write("project/math/one.h", "constant float one = 1;\n");
  scratch.write("beyond.h", "constant float one = 2;\n");
  const auto text = [](const std::string& file) {
    return kHead + "#include \"" + file + "\"\n" +
           "kernel void k(device float* y, uint i [[thread_position_in_grid]]) { y[i] = one; }\n";
  };
  scratch.write("project/kernels/k.metal", text("../math/one.h"));
  scratch.write("project/kernels/bad.metal", text("../../beyond.h"));
  EXPECT_EQ(shell("$A load kernels/k.metal", scratch / "project").exit_code, 0);
  const auto alone = shell("$A load k.metal", scratch / "project/kernels");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, AllOf(HasSubstr("lies outside the kernel's project"), HasSubstr("--allow-dir")));
  EXPECT_EQ(shell("$A load --allow-dir ../math k.metal", scratch / "project/kernels").exit_code, 0);
  fs::create_directories(scratch / "project/.git");
  EXPECT_EQ(shell("$A load k.metal", scratch / "project/kernels").exit_code, 0);
  EXPECT_EQ(shell("$A load bad.metal", scratch / "project/kernels").exit_code, 2);
  // A replay line of `check` names a manifest in the cache: it reads what the check did.
  const auto checked = shell("$A check --cases 1 k.metal", scratch / "project/kernels");
  EXPECT_THAT(checked.out + checked.err, Not(HasSubstr("outside"))) << checked.out;
}

// Of a damaged model nothing can be made, which is no success.
TEST(Neighbours, AModelOfNaNAloneIsAnError) {
  const Scratch scratch;
  std::string header = R"({"w":{"dtype":"F32","shape":[64,64],"data_offsets":[0,16384]}})";
  header.resize(72, ' ');
  std::string bytes = {static_cast<char>(header.size())};
  bytes.resize(8, '\0');
  scratch.write("model.safetensors", bytes + header + std::string(16384, '\xff'));
  const auto result = shell("$A golden make --from model.safetensors --out sets", scratch.root());
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_THAT(result.out + result.err,
              AllOf(HasSubstr("weights must be finite"), HasSubstr("no file was made")));
}

TEST(Neighbours, ATableThatNoObjectHoldsIsBlamedOnTheText) {
  const Scratch scratch;
  scratch.write("k.metal",
                kHead +
                    "constant float t[536870912] = {1};\n"
                    "kernel void k(device float* y, uint i [[thread_position_in_grid]]) { y[i] = t[i]; }\n");
  const auto result = shell("$A load k.metal", scratch.root());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, AllOf(HasSubstr("an array of the text is too large"), Not(HasSubstr("internal"))));
}

TEST(Neighbours, OutputsDoNotFollowLinks) {
  const Scratch scratch;
  scratch.write("k.metal", kNeighbour);
  scratch.write("victim", "mine");
  fs::create_symlink("victim", scratch / "out.json");
  const auto result = shell("$A check --cases 1 k.metal --json out.json", scratch.root());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("is a link"));
  EXPECT_EQ(read(scratch / "victim"), "mine");
}

}  // namespace
}  // namespace assay::end_to_end
