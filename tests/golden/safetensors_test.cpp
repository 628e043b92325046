#include "golden/safetensors.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>

#include "golden/safetensors_header.hpp"
#include "tests/golden/folder.hpp"

namespace assay::golden {
namespace {

struct TemporaryFolder : Folder {
  std::filesystem::path file(const std::string& name = "case.safetensors") const { return path() / name; }
};

/// A file with this header text and this many bytes of data.
std::string file_bytes(const std::string& header, std::size_t data_bytes) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(header.size() >> (8 * i) & 0xFF));
  return bytes + header + std::string(data_bytes, 'x');
}

/// Reads a file of these bytes that must be refused; checks that the text is one line that names the file.
std::string refusal(const std::string& bytes) {
  const TemporaryFolder folder;
  write_bytes(folder.file(), bytes);
  try {
    read_safetensors(folder.file());
  } catch (const FormatError& error) {
    std::string what = error.what();
    EXPECT_NE(what.find("case.safetensors"), std::string::npos) << what;
    EXPECT_TRUE(std::all_of(what.begin(), what.end(), [](char c) { return c >= ' ' && c <= '~'; })) << what;
    return what;
  }
  return "accepted";
}

Dataset by_name(Dataset dataset) {
  std::sort(dataset.tensors.begin(), dataset.tensors.end(),
            [](const Tensor& a, const Tensor& b) { return a.name < b.name; });
  return dataset;
}

bool same(const Dataset& left, const Dataset& right) {
  const Dataset a = by_name(left), b = by_name(right);
  return a.metadata == b.metadata && std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(),
                                                b.tensors.end(), [](const Tensor& x, const Tensor& y) {
                                                  return x.name == y.name && x.dtype == y.dtype &&
                                                         x.shape == y.shape && x.data == y.data;
                                                });
}

rc::Gen<std::string> text() {
  // Quotes, control characters, a character of two bytes: whatever JSON has to escape.
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                          "a", "b", "K", "0", ".", " ", "\"", "\\", "\n", std::string(1, '\0'), "\xC3\xA9")),
                      [](const std::vector<std::string>& parts) {
                        std::string joined;
                        for (const std::string& part : parts) joined += part;
                        return joined;
                      });
}

Tensor any_tensor(const std::string& name) {
  const auto dtype =
      *rc::gen::element(DType::u8, DType::u16, DType::u32, DType::i32, DType::f16, DType::f32, DType::f64);
  const auto rank = *rc::gen::inRange<std::size_t>(0, 4);
  const auto shape = *rc::gen::container<std::vector<std::size_t>>(rank, rc::gen::inRange<std::size_t>(0, 5));
  Tensor tensor = make_tensor(name, dtype, shape);
  for (std::byte& byte : tensor.data) byte = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  return tensor;
}

Dataset any_dataset() {
  Dataset dataset;
  dataset.metadata = *rc::gen::container<std::map<std::string, std::string>>(text(), text());
  for (const std::string& name : *rc::gen::unique<std::vector<std::string>>(text())) {
    dataset.tensors.push_back(any_tensor(name));
  }
  return dataset;
}

RC_GTEST_PROP(SafetensorsProperty, WhatIsWrittenIsReadBack, ()) {
  const TemporaryFolder folder;
  const Dataset dataset = any_dataset();
  write_safetensors(folder.file(), dataset);
  RC_ASSERT(same(read_safetensors(folder.file()), dataset));
}

RC_GTEST_PROP(SafetensorsProperty, OrderOfTensorsDoesNotChangeTheBytes, ()) {
  const TemporaryFolder folder;
  Dataset dataset = any_dataset();
  write_safetensors(folder.file("a"), dataset);
  std::reverse(dataset.tensors.begin(), dataset.tensors.end());
  write_safetensors(folder.file("b"), dataset);
  RC_ASSERT(bytes_of(folder.file("a")) == bytes_of(folder.file("b")));
}

Dataset small_dataset() {
  Dataset dataset{{{"seed", "7"}},
                  {make_tensor("bytes", DType::u8, {3}), make_tensor("C", DType::f64, {2, 1})}};
  dataset.tensors[0].as<std::uint8_t>()[1] = 0xAB;
  dataset.tensors[1].as<double>()[0] = 1.5;
  return dataset;
}

TEST(Safetensors, BytesAreThoseOfTheLayout) {
  const TemporaryFolder folder;
  write_safetensors(folder.file(), small_dataset());
  std::string header =
      R"({"__metadata__":{"seed":"7"},"C":{"dtype":"F64","shape":[2,1],"data_offsets":[0,16]},)"
      R"("bytes":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string data(19, '\0');
  const double first = 1.5;
  std::memcpy(data.data(), &first, sizeof first);
  data[17] = static_cast<char>(0xAB);
  EXPECT_EQ(bytes_of(folder.file()), file_bytes(header, 0) + data);
}

TEST(Safetensors, CutShortAtAnyByteIsRefused) {
  const TemporaryFolder folder;
  write_safetensors(folder.file(), small_dataset());
  const std::string whole = bytes_of(folder.file());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(refusal(whole.substr(0, length)).find("cut short"), std::string::npos) << "at byte " << length;
  }
}

// One changed byte of the header may give another valid file, but never a crash or anything but FormatError.
TEST(Safetensors, AnyOneByteOfTheHeaderChangedIsReadOrRefused) {
  const TemporaryFolder folder;
  write_safetensors(folder.file(), small_dataset());
  const std::string whole = bytes_of(folder.file());
  int refused = 0;
  for (std::size_t i = 0; i < whole.size() - 19; ++i) {
    for (const char byte : {'\0', '9', '"', '}', '[', '-', '\xFF'}) {
      std::string changed = whole;
      changed[i] = byte;
      write_bytes(folder.file(), changed);
      try {
        read_safetensors(folder.file());
      } catch (const FormatError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

// A header was looked through again for each of its tensors: 28 seconds for 40,000.
TEST(SafetensorsHeader, CostsTimeThatGrowsWithItsLength) {
  const auto seconds_of = [](std::size_t tensors) {
    std::string header = "{";
    for (std::size_t i = 0; i < tensors; ++i) {
      const std::string at = std::to_string(i), end = std::to_string(i + 1);
      header += (i == 0 ? "\"" : ",\"") + at + R"(":{"dtype":"U8","shape":[1],"data_offsets":[)" + at + "," +
                end + "]}";
    }
    const Folder folder;
    const std::string file = folder.path() / "many.safetensors";
    write_bytes(file, file_bytes(header + "}", tensors));
    const std::clock_t begin = std::clock();
    EXPECT_EQ(read_header(InputFile(file)).entries.size(), tensors);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  EXPECT_LT(seconds_of(40'000), 40 * (seconds_of(4'000) + 0.01));
}

struct Hostile {
  std::string header;
  std::size_t data_bytes;
  std::string expected;  ///< what the message must hold
};
void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.expected; }

class SafetensorsHostile : public testing::TestWithParam<Hostile> {};

TEST_P(SafetensorsHostile, HeaderIsRefusedWithItsReason) {
  const std::string what = refusal(file_bytes(GetParam().header, GetParam().data_bytes));
  EXPECT_NE(what.find(GetParam().expected), std::string::npos) << what;
}

std::string tensor_w(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"W":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

INSTANTIATE_TEST_SUITE_P(
    Headers, SafetensorsHostile,
    testing::Values(
        Hostile{"", 0, "not JSON"}, Hostile{"{\"W\":", 4, "not JSON"}, Hostile{"{} {}", 0, "not JSON"},
        Hostile{"{\"\xFF\":1}", 0, "not JSON"}, Hostile{"{\"W\":1e999}", 0, "header"},
        Hostile{"[]", 0, "must be a JSON object"}, Hostile{std::string(100000, '['), 0, "not JSON"},
        Hostile{R"({"W":[]})", 0, "tensor \"W\": must be an object"},
        Hostile{R"({"__metadata__":[]})", 0, "__metadata__: must be an object"},
        Hostile{R"({"__metadata__":{"seed":7}})", 0, "__metadata__: \"seed\" must be a string"},
        Hostile{R"({"W":{"shape":[1],"data_offsets":[0,1]}})", 1, "tensor \"W\": dtype: is missing"},
        Hostile{R"({"W":{"dtype":"U8","data_offsets":[0,1]}})", 1, "tensor \"W\": shape: is missing"},
        Hostile{R"({"W":{"dtype":"U8","shape":[1]}})", 1, "tensor \"W\": data_offsets: is missing"},
        Hostile{R"({"W":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"stride":1}})", 1,
                "\"stride\": unknown"},
        Hostile{R"({"W":{"dtype":"U8","dtype":"F64","shape":[1],"data_offsets":[0,1]}})", 1,
                "\"dtype\" stands twice"},
        Hostile{R"({"W":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"W":1})", 1, "\"W\" stands twice"},
        Hostile{tensor_w("\"F8\"", "[1]", "[0,1]"), 1, "tensor \"W\": dtype: \"F8\" is not one of U8"},
        Hostile{tensor_w("7", "[1]", "[0,1]"), 1, "tensor \"W\": dtype: must be a string"},
        Hostile{tensor_w("\"U8\"", "1", "[0,1]"), 1, "tensor \"W\": shape: must be an array"},
        Hostile{tensor_w("\"U8\"", "[-1]", "[0,1]"), 1, "tensor \"W\": shape: must hold integers"},
        Hostile{tensor_w("\"U8\"", "[1.0]", "[0,1]"), 1, "tensor \"W\": shape: must hold integers"},
        Hostile{tensor_w("\"U8\"", "[18446744073709551616]", "[0,1]"), 1,
                "tensor \"W\": shape: must hold integers"},
        Hostile{tensor_w("\"U8\"", "[4294967296,4294967296]", "[0,0]"), 0,
                "tensor \"W\": shape: its product"},
        Hostile{tensor_w("\"F64\"", "[2305843009213693952]", "[0,0]"), 0, "tensor \"W\": shape: its product"},
        Hostile{tensor_w("\"U8\"", "[1]", "[0]"), 1, "tensor \"W\": data_offsets: must be [begin, end]"},
        Hostile{tensor_w("\"U8\"", "[1]", "[0,\"1\"]"), 1, "tensor \"W\": data_offsets: must hold integers"},
        Hostile{tensor_w("\"U8\"", "[1]", "[1,0]"), 1, "tensor \"W\": data_offsets: [1, 0] ends before"},
        Hostile{tensor_w("\"U8\"", "[2]", "[0,2]"), 1, "tensor \"W\": data_offsets: [0, 2] reaches past"},
        Hostile{tensor_w("\"U8\"", "[1]", "[18446744073709551615,18446744073709551615]"), 1, "reaches past"},
        Hostile{tensor_w("\"U16\"", "[2]", "[0,2]"), 2, "tensor \"W\": data_offsets: [0, 2] is not the size"},
        Hostile{tensor_w("\"U8\"", "[1]", "[1,2]"), 2, "leaves 1 bytes before it"},
        Hostile{tensor_w("\"U8\"", "[1]", "[0,1]"), 2, "has 1 bytes at the end"},
        Hostile{R"({"V":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                R"("W":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
                4, "tensor \"W\": data_offsets: overlaps tensor \"V\""},
        Hostile{R"({"line\nbreak":{"dtype":"U8","shape":[],"data_offsets":[0,0]}})", 0, "line\\nbreak"}));

TEST(Safetensors, HeaderLengthPastTheFileIsRefusedWithoutAllocation) {
  std::string bytes = file_bytes("{}", 0);
  bytes[7] = '\x7F';  // 2^62 bytes and more
  EXPECT_NE(refusal(bytes).find("header length"), std::string::npos);
}

TEST(Safetensors, MissingFileAndFolderAreNamed) {
  const TemporaryFolder folder;
  for (const auto& path : {folder.file("absent"), folder.file().parent_path()}) {
    try {
      read_safetensors(path);
      ADD_FAILURE() << path << " was read";
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
    }
  }
}

TEST(Safetensors, HeaderMayListTensorsInAnyOrderAndBePaddedWithSpaces) {
  const TemporaryFolder folder;
  write_bytes(folder.file(), file_bytes(R"({"B":{"dtype":"U8","shape":[1],"data_offsets":[2,3]},)"
                                        R"("A":{"dtype":"U16","shape":[],"data_offsets":[0,2]}}   )",
                                        3));
  const Dataset dataset = read_safetensors(folder.file());
  ASSERT_EQ(dataset.tensors.size(), 2U);
  EXPECT_EQ(dataset.tensors[0].name, "A");
  EXPECT_EQ(dataset.tensors[1].name, "B");
  EXPECT_NE(dataset.find("B"), nullptr);
  EXPECT_EQ(dataset.find("C"), nullptr);
}

TEST(SafetensorsWriter, RefusesWhatTheFormatCannotHold) {
  const TemporaryFolder folder;
  const auto refused = [&](const Dataset& dataset) {
    EXPECT_THROW(write_safetensors(folder.file(), dataset), FormatError);
    EXPECT_FALSE(std::filesystem::exists(folder.file())) << "a refused dataset must leave no file";
  };
  refused({{}, {make_tensor("W", DType::u8, {1}), make_tensor("W", DType::u8, {1})}});
  refused({{}, {make_tensor("__metadata__", DType::u8, {1})}});
  refused({{{"note", "\xFF"}}, {}});
  Dataset short_data{{}, {make_tensor("W", DType::u16, {2})}};
  short_data.tensors[0].data.pop_back();
  refused(short_data);
  EXPECT_THROW(write_safetensors(folder.file() / "no" / "folder", {}), FormatError);
}

}  // namespace
}  // namespace assay::golden
