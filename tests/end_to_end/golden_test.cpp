// The golden sets: the same seed gives the same bytes, and the set in the tree is such a one. That kernels
// agree with it CTest tests, one by one (assay_add_kernel_tests in tests/CMakeLists.txt).
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>

#include "golden/safetensors.hpp"
#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

TEST(Golden, TheSameSeedGivesTheSameBytes) {
  const Scratch scratch;
  for (const char* name : {"one", "two"}) {
    const auto made = assay({"golden", "make", "--operation", "dequantize_fp4", "--seed", "11", "--cases",
                             "5", "--out", (scratch / name).string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  std::size_t files = 0;
  for (const auto& file : fs::directory_iterator(scratch / "one")) {
    EXPECT_EQ(read(file.path()), read(scratch / "two" / file.path().filename())) << file.path();
    ++files;
  }
  EXPECT_EQ(files, 6u);  // and the index
}

TEST(Golden, TheSetInTheTreeIsWhatItsMetadataSays) {
  const auto checked = assay({"golden", "check", "--all", (kSource / "golden/sets").string()});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

// What is refused was not made, whatever else was: a script would take status 0 for all of them.
TEST(Golden, MatricesThatAreRefusedBesideOthersAreStatus2) {
  const Scratch scratch;
  for (const unsigned spoiled : {0u, 1u, 2u}) {  // of two matrices
    golden::Dataset model;
    for (unsigned i = 0; i < 2; ++i) {
      Tensor& matrix =
          model.tensors.emplace_back(make_tensor("layer" + std::to_string(i), DType::f32, {32, 64}));
      for (float& weight : matrix.as<float>()) weight = i < spoiled ? NAN : 0.5F;
    }
    const fs::path file = scratch / "model.safetensors", json = scratch / "made.json";
    golden::write_safetensors(file, model);
    const auto made = assay({"golden", "make", "--from", file.string(), "--operation", "gemm_fp4", "--json",
                             json.string(), "--out", (scratch / ("set" + std::to_string(spoiled))).string()});
    EXPECT_EQ(made.exit_code, spoiled == 0 ? 0 : 2) << made.out << made.err;
    EXPECT_THAT(read(json), testing::HasSubstr(spoiled == 0 ? "\"exit_status\": 0" : "\"exit_status\": 2"));
    if (spoiled == 1) {
      EXPECT_THAT(made.err, testing::HasSubstr("1 of 2 problems were refused, the first since "));
      EXPECT_THAT(made.err, testing::HasSubstr("tensor \"layer0\": row 0, column 0 is nan"));
    }
  }
}

// Data that differ are rejected, data that cannot be read are not judged; both were status 2.
TEST(Golden, AFileThatDiffersIsStatus1AndOneThatCannotBeReadIs2) {
  const Scratch scratch;
  const std::string set = (scratch / "set").string();
  const auto made = assay({"golden", "make", "--operation", "dequantize_fp4", "--cases", "2", "--out", set});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const fs::path first = fs::path(set) / "dequantize_fp4-1-0000.safetensors";
  const std::string whole = read(first);
  std::string changed = whole;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  scratch.write("set/" + first.filename().string(), changed);
  EXPECT_EQ(assay({"golden", "check", set}).exit_code, 2);  // its hash says so
  const auto mended = golden::read_safetensors(first);
  golden::write_safetensors(first, mended);
  EXPECT_EQ(assay({"golden", "check", set}).exit_code, 1);
  scratch.write("set/" + first.filename().string(), whole.substr(0, whole.size() / 2));
  EXPECT_EQ(assay({"golden", "check", set}).exit_code, 2);
  scratch.write("set/" + first.filename().string(), whole);
  EXPECT_EQ(assay({"golden", "check", set}).exit_code, 0);
}

/// `assay golden make` that is killed after so long, unless it ended before.
bool was_killed(const std::vector<std::string>& arguments, std::chrono::milliseconds after) {
  std::vector<std::string> all = {kProgram.string()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> raw;
  for (auto& one : all) raw.push_back(one.data());
  raw.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    const int out = open("/dev/null", O_WRONLY);
    dup2(out, STDOUT_FILENO);
    execv(raw[0], raw.data());
    _exit(127);
  }
  std::this_thread::sleep_for(after);
  kill(pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, 0);
  // Its workers die with it, in a moment.
  for (int i = 0; i < 500 && !processes_with(arguments.back()).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return WIFSIGNALED(status);
}

std::map<std::string, std::string> whole_files(const fs::path& set) {
  std::map<std::string, std::string> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(set, none)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".safetensors") || name.ends_with(".json")) files[name] = read(entry.path());
  }
  return files;
}

// No file that was finished is lost, none is there that is not whole, and the set that goes on is the same.
TEST(Golden, KilledAtTwentyRandomMomentsIsTheSetOfAnUndisturbedRun) {
  const Scratch scratch;
  const auto command = [&](const std::string& out) {
    return std::vector<std::string>{
        "golden", "make", "--operation", "dequantize_fp4",        "--shape", "N=512,K=2048", "--cases", "30",
        "--jobs", "2",    "--out",       (scratch / out).string()};
  };
  const auto started = std::chrono::steady_clock::now();
  ASSERT_EQ(assay(command("undisturbed")).exit_code, 0);
  const auto whole_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started);
  const auto undisturbed = whole_files(scratch / "undisturbed");
  ASSERT_EQ(undisturbed.size(), 31u);

  std::mt19937_64 random(18);
  std::string out = "set-0";
  std::map<std::string, std::string> before;
  int sets = 0;
  for (int killed = 0; killed < 20;) {
    const bool was =
        was_killed(command(out), std::chrono::milliseconds(random() % (whole_ms.count() / 3 + 5)));
    const auto now = whole_files(scratch / out);
    for (const auto& [name, bytes] : now) EXPECT_TRUE(bytes == undisturbed.at(name)) << name;
    for (const auto& [name, bytes] : before) EXPECT_TRUE(now.contains(name)) << name;
    before = now;
    if (was) {
      ++killed;
      continue;
    }
    EXPECT_EQ(now.size(), undisturbed.size());  // it ended before it was killed: the next is another
    out = fmt::format("set-{}", ++sets);
    before.clear();
    ASSERT_LT(sets, 200) << "whole runs end before they are killed";
  }
  ASSERT_EQ(assay(command(out)).exit_code, 0);
  EXPECT_TRUE(whole_files(scratch / out) == undisturbed);
  for (const auto& entry : fs::directory_iterator(scratch / out))
    EXPECT_FALSE(entry.path().string().ends_with(".assay-part")) << entry.path();
}

// Damage of the tree's own sets would be found by this, and a program that makes other bytes.
TEST(Golden, TheSetsInTheTreeAreMadeAgainByteForByte) {
  const Scratch scratch;
  const std::string made = (scratch / "sets").string();
  setenv("ASSAY", kProgram.c_str(), 1);
  const int status =
      std::system(fmt::format("'{}' '{}'", (kSource / "ci/golden-sets").string(), made).c_str());
  ASSERT_EQ(status, 0);
  const auto again = whole_files(made), tree = whole_files(kSource / "golden/sets");
  EXPECT_GT(tree.size(), 300u);
  for (const auto& [name, bytes] : tree) {
    ASSERT_TRUE(again.contains(name)) << name << " is of no set that ci/golden-sets makes";
    EXPECT_TRUE(again.at(name) == bytes) << name << " differs: run ci/golden-sets";
  }
  EXPECT_EQ(again.size(), tree.size());
}

}  // namespace
}  // namespace assay::end_to_end
