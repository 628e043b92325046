// Sets that are made and checked: what differs is told from what cannot be read, and damage of any kind is
// one line that names file and field.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "golden/content_hash.hpp"
#include "golden/golden_case.hpp"
#include "tests/error_of.hpp"
#include "tests/golden/folder.hpp"

namespace assay::golden {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(GoldenSet, ASmallerOneOverALargerOneIsWholeAndSaysWhatWent) {
  const Folder folder;
  make_drawn("dequantize_fp4", 3, 6, folder.path());
  make_drawn("dequantize_fp4", 4, 6, folder.path());
  write_bytes(folder.path() / "dequantize_fp4-3-0005.safetensors.assay-part", "of a run that was killed");
  write_bytes(folder.path() / "dequantize_fp4-3-notes.txt", "somebody's");
  const auto made = make_drawn("dequantize_fp4", 3, 2, folder.path());
  EXPECT_THAT(made.written, SizeIs(2));
  EXPECT_THAT(made.removed, SizeIs(4));  // the part of a file goes without a word
  expect_clean(folder.path());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2 + 6 + 1 + 2);  // and two indices
}

TEST(GoldenSet, ALargerOneOverASmallerOneIsWhole) {
  const Folder folder;
  make_drawn("dequantize_fp4", 3, 2, folder.path());
  EXPECT_THAT(make_drawn("dequantize_fp4", 3, 5, folder.path()).removed, IsEmpty());
  expect_clean(folder.path());
}

// A file that was there was called missing, since it was counted for another set.
TEST(GoldenSet, FilesOfTwoSizesAreSaidToBe) {
  const Folder folder, other;
  make_drawn("dequantize_fp4", 3, 3, folder.path());
  make_drawn("dequantize_fp4", 3, 4, other.path());
  fs::copy(other.path() / "dequantize_fp4-3-0003.safetensors", folder.path());
  EXPECT_THAT(check_all(folder.path()).differing,
              ElementsAre(AllOf(HasSubstr("dequantize_fp4-3-0000.safetensors says 3"),
                                HasSubstr("dequantize_fp4-3-0003.safetensors says 4"))));
}

TEST(GoldenSet, AFileThatIsMissingIsADifference) {
  const Folder folder;
  fs::remove(make_drawn("dequantize_fp4", 3, 3, folder.path()).written[1]);
  const auto checked = check_all(folder.path());
  EXPECT_THAT(checked.differing, ElementsAre(HasSubstr("dequantize_fp4-3-0001.safetensors: missing")));
  EXPECT_THAT(checked.unreadable, IsEmpty());
}

TEST(GoldenSet, AFolderWithoutFilesOrNoneAtAllCannotBeJudged) {
  const Folder folder;
  write_bytes(folder.path() / "file", "");
  for (const auto& path : {folder.path(), folder.path() / "absent", folder.path() / "file"}) {
    const auto checked = check_all(path);
    EXPECT_THAT(checked.unreadable, ElementsAre(HasSubstr(path.string())));
    EXPECT_THAT(checked.differing, IsEmpty());
  }
}

/// One file of a set, and what may be done to it.
class Damage : public testing::Test {
 protected:
  Damage() : file_(make_drawn("gemm_fp4", 3, 1, folder_.path()).written.front()), whole_(bytes_of(file_)) {
    std::uint64_t length = 0;
    for (int i = 7; i >= 0; --i)
      length = length << 8 | static_cast<unsigned char>(whole_[static_cast<std::size_t>(i)]);
    header_ = Json::parse(whole_.substr(8, length));
    data_ = whole_.substr(8 + length);
  }

  void write_header(const Json& header) const {
    std::string text = header.dump(), bytes;
    text.resize((text.size() + 7) / 8 * 8, ' ');
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(text.size() >> (8 * i) & 0xFF);
    write_bytes(file_, bytes + text + data_);
    reseal(file_);
  }

  std::vector<std::string> tensors() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : header_.items()) {
      if (name != "__metadata__") names.push_back(name);
    }
    return names;
  }

  /// The file cannot be read, which is said in one line with its name and `field`.
  void expect_unreadable(const std::string& field) const {
    const auto checked = check_all(folder_.path());
    EXPECT_THAT(checked.differing, IsEmpty());
    EXPECT_THAT(checked.unreadable, ElementsAre(AllOf(HasSubstr(file_.string()), HasSubstr(field),
                                                      testing::Not(HasSubstr("\n")))));
  }

  void expect_differing(const std::string& field) const {
    const auto checked = check_all(folder_.path());
    EXPECT_THAT(checked.differing, testing::Contains(AllOf(HasSubstr(file_.string()), HasSubstr(field))));
    EXPECT_THAT(checked.unreadable, IsEmpty());
  }

  Folder folder_;
  fs::path file_;
  std::string whole_, data_;
  Json header_;
};

TEST_F(Damage, NoneIsClean) {
  write_header(header_);
  expect_clean(folder_.path());
}

TEST_F(Damage, CutShort) {
  for (std::size_t i = 0; i < 60; ++i) {
    write_bytes(file_, whole_.substr(0, whole_.size() * i / 60));
    expect_unreadable("cut short");
  }
}

TEST_F(Damage, HeaderLength) {
  for (std::size_t i = 2; i < 8; ++i) {
    for (const char byte : {'\x40', '\x7F', '\xFF'}) {
      std::string bytes = whole_;
      bytes[i] = byte;
      write_bytes(file_, bytes);
      expect_unreadable("header length");
    }
  }
}

TEST_F(Damage, FieldsOfATensor) {
  const Json values[] = {nullptr,
                         true,
                         -1,
                         0.5,
                         "x",
                         Json::array(),
                         Json::array({-1}),
                         Json::array({1, "2"}),
                         Json::array({1, 2, 3}),
                         Json::array({18446744073709551615u, 18446744073709551615u}),
                         Json::object()};
  for (const auto& tensor : tensors()) {
    for (const char* field : {"dtype", "shape", "data_offsets"}) {
      Json without = header_;
      without[tensor].erase(field);
      write_header(without);
      expect_unreadable(field);
      for (const auto& value : values) {
        // No extent is one element, as these tensors may have: another shape of the same data.
        if (field == std::string("shape") && value == Json::array()) continue;
        Json changed = header_;
        changed[tensor][field] = value;
        write_header(changed);
        expect_unreadable(tensor);
      }
    }
  }
}

TEST_F(Damage, MetadataThatIsMissingOrNoString) {
  for (const auto& [key, value] : header_["__metadata__"].items()) {
    Json changed = header_;
    changed["__metadata__"].erase(key);
    write_header(changed);
    const bool says_what_it_is =
        std::string(" source format request index cases case content_hash ").find(" " + key + " ") !=
        std::string::npos;
    says_what_it_is ? expect_unreadable("metadata " + key) : expect_differing("metadata " + key);
    for (const auto& other : {Json(nullptr), Json(7), Json::array({"7"}), Json::object()}) {
      changed["__metadata__"][key] = other;
      write_header(changed);
      expect_unreadable(key);
    }
  }
}

TEST_F(Damage, NumbersOfTheMetadata) {
  for (const char* key : {"index", "cases"}) {
    for (const char* value :
         {"", "-1", "+3", " 3", "3 ", "03", "0x3", "1e3", "3.0", "nan", "18446744073709551616"}) {
      Json changed = header_;
      changed["__metadata__"][key] = value;
      write_header(changed);
      expect_unreadable(std::string("metadata ") + key);
    }
  }
}

TEST_F(Damage, WordsOfTheMetadata) {
  const std::pair<const char*, const char*> wrong[] = {
      {"source", "somebody"},
      {"format", "1"},
      {"request", ""},
      {"request", "operation=gemm_fp5 seed=3 cases=1"},
      {"request", "operation=gemm_fp4 seed=3 cases=0"},
      {"request", "operation=gemm_fp4 seed=3  cases=1"},
      {"request", "operation=gemm_fp4 seed=3 cases=1 shape=M"},
      {"cases", "0"},
      {"cases", "2"},
      {"index", "1"},
      {"content_hash", "x"},
      {"content_hash", "6CD24C879B344FC7CAC92EE0CF0E867E"}};
  for (const auto& [key, value] : wrong) {
    Json changed = header_;
    changed["__metadata__"][key] = value;
    write_header(changed);
    expect_unreadable("metadata");
  }
}

// `golden check` ended with 2 for data that differ.
TEST_F(Damage, DataThatDifferAreNotUnreadable) {
  for (const auto& tensor : tensors()) {
    std::string bytes = whole_;
    const auto begin = header_[tensor]["data_offsets"][0].get<std::size_t>();
    bytes[bytes.size() - data_.size() + begin] ^= 1;
    write_bytes(file_, bytes);
    expect_unreadable("content_hash");
    reseal(file_);
    expect_differing("tensor " + tensor + ": element 0");
  }
}

/// What read_case says of the file.
std::string refusal_of_case(const fs::path& file) {
  return error_of<FormatError>([&] { read_case(file); });
}

TEST_F(Damage, OfACaseIsNamed) {
  EXPECT_EQ(refusal_of_case(file_), "no error");
  for (const auto& [key, value] : header_["__metadata__"].items()) {
    if (key == "case" || key == "operation" || key == "dequantize" || key == "accumulate" ||
        key.starts_with("signed_zero.")) {
      for (const char* text :
           {"", "x", "gemm_u4", "TRUE", "operation=gemm_u4 K=8 M=1 N=1 group_size=8 regime=exact seed=1"}) {
        Json changed = header_;
        changed["__metadata__"][key] = text;
        write_header(changed);
        EXPECT_THAT(refusal_of_case(file_), testing::StartsWith(file_.string() + ": ")) << key << "=" << text;
      }
    }
  }
  for (const auto& tensor : tensors()) {
    if (tensor.ends_with(".value")) continue;  // not needed
    Json changed = header_;
    changed["other." + tensor] = changed[tensor];
    changed.erase(tensor);
    write_header(changed);
    EXPECT_THAT(refusal_of_case(file_), AllOf(HasSubstr(file_.string()), HasSubstr("missing"))) << tensor;
  }
}

TEST_F(Damage, RightValuesFromAboveToBelow) {
  Dataset dataset = read_safetensors(file_);
  const Tensor right = *dataset.find("expected.C");
  if (dataset.find("expected.C.low") == nullptr) {
    for (const char* suffix : {".low", ".high", ".half_width"}) {
      Tensor& added = dataset.tensors.emplace_back(right);
      added.name += suffix;
      if (suffix == std::string(".half_width"))
        added = assay::make_tensor(added.name, DType::f32, added.shape);
    }
  }
  const auto set_low = [&](std::uint16_t bits) {
    for (auto& tensor : dataset.tensors) {
      if (tensor.name == "expected.C.low") tensor.as<std::uint16_t>()[0] = bits;
    }
    write_safetensors(file_, dataset);
    return refusal_of_case(file_);
  };
  for (const std::uint16_t bits : {0x7C00, 0x7E00}) {  // infinity, NaN
    EXPECT_THAT(set_low(bits), AllOf(HasSubstr("expected.C.low"), HasSubstr("element 0")));
  }
}

}  // namespace
}  // namespace assay::golden
