// Compiled kernels on disk: shared, damaged, or not to be written at all.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "harness/metal/compile/cache.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/compile/process.hpp"
#include "harness/metal/module/module.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
 protected:
  Cache()
      : source_(KernelRun(source_path("names.metal"), "declared_first")
                    .include(source_path("include"))
                    .source()) {}

  std::vector<fs::path> files(const std::string& extension) const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(cache())) {
      if (entry.path().extension() == extension) all.push_back(entry.path());
    }
    return all;
  }
  std::vector<fs::path> objects() const { return files(".so"); }
  std::vector<fs::path> precompiled() const { return files(".pch"); }
  fs::path cache() const { return directory_.path() / "cache"; }

  TemporaryDirectory directory_;
  device::KernelSource source_;
};

TEST_F(Cache, HoldsOneObjectAndNothingElse) {
  const auto tools = find_toolchain(cache());
  compile(source_, Flavour::fast, tools);
  ASSERT_EQ(objects().size(), 1u);
  const auto made = fs::last_write_time(objects()[0]);
  compile(source_, Flavour::fast, tools);
  EXPECT_EQ(fs::last_write_time(objects()[0]), made);
  compile(source_, Flavour::checked, tools);
  EXPECT_EQ(objects().size(), 2u);
  for (const auto& entry : fs::directory_iterator(cache())) {
    const auto name = entry.path().filename().string();
    const bool scratch = name == "scratch.lock" || entry.path() == scratch_root(cache());
    EXPECT_TRUE(entry.path().extension() == ".so" || name.starts_with("stdlib-") ||
                name.starts_with("prelude-") || name.starts_with("compiler-") || scratch)
        << name;
  }
}

TEST_F(Cache, ScratchOfOneThatIsGoneIsRemovedAndOfOneAtWorkIsNot) {
  const auto tools = find_toolchain(cache());
  fs::create_directories(cache() / "run-1/XYZ");
  const ScratchDirectory scratch(tools.cache);
  std::ofstream(scratch / "kernel.cpp") << "at work";
  EXPECT_TRUE(scratch_in_use(scratch_root(cache())));
  EXPECT_FALSE(scratch_in_use(cache() / "run-1"));
  clear_cache(cache());
  EXPECT_FALSE(fs::exists(cache() / "run-1"));
  EXPECT_TRUE(fs::exists(scratch / "kernel.cpp"));
  EXPECT_TRUE(fs::exists(tools.stdlib));  // this process may have a kernel compiled with it at any time
}

TEST_F(Cache, FollowsWhatIsIncluded) {
  const auto tools = find_toolchain(cache());
  const auto path =
      directory_.write("k.metal", "#include \"k.h\"\nkernel void k(device int* out) { out[0] = VALUE; }\n");
  device::KernelSource source;
  source.path = path;
  source.function = "k";
  directory_.write("k.h", "#define VALUE 1\n");
  compile(source, Flavour::fast, tools);
  directory_.write("k.h", "#define VALUE 2\n");
  compile(source, Flavour::fast, tools);
  EXPECT_EQ(objects().size(), 2u);
}

// A .so that is cut short ends the process that loads it (SIGBUS), unless somebody looks first.
TEST_F(Cache, DamagedObjectsAreCompiledAgain) {
  const auto tools = find_toolchain(cache());
  compile(source_, Flavour::fast, tools);
  const auto path = objects().at(0);
  const auto whole = content_of(path);
  const std::vector<std::string> damaged = {"",
                                            whole.substr(0, 100),
                                            whole.substr(0, whole.size() / 2),
                                            whole.substr(0, whole.size() - 1),
                                            std::string(whole.size(), '\0'),
                                            std::string(whole).replace(whole.size() / 2, 1, "?"),
                                            whole + "x"};
  for (const auto& content : damaged) {
    fs::remove(path);
    std::ofstream(path, std::ios::binary) << content;
    EXPECT_NE(compile(source_, Flavour::fast, tools)->entry(), nullptr) << content.size();
    EXPECT_EQ(content_of(path), whole) << content.size();
  }
}

TEST_F(Cache, DamagedHeadersAreWrittenAgain) {
  const auto header = find_toolchain(cache()).stdlib / "assay/metal.h";
  const auto whole = content_of(header);
  fs::resize_file(header, 10);
  find_toolchain(cache());
  EXPECT_EQ(content_of(header), whole);
}

TEST_F(Cache, PreludeIsPrecompiledOnceForEachSetOfFlags) {
  const auto tools = find_toolchain(cache());
  for (const auto flavour : {Flavour::fast, Flavour::checked}) {
    const auto before = precompiled().size();
    compile(source_, flavour, tools);
    EXPECT_EQ(precompiled().size(), before + 1);
    for (const auto& object : objects()) fs::remove(object);
    compile(source_, flavour, tools);
    EXPECT_EQ(precompiled().size(), before + 1);
  }
}

TEST_F(Cache, DamagedPreludesAreCompiledAgain) {
  const auto tools = find_toolchain(cache());
  compile(source_, Flavour::fast, tools);
  const auto path = precompiled().at(0);
  fs::resize_file(path, fs::file_size(path) / 2);
  fs::remove(objects().at(0));
  EXPECT_FALSE(find_cached(cache(), path.filename()));
  EXPECT_NE(compile(source_, Flavour::fast, tools)->entry(), nullptr);
  EXPECT_TRUE(find_cached(cache(), path.filename()));
}

TEST_F(Cache, ProcessesThatCompileOneKernelAtOnceAllSucceed) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      int status = 1;
      try {
        status = compile(source_, Flavour::fast, find_toolchain(cache()))->entry() == nullptr;
      } catch (const std::exception& error) {
        fprintf(stderr, "%s\n", error.what());
      }
      _exit(status);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(objects().size(), 1u);
}

TEST_F(Cache, WhereOthersCouldPutFilesIsRefused) {
  const fs::path above = directory_.path() / "above", own = above / "cache",
                 link = directory_.path() / "link";
  fs::create_directories(own);
  const auto refused = [&](const fs::path& place, const std::string& why) {
    try {
      find_toolchain(place);
      ADD_FAILURE() << place;
    } catch (const ToolchainError& error) {
      EXPECT_THAT(error.what(),
                  testing::AllOf(testing::HasSubstr(why), testing::HasSubstr("set ASSAY_CACHE_DIR"),
                                 testing::Not(testing::HasSubstr("\n"))));
    }
  };
  EXPECT_NO_THROW(find_toolchain(own));
  for (const fs::path& folder : {above, own}) {
    for (const fs::perms writers : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(folder, writers, fs::perm_options::add);
      refused(own, "may write to " + folder.string());
      fs::permissions(folder, writers, fs::perm_options::remove);
    }
  }
  // As /tmp: nobody exchanges what is this user's in there.
  fs::permissions(above, fs::perms::all | fs::perms::sticky_bit);
  EXPECT_NO_THROW(find_toolchain(own));
  fs::permissions(own, fs::perms::all | fs::perms::sticky_bit);
  refused(own, "may write to " + own.string());
  fs::permissions(own, fs::perms::owner_all);
  fs::create_directory_symlink(own, link);
  refused(link, "is a link");
  if (geteuid() != 0) return;
  constexpr uid_t kSomebody = 12345;
  for (const fs::path& folder : {above, own}) {
    ASSERT_EQ(chown(folder.c_str(), kSomebody, 0), 0);
    refused(own, folder.string() + " belongs to another user");
    ASSERT_EQ(chown(folder.c_str(), 0, 0), 0);
  }
  EXPECT_NO_THROW(find_toolchain(own));
}

TEST_F(Cache, ThatItMakesIsForItsUserAlone) {
  const mode_t before = umask(0);
  find_toolchain(cache());
  umask(before);
  EXPECT_EQ(fs::status(cache()).permissions(), fs::perms::owner_all);
}

// Whoever could put these there would choose what is loaded.
TEST_F(Cache, PipesAndLinksInItAreNotRead) {
  const auto tools = find_toolchain(cache());
  compile(source_, Flavour::fast, tools);
  const auto path = objects().at(0), elsewhere = directory_.path() / "elsewhere.so";
  fs::copy(path, elsewhere);
  const std::vector<std::function<void()>> makes = {
      [&] { fs::create_symlink(elsewhere, path); }, [&] { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); },
      [&] {
        fs::copy(elsewhere, path);
        fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
      }};
  for (const auto& make : makes) {
    fs::remove(path);
    make();
    EXPECT_FALSE(find_cached(cache(), path.filename()));
    EXPECT_NE(compile(source_, Flavour::fast, tools)->entry(), nullptr);
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path)));
    EXPECT_TRUE(find_cached(cache(), path.filename()));
  }
}

TEST_F(Cache, WhatWasReadIsWhatIsLoaded) {
  const auto tools = find_toolchain(cache());
  compile(source_, Flavour::fast, tools);
  const auto path = objects().at(0);
  const auto seen = find_cached(cache(), path.filename());
  ASSERT_TRUE(seen);
  std::ofstream(path, std::ios::trunc) << "something else";
  // Descriptors' numbers come back: no object that was loaded before is taken for the next one.
  std::vector<std::unique_ptr<LoadedObject>> loaded;
  std::set<void*> handles;
  for (int i = 0; i < 40; ++i) {
    loaded.push_back(std::make_unique<LoadedObject>(*seen));
    handles.insert(loaded.back()->handle());
  }
  EXPECT_EQ(handles.size(), loaded.size());
  EXPECT_NE(KernelModule(std::make_shared<LoadedObject>(*seen)).entry(), nullptr);
  EXPECT_THROW(LoadedObject("something else"), ToolchainError);
}

TEST_F(Cache, ThatCannotBeWrittenIsOneLine) {
  const auto file = directory_.write("file", "");
  std::vector<fs::path> places = {file, file / "below", "/proc/assay"};
  if (geteuid() != 0) {
    fs::create_directory(cache());
    fs::permissions(cache(), fs::perms::owner_read | fs::perms::owner_exec);
    places.push_back(cache());
  }
  for (const auto& place : places) {
    try {
      find_toolchain(place);
      ADD_FAILURE() << place;
    } catch (const ToolchainError& error) {
      EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(place.string()),
                                               testing::HasSubstr("set ASSAY_CACHE_DIR"),
                                               testing::Not(testing::HasSubstr("\n"))));
    }
  }
}

TEST_F(Cache, TakenAwayAfterwardsIsOneLine) {
  const auto tools = find_toolchain(cache());
  fs::remove_all(cache());
  EXPECT_THROW(compile(source_, Flavour::fast, tools), ToolchainError);
}

TEST_F(Cache, RelativeDirectoriesAreTakenWhereTheyAreNamed) {
  const auto before = fs::current_path();
  fs::current_path(directory_.path());
  const auto tools = find_toolchain("cache");
  fs::current_path(before);
  EXPECT_EQ(tools.cache, cache());
  EXPECT_NE(compile(source_, Flavour::fast, tools)->entry(), nullptr);
}

}  // namespace
}  // namespace assay::metal
