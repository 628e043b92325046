// Model files: every weight comes out exactly, and nothing that a header says is trusted.
#include "golden/model/model_file.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "golden/safetensors.hpp"
#include "golden/safetensors_header.hpp"
#include "reference/half.hpp"
#include "tests/error_of.hpp"
#include "tests/golden/made_up_model.hpp"
#include "tests/golden/model_files.hpp"

namespace assay::golden {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::uint16_t> all_patterns() {
  std::vector<std::uint16_t> bits(std::size_t{1} << 16);
  std::iota(bits.begin(), bits.end(), std::uint16_t{0});
  return bits;
}

/// The rows of the one matrix of a file, read `at_once` at a time.
std::vector<float> read_all(const ModelFile& file, std::size_t at_once) {
  const MatrixInfo& matrix = file.matrices().at(0);
  std::vector<float> values(matrix.rows * matrix.columns);
  for (std::size_t row = 0; row < matrix.rows; row += at_once) {
    const std::size_t end = std::min(matrix.rows, row + at_once);
    file.read_rows(matrix, row, end,
                   std::span(values).subspan(row * matrix.columns, (end - row) * matrix.columns));
  }
  return values;
}

bool same_float(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

TEST(ModelWeights, EveryBf16IsTheUpperHalfOfItsFloat) {
  const ModelFolder folder;
  const auto bits = all_patterns();
  write_matrix<std::uint16_t>(folder.file(), "BF16", 256, 256, bits);
  const auto values = read_all(ModelFile(folder.file()), 7);
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::uint32_t{bits[i]} << 16) << i;
}

// The value by its definition: sign, exponent and fraction put together by ldexp.
TEST(ModelWeights, EveryF16HasItsValue) {
  const ModelFolder folder;
  const auto bits = all_patterns();
  write_matrix<std::uint16_t>(folder.file(), "F16", 256, 256, bits);
  const auto values = read_all(ModelFile(folder.file()), 256);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int exponent = bits[i] >> 10 & 0x1F, fraction = bits[i] & 0x3FF;
    float value = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                  : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                  : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
    if ((bits[i] & 0x8000) != 0) value = -value;
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(values[i])) << i;
    } else {
      ASSERT_TRUE(same_float(values[i], value)) << i;
    }
  }
}

RC_GTEST_PROP(ModelWeights, F32IsReadAsItLies, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 9), columns = *rc::gen::inRange<std::size_t>(1, 9);
  const auto bits =
      *rc::gen::container<std::vector<std::uint32_t>>(rows * columns, rc::gen::arbitrary<std::uint32_t>());
  std::vector<float> given(bits.size());
  std::memcpy(given.data(), bits.data(), bits.size() * sizeof(float));
  const ModelFolder folder;
  write_matrix<float>(folder.file(), "F32", rows, columns, given);
  const auto values = read_all(ModelFile(folder.file()), *rc::gen::inRange<std::size_t>(1, 9));
  RC_ASSERT(std::memcmp(values.data(), bits.data(), bits.size() * sizeof(float)) == 0);
}

TEST(ModelFile, SaysWhatItLeavesOutAndWhy) {
  const ModelFolder folder;
  write_made_up_model(folder.file(),
                      {{"norm", "F32", {6}},
                       {"first", "BF16", {3, 5}},
                       {"positions", "I64", {2, 2}},
                       {"second", "F16", {4, 2}},
                       {"experts", "F32", {2, 2, 2}},
                       {"nothing", "F32", {0, 4}},
                       {"strange", "F6_E2M3", {2, 2}},
                       {"third", "F32", {1, 7}}},
                      1);
  const ModelFile file(folder.file());
  std::vector<std::string> names, out;
  for (const MatrixInfo& one : file.matrices())
    names.push_back(one.name + " " + std::string(name_of(one.type)) + " " + std::to_string(one.rows) + "x" +
                    std::to_string(one.columns));
  for (const LeftOut& one : file.left_out()) out.push_back(one.name + " " + one.reason);
  EXPECT_THAT(names, ElementsAre("first BF16 3x5", "second F16 4x2", "third F32 1x7"));
  EXPECT_THAT(out,
              testing::UnorderedElementsAre("norm has 1 dimensions; a matrix has 2",
                                            "positions is \"I64\"; weights are F32, F16 or BF16",
                                            "experts has 3 dimensions; a matrix has 2", "nothing is empty",
                                            "strange is \"F6_E2M3\"; weights are F32, F16 or BF16"));
  // Each matrix is found behind those before it.
  const properties::Draw draw(1, "third");
  std::vector<float> third(7);
  file.read_rows(file.matrices()[2], 0, 1, third);
  for (std::size_t i = 0; i < third.size(); ++i) EXPECT_TRUE(same_float(third[i], made_up_weight(draw, i)));
}

/// What is said of a file of this header and so many bytes of data.
std::string header_refusal(const std::string& header, std::size_t data_bytes) {
  const ModelFolder folder;
  write_model(folder.file(), header, std::string(data_bytes, 'x'));
  return error_of<FormatError>([&] { ModelFile file(folder.file()); });
}

struct HeaderDamage {
  const char* header;
  std::size_t data_bytes;
  const char* says;
};

TEST(ModelFile, RefusesDamagedHeaders) {
  const HeaderDamage damages[] = {
      {R"({"w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})", 15,
       "\"w\": data_offsets: [0, 16] reaches past"},
      {R"({"w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})", 17, "has 1 bytes at the end"},
      {R"({"w":{"dtype":"F32","shape":[2,2],"data_offsets":[1,17]}})", 17, "leaves 1 bytes before it"},
      {R"({"w":{"dtype":"F32","shape":[2,2],"data_offsets":[16,0]}})", 16, "ends before it begins"},
      {R"({"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,16]}})", 16, "need 24 bytes"},
      {R"({"w":{"dtype":"BF16","shape":[2,2],"data_offsets":[0,16]}})", 16, "need 8 bytes"},
      {R"({"w":{"dtype":"F32","shape":[4294967296,1073741824],"data_offsets":[0,0]}})", 0,
       "does not fit in 64 bits"},
      {R"({"w":{"dtype":"F32","shape":[-2,2],"data_offsets":[0,16]}})", 16, "shape: must hold integers"},
      {R"({"w":{"dtype":"F32","shape":[2.0,2],"data_offsets":[0,16]}})", 16, "shape: must hold integers"},
      {R"({"w":{"dtype":"F32","shape":4,"data_offsets":[0,16]}})", 16, "shape: must be an array of integers"},
      {R"({"w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,8,16]}})", 16, "has 3 items"},
      {R"({"w":{"dtype":7,"shape":[2,2],"data_offsets":[0,16]}})", 16, "dtype: must be a string"},
      {R"({"w":{"shape":[2,2],"data_offsets":[0,16]}})", 16, "dtype: is missing"},
      {R"({"w":{"dtype":"F32","data_offsets":[0,16]}})", 16, "shape: is missing"},
      {R"({"w":[1]})", 0, "must be an object"},
      {R"([1])", 0, "must be a JSON object"},
      {R"({"w":)", 0, "is not JSON"},
      {R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
       1, "stands twice"},
      {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
       4, "overlaps"},
      {R"({"a":{"dtype":"NEW","shape":[3],"data_offsets":[0,9]}})", 4, "reaches past the end"},
  };
  for (const HeaderDamage& one : damages) {
    EXPECT_THAT(header_refusal(one.header, one.data_bytes),
                AllOf(HasSubstr("model.safetensors"), HasSubstr(one.says), Not(HasSubstr("\n"))))
        << one.header;
  }
}

TEST(ModelFile, RefusesFilesThatAreNone) {
  const ModelFolder folder;
  const auto says = [&] { return error_of<FormatError>([&] { ModelFile file(folder.file()); }); };
  EXPECT_THAT(says(), HasSubstr("no such file"));
  std::ofstream(folder.file()) << "1234567";
  EXPECT_THAT(says(), HasSubstr("is cut short"));
  std::ofstream(folder.file()) << std::string(7, '\0') << '\x10' << "{}";  // 2^60 bytes of header
  EXPECT_THAT(says(), HasSubstr("header length is 1152921504606846976 bytes"));
  std::filesystem::remove(folder.file());
  std::filesystem::create_directory(folder.file());
  EXPECT_THAT(says(), HasSubstr("is not a regular file"));
}

TEST(ModelFile, SaysThatItHasBecomeShorter) {
  const ModelFolder folder;
  write_matrix<float>(folder.file(), "F32", 2, 2, std::vector<float>(4, 1.0F));
  const ModelFile file(folder.file());
  std::filesystem::resize_file(folder.file(), std::filesystem::file_size(folder.file()) - 1);
  std::vector<float> row(2);
  file.read_rows(file.matrices()[0], 0, 1, row);
  EXPECT_THAT(error_of<FormatError>([&] { file.read_rows(file.matrices()[0], 1, 2, row); }),
              AllOf(HasSubstr("model.safetensors"), HasSubstr("cannot be read to its end")));
  EXPECT_THAT(error_of([&] { file.read_rows(file.matrices()[0], 1, 3, row); }), HasSubstr("rows 1 to 3"));
}

// Any one byte of a header changed: it is refused, or what it says still lies within the file.
TEST(ModelFile, OneDamagedByteNeverReachesOutside) {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]},)"
      R"("b":{"dtype":"F32","shape":[1,5],"data_offsets":[12,32]}})";
  const ModelFolder folder;
  std::size_t accepted = 0, refused = 0;
  for (std::size_t at = 0; at < header.size(); ++at) {
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128}) {
      std::string damaged = header;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      try {
        write_model(folder.file(), damaged, std::string(32, 'x'));
        for (const HeaderEntry& one : read_header(InputFile(folder.file())).entries) {
          ASSERT_LE(one.begin, one.end);
          ASSERT_LE(one.end, 32U);
        }
        ++accepted;
      } catch (const FormatError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(accepted, 50U);  // names and metadata may be any
  EXPECT_GT(refused, 700U);
}

}  // namespace
}  // namespace assay::golden
