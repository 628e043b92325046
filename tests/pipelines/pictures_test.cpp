// `docs/pictures/draw.py --check`, as ctest runs it on docs/pictures: which pictures it refuses, and in what
// words.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/metal/compile/process.hpp"
#include "harness/profile/figure_values.hpp"
#include "tests/docs/citations.hpp"

namespace assay::tests {
namespace {

const std::filesystem::path kPictures = std::filesystem::path(ASSAY_SOURCE_DIR) / "docs/pictures";

class Pictures : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("assay_pictures_" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::copy(kPictures, folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void replace(const std::string& file, const std::string& old, const std::string& with) const {
    std::string text = read_text(folder_ / file);
    const auto at = text.find(old);
    ASSERT_NE(at, std::string::npos) << file << " has no " << old;
    std::ofstream(folder_ / file, std::ios::binary) << text.replace(at, old.size(), with);
  }

  /// What the copy of the script says of the copies of the pictures; "" where it finds nothing wrong.
  std::string said() const {
    const auto result = metal::run_process({ASSAY_PYTHON, (folder_ / "draw.py").string(), "--check"});
    EXPECT_EQ(result.exit_code, result.out.empty() ? 0 : 1) << result.err;
    return result.out;
  }

  std::filesystem::path folder_;
};

TEST_F(Pictures, AreThoseOfTheFigures) { EXPECT_EQ(said(), ""); }

TEST_F(Pictures, OfOtherFigures) {
  replace("pipelines.json", "\"measured\":8192", "\"measured\":8193");
  EXPECT_EQ(
      said(),
      "memory.svg shows other figures; room.svg shows other figures; intensity.svg shows other figures; "
      "k_tile.svg shows other figures; registers.svg shows other figures: draw anew with "
      "docs/pictures/draw.py\n");
}

TEST_F(Pictures, EditedOrMissing) {
  replace("memory.svg", ">8,192<", ">8,193<");
  std::filesystem::remove(folder_ / "room.svg");
  replace("k_tile.svg", "<!-- drawn from ", "<!-- from ");
  EXPECT_EQ(
      said(),
      "memory.svg was edited by hand; room.svg is missing; k_tile.svg was edited by hand: draw anew with "
      "docs/pictures/draw.py\n");
}

TEST_F(Pictures, OfAnotherScript) {
  replace("draw.py", "#a9c4de", "#a9c4df");
  EXPECT_EQ(said().substr(0, 38), "memory.svg was drawn by another script");
}

// Text stays text, so that a picture can be searched: here the bytes of each kernel.
TEST_F(Pictures, HaveTheirNumbersAsText) {
  const auto data = nlohmann::json::parse(read_text(folder_ / "pipelines.json"));
  const std::string memory = read_text(folder_ / "memory.svg");
  for (const auto& figure : data.at("figures")) {
    if (figure.at("figure") != "bytes") continue;
    const std::string number = profile::grouped(figure.at("measured").get<double>());
    EXPECT_NE(memory.find(">" + number + "<"), std::string::npos) << number;
  }
}

}  // namespace
}  // namespace assay::tests
