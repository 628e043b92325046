// Where kernels' text may come from.
#include "harness/device/text_folders.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace assay::device {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::Not;

class TextFolders : public testing::Test {
 protected:
  TextFolders() {
    std::string pattern = (fs::temp_directory_path() / "text_folders.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    root_ = resolved(pattern);
    for (const char* folder : {"project/kernels/deep", "project-2", "other"})
      fs::create_directories(root_ / folder);
    std::ofstream(root_ / "other/secret") << "secret";
  }
  ~TextFolders() override {
    fs::current_path("/");
    fs::remove_all(root_);
  }

  fs::path root_;
};

TEST_F(TextFolders, AFileLiesInAFolderByItsPathAndNotByItsSpelling) {
  fs::create_symlink("../other/secret", root_ / "project/link");
  for (const char* inside : {"project/k", "project/kernels/../k", "project", "project/none/yet"})
    EXPECT_TRUE(may_hold_text(root_ / "project", root_ / inside)) << inside;
  for (const char* outside : {"project-2/k", "project/../other/secret", "project/link", ""})
    EXPECT_FALSE(may_hold_text(root_ / "project", root_ / outside)) << outside;
}

TEST_F(TextFolders, TextsOfAProjectSeeItAndOthersDoNot) {
  allow_project(root_ / "project");
  EXPECT_THAT(text_folders_of(root_ / "project/kernels/k.metal"), Contains(root_ / "project"));
  EXPECT_THAT(text_folders_of(root_ / "other/k.metal"), Not(Contains(root_ / "project")));
  EXPECT_FALSE(may_hold_text(root_ / "other", root_ / "project/k"));
  allow_texts(root_ / "project");
  EXPECT_THAT(text_folders_of(root_ / "other/k.metal"), Contains(root_ / "project"));
  EXPECT_TRUE(may_hold_text(root_ / "other", root_ / "project/k"));
}

TEST_F(TextFolders, TheProjectAroundAFile) {
  const fs::path file = root_ / "project/kernels/deep/k.metal";
  fs::current_path("/");
  EXPECT_EQ(project_around(file), file.parent_path());
  fs::current_path(root_ / "project");
  EXPECT_EQ(project_around(file), root_ / "project");
  EXPECT_EQ(project_around("kernels/deep/k.metal"), root_ / "project");
  EXPECT_EQ(project_around(root_ / "other/k.metal"), root_ / "other");
  fs::create_directories(root_ / "project/kernels/.git");
  EXPECT_EQ(project_around(file), root_ / "project/kernels");
  // A home under version control is no project.
  const char* const home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  setenv("HOME", (root_ / "project/kernels").c_str(), 1);
  EXPECT_EQ(project_around(file), file.parent_path());
  home == nullptr ? unsetenv("HOME") : setenv("HOME", before.c_str(), 1);
}

}  // namespace
}  // namespace assay::device
