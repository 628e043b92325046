// Kernels of a manifest, by name.
#include "harness/run/manifests.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "harness/run/verifier.hpp"

namespace assay::run {
namespace {

namespace fs = std::filesystem;

/// A folder below the working directory that goes with the test.
class Folder {
 public:
  Folder() : path_(fs::current_path() / ("assay-kernels-test-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  fs::path path_;
};

std::string entry_of(const std::string& name, const std::string& operation) {
  return "[[kernel]]\nname = \"" + name + "\"\nsource = \"k.metal\"\noperation = \"" + operation +
         "\"\narguments = [\"A\", \"B\", \"scales\", \"C\", \"M\", \"N\", \"K\", \"group_size\"]\n"
         "threads_per_threadgroup = 32\ntile = { m = 8, n = 8, k = 8 }\ngrid = \"tiles\"\n";
}

TEST(Kernels, AFaultInAnEntryThatNobodyAskedForIsInNobodysWay) {
  const Folder folder;
  folder.write("k.metal", "");
  const auto manifest = folder.write("m.toml", entry_of("wrong", "gemm_fp5") + entry_of("right", "gemm_fp4"));
  const auto entries = load_manifest(manifest.string(), {"right"});
  EXPECT_EQ(choose(entries, {"right"}).size(), 1u);
  EXPECT_THROW(load_manifest(manifest.string(), {"wrong"}), ManifestError);
  EXPECT_THROW(load_manifest(manifest.string()), ManifestError);
}

// Replay lines named the manifest by its absolute path, which is another on another machine.
TEST(Kernels, AManifestBelowTheWorkingDirectoryIsNamedFromThere) {
  const Folder folder;
  folder.write("k.metal", "");
  const auto manifest = folder.write("m.toml", entry_of("k", "gemm_fp4"));
  const auto below = fs::path(manifest).lexically_relative(fs::current_path());
  ASSERT_TRUE(below.is_relative());
  EXPECT_EQ(load_manifest(manifest.string()).front().manifest, below);
  EXPECT_EQ(load_manifest(below.string()).front().manifest, below);
  const auto elsewhere = "/proc/self/cwd" / below;  // the same file by a way that leads elsewhere
  EXPECT_EQ(load_manifest(elsewhere.string()).front().manifest, elsewhere);
}

}  // namespace
}  // namespace assay::run
