// The bytes of a set hang on its request alone: not on how many processes make it, nor on what was there
// before.
#include <gmock/gmock.h>

#include <fstream>
#include <map>

#include "golden/model/model_set.hpp"
#include "tests/golden/folder.hpp"
#include "tests/golden/made_up_model.hpp"

namespace assay::golden {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::SizeIs;

/// Every file of a folder.
std::map<std::string, std::string> files_in(const fs::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(directory))
    files[entry.path().filename().string()] = bytes_of(entry.path());
  return files;
}

/// Large enough for several blocks each, so that several processes share a file.
const SetRequest kLarge[] = {
    {.operation = "dequantize_fp4", .shapes = {"N=1000,K=2000"}},
    {.operation = "dequantize_trellis", .shapes = {"N=1000,K=2000"}, .bits = 3},
    {.operation = "gemm_fp4", .cases = 2, .shapes = {"M=33,N=1500,K=1024"}},
    {.operation = "gemm_s4", .shapes = {"M=3,N=1500,K=1024"}, .arithmetic = "half,float"},
    {.operation = "gemm_trellis", .shapes = {"M=20,N=1040,K=1500"}},
};

TEST(SameBytes, WithOneTwoAndSevenProcesses) {
  for (const SetRequest& request : kLarge) {
    const Folder one, two, seven;
    make(request, one.path(), {.jobs = 1});
    make(request, two.path(), {.jobs = 2});
    make(request, seven.path(), {.jobs = 7});
    EXPECT_TRUE(files_in(one.path()) == files_in(two.path())) << to_line(request);
    EXPECT_TRUE(files_in(one.path()) == files_in(seven.path())) << to_line(request);
    const auto checked = check(one.path(), {.jobs = 2, .all = true});
    EXPECT_THAT(checked.differing, IsEmpty());
    EXPECT_THAT(checked.unreadable, IsEmpty());
  }
}

TEST(SameBytes, OfAModelWithOneTwoAndSevenProcesses) {
  const Folder folder;
  const fs::path model = folder.path() / "model.safetensors";
  write_made_up_model(model, made_up_layers(1, 96, 200, "BF16"), 3);
  const ModelRequest request{.model = model, .shapes = {"M=5"}, .group_size = 32};
  for (const unsigned jobs : {1U, 2U, 7U}) {
    const auto made = make(request, folder.path() / std::to_string(jobs), {.jobs = jobs});
    EXPECT_THAT(made.made.written, SizeIs(7 * 5));
    EXPECT_TRUE(files_in(folder.path() / std::to_string(jobs)) == files_in(folder.path() / "1"));
  }
  expect_clean(folder.path() / "7");
}

TEST(SameBytes, ASetOfShardsIsOneSetAndHasItsIndexAtLast) {
  const SetRequest request{.operation = "gemm_u4", .seed = 9, .cases = 11};
  const Folder whole, shards;
  make(request, whole.path());
  EXPECT_THAT(make(request, shards.path(), {.shard = {2, 3}}).index.string(), IsEmpty());
  EXPECT_THAT(make(request, shards.path(), {.shard = {3, 3}}).index.string(), IsEmpty());
  EXPECT_FALSE(make(request, shards.path(), {.shard = {1, 3}}).index.empty());
  EXPECT_TRUE(files_in(whole.path()) == files_in(shards.path()));
}

TEST(Resuming, KeepsWhatIsWholeAndNothingElse) {
  const SetRequest request{.operation = "gemm_fp4", .seed = 4, .cases = 6};
  const Folder folder;
  const auto made = make(request, folder.path());
  const auto whole = files_in(folder.path());
  const auto file = [&](int i) {
    return folder.path() / file_name("gemm_fp4-4", static_cast<std::uint64_t>(i));
  };
  fs::remove(file(0));                                   // missing
  fs::resize_file(file(1), fs::file_size(file(1)) - 1);  // cut short
  std::string flipped = bytes_of(file(2));
  flipped[flipped.size() / 2] ^= 4;
  write_bytes(file(2), flipped);  // damaged
  Dataset other = read_safetensors(file(3));
  other.metadata["program"] = "0.0.1";
  write_safetensors(file(3), other);  // of another program
  write_bytes(folder.path() / "gemm_fp4-4-0004.safetensors.assay-part", "of a run that was killed");
  const auto again = make(request, folder.path());
  EXPECT_THAT(again.written, testing::ElementsAre(file(0), file(1), file(2), file(3)));
  EXPECT_THAT(again.kept, testing::ElementsAre(file(4), file(5)));
  EXPECT_TRUE(files_in(folder.path()) == whole);
  EXPECT_THAT(make(request, folder.path(), {.fresh = true}).written, SizeIs(6));
  EXPECT_TRUE(files_in(folder.path()) == whole);
}

// Weights that were changed meanwhile are other weights, whatever the file is called.
TEST(Resuming, AChangedModelIsQuantizedAgain) {
  const Folder folder;
  const fs::path model = folder.path() / "model.safetensors", out = folder.path() / "out";
  const std::vector<MadeUpTensor> tensors = {{"a.weight", "F32", {16, 32}}, {"b.weight", "F32", {8, 32}}};
  const ModelRequest request{.model = model, .operations = {"gemm_fp4"}, .group_size = 16};
  write_made_up_model(model, tensors, 1);
  EXPECT_THAT(make(request, out).made.written, SizeIs(2));
  EXPECT_THAT(make(request, out).made.kept, SizeIs(2));
  std::string bytes = bytes_of(model);
  bytes.back() ^= 1;  // the last weight of b
  write_bytes(model, bytes);
  EXPECT_THAT(make(request, out).made.kept, SizeIs(1));
}

TEST(ModelSets, SayWhatTheyDoNotHave) {
  const Folder folder;
  const fs::path model = folder.path() / "model.safetensors";
  write_made_up_model(model, {{"norm", "F32", {16}}, {"w", "F32", {2, 64}}, {"v", "F32", {2, 64}}}, 1);
  std::string bytes = bytes_of(model);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bytes.data() + bytes.size() - 4, &nan, 4);  // v, row 1, column 63
  write_bytes(model, bytes);
  const auto made =
      make({.model = model, .operations = {"gemm_u4"}, .group_size = 32}, folder.path() / "out");
  EXPECT_THAT(made.made.written, SizeIs(1));
  ASSERT_THAT(made.left_out, SizeIs(1));
  EXPECT_EQ(made.left_out[0].name, "norm");
  ASSERT_THAT(made.reports, SizeIs(2));
  EXPECT_THAT(made.reports[1].refused,
              testing::AllOf(testing::HasSubstr("\"v\""), testing::HasSubstr("row 1, column 63")));
  const auto refusal = [&](const ModelRequest& request) {
    try {
      make(request, folder.path() / "none");
    } catch (const std::exception& refused) {
      return std::string(refused.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(refusal({.model = model, .tensors = {"x*"}}), testing::HasSubstr("no matrix of"));
  EXPECT_THAT(refusal({.model = model, .operations = {"gemm_fp5"}}), testing::HasSubstr("gemm_fp5"));
  EXPECT_THAT(refusal({.model = model, .shapes = {"N=4"}}), testing::StartsWith("shape: "));
  EXPECT_THAT(refusal({.model = model, .group_size = 12}), testing::StartsWith("group_size: "));
  EXPECT_THAT(refusal({.model = model, .bits = 5}), testing::StartsWith("bits: "));
  EXPECT_THAT(refusal({.model = model, .arithmetic = "quad"}), testing::StartsWith("arithmetic: "));
}

}  // namespace
}  // namespace assay::golden
