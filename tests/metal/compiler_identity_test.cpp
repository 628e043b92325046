// What the compiler says of itself is kept in the cache: of a file that is known to be the same, and of no
// other.
#include <gtest/gtest.h>

#include "harness/metal/compile/cache.hpp"
#include "harness/metal/compile/compiler_identity.hpp"
#include "harness/metal/compile/errors.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

class OfCompilers : public testing::Test {
 protected:
  std::vector<fs::path> kept() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(cache_))
      if (entry.path().filename().string().starts_with("compiler-")) all.push_back(entry.path());
    return all;
  }
  // A compiler that is a script in front of ours.
  std::string script() const {
    const fs::path file = directory_.path() / "compiler";
    std::ofstream(file) << "#!/bin/sh\necho >> '" << (directory_.path() / "asked").string() << "'\nexec '"
                        << find_compiler() << "' \"$@\"\n";
    fs::permissions(file, fs::perms::owner_all);
    return file.string();
  }

  TemporaryDirectory directory_;
  fs::path cache_ = directory_.path() / "cache";

  OfCompilers() {
    fs::create_directory(cache_);
    fs::permissions(cache_, fs::perms::owner_all);
  }
};

TEST_F(OfCompilers, IsAskedOnce) {
  const auto asked = identity_of(find_compiler(), cache_);
  ASSERT_EQ(kept().size(), 1u);
  EXPECT_EQ(identity_of(find_compiler(), cache_), asked);
  store_cached(cache_, kept()[0].filename(), "what was kept");
  EXPECT_EQ(identity_of(find_compiler(), cache_), "what was kept");
}

TEST_F(OfCompilers, IsAskedAgainWhereWhatWasKeptIsDamaged) {
  const auto asked = identity_of(find_compiler(), cache_);
  std::ofstream(kept().at(0)) << "\nanything";
  EXPECT_EQ(identity_of(find_compiler(), cache_), asked);
}

TEST_F(OfCompilers, IsAskedOfScriptsEachTime) {
  const auto compiler = script();
  identity_of(compiler, cache_);
  identity_of(compiler, cache_);
  EXPECT_EQ(fs::file_size(directory_.path() / "asked"), 2u);
  EXPECT_TRUE(kept().empty());
}

TEST_F(OfCompilers, IsNothingOfOneThatIsNotThere) {
  EXPECT_THROW(identity_of((directory_.path() / "none").string(), cache_), ToolchainError);
  EXPECT_TRUE(kept().empty());
}

}  // namespace
}  // namespace assay::metal
