// What compilers say of themselves is kept in the cache: of files that are known to be the same, and of no
// others.
#include <gtest/gtest.h>

#include "harness/metal/cache.hpp"
#include "harness/metal/compiler_identity.hpp"
#include "harness/metal/errors.hpp"
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
  // A compiler that is a script in front of another.
  std::string script(const std::string& name, const std::string& program) const {
    const fs::path file = directory_.path() / name;
    std::ofstream(file) << "#!/bin/sh\necho >> '" << (directory_.path() / "asked").string() << "'\nexec "
                        << program << " \"$@\"\n";
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
  const auto asked = identity_of("g++", {}, cache_);
  ASSERT_EQ(kept().size(), 1u);
  EXPECT_EQ(identity_of("g++", {}, cache_).text, asked.text);
  store_cached(cache_, kept()[0].filename(), "clang++\nwhat was kept");
  const auto again = identity_of("g++", {}, cache_);
  EXPECT_EQ(again.text, "what was kept");
  EXPECT_EQ(again.second_reader, "clang++");
}

TEST_F(OfCompilers, IsAskedAgainWhereWhatWasKeptIsDamaged) {
  const auto asked = identity_of("g++", {}, cache_);
  std::ofstream(kept().at(0)) << "\nanything";
  EXPECT_EQ(identity_of("g++", {}, cache_).text, asked.text);
}

TEST_F(OfCompilers, IsAskedOfScriptsEachTime) {
  const auto compiler = script("g++", "g++");
  identity_of(compiler, {}, cache_);
  identity_of(compiler, {}, cache_);
  EXPECT_EQ(fs::file_size(directory_.path() / "asked"), 4u);  // two questions each time
  EXPECT_TRUE(kept().empty());
}

TEST_F(OfCompilers, FollowsAReaderThatComesLater) {
  const auto reader = (directory_.path() / "clang-of-tomorrow").string();
  EXPECT_EQ(identity_of("g++", {reader}, cache_).second_reader, "");
  script("clang-of-tomorrow", "g++");
  EXPECT_EQ(identity_of("g++", {reader}, cache_).second_reader, reader);
}

TEST_F(OfCompilers, IsNothingOfOneThatIsNotThere) {
  EXPECT_THROW(identity_of("no-such-g++", {}, cache_), ToolchainError);
  EXPECT_TRUE(kept().empty());
}

}  // namespace
}  // namespace assay::metal
