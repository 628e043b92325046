#include "harness/verify/packing.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "harness/verify/binding.hpp"

namespace assay::packing_tests {
namespace {

KernelEntry entry_of(const std::string& buffer, const std::string& more = "") {
  return parse_manifest(
             "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\noperation = \"rans\"\n"
             "threads_per_threadgroup = 32\ngrid = [1, 1, 1]\narguments = [\"y\",\n  { buffer = " +
                 buffer + more + " },\n]\n",
             "kernels.toml")
      .at(0);
}

/// freq ushort [2, 3], bytes uchar [2], scale float [1], data uchar [5] -> y float [2].
Problem problem() {
  Problem made{"rans",
               {{"M", 2}, {"N", 9}},
               {make_tensor("freq", DType::u16, {2, 3}), make_tensor("bytes", DType::u8, {2}),
                make_tensor("scale", DType::f32, {1}), make_tensor("data", DType::u8, {5})},
               {{"y", DType::f32, {2}}}};
  for (Tensor& tensor : made.inputs) {
    if (tensor.dtype == DType::u16) {
      const auto all = tensor.as<std::uint16_t>();
      std::iota(all.begin(), all.end(), std::uint16_t{1});
    }
    if (tensor.dtype == DType::u8) {
      const auto all = tensor.as<std::uint8_t>();
      std::iota(all.begin(), all.end(), std::uint8_t{0x41});
    }
  }
  made.inputs[2].as<float>()[0] = 0.5F;
  return made;
}

PackedBuffer packed(const std::string& buffer, const Problem& made = problem()) {
  const KernelEntry entry = entry_of(buffer);
  const auto resolved = resolve_arguments(entry, argument_names_of(made));
  return pack_buffer(entry, std::get<PackedArgument>(resolved.at(1)), made.dims, made.inputs);
}

std::string error_of(const std::string& buffer, const Problem& made = problem()) {
  try {
    packed(buffer, made);
  } catch (const ManifestError& error) {
    return error.what();
  }
  return "no error";
}

template <class T>
T at(const PackedBuffer& buffer, std::size_t offset) {
  T value;
  std::memcpy(&value, buffer.bytes.data() + offset, sizeof value);
  return value;
}

TEST(PackBuffer, FieldsLieWhereAStructWouldHaveThem) {
  const PackedBuffer buffer = packed(R"(["bytes", "N", "scale", "=M + 1:ushort", "freq", "data"])");
  EXPECT_EQ(at<std::uint8_t>(buffer, 1), 0x42);
  EXPECT_EQ(at<std::uint16_t>(buffer, 2), 0xA5A5) << "padding holds a pattern";
  EXPECT_EQ(at<std::uint32_t>(buffer, 4), 9U);
  EXPECT_EQ(at<float>(buffer, 8), 0.5F);
  EXPECT_EQ(at<std::uint16_t>(buffer, 12), 3);
  EXPECT_EQ(at<std::uint16_t>(buffer, 14), 1);
  EXPECT_EQ(at<std::uint16_t>(buffer, 24), 6);
  EXPECT_EQ(at<std::uint8_t>(buffer, 26), 0x41);
  EXPECT_EQ(buffer.bytes.size(), 31U);
}

TEST(PackBuffer, ARecordHasARowOfEachOfItsTensors) {
  const PackedBuffer buffer =
      packed(R"(["N", { record = ["freq", "bytes", "N"], at = 8, size = 16 }, "data"])");
  for (std::size_t row = 0; row < 2; ++row) {
    EXPECT_EQ(at<std::uint16_t>(buffer, 8 + 16 * row + 4), 3 * row + 3);
    EXPECT_EQ(at<std::uint8_t>(buffer, 8 + 16 * row + 6), 0x41 + row);
    EXPECT_EQ(at<std::uint32_t>(buffer, 8 + 16 * row + 8), 9U);
    EXPECT_EQ(at<std::uint32_t>(buffer, 8 + 16 * row + 12), 0xA5A5A5A5U);
  }
  EXPECT_EQ(at<std::uint8_t>(buffer, 40), 0x41);
}

TEST(PackBuffer, PointersLieWhereAStructWouldHaveThem) {
  const KernelEntry entry = entry_of(R"(["N", { pointer = "y" }, "=M:ushort", { pointer = "-" },
      { pointer = { buffer = [{ pointer = "data" }, { pointer = ["M", "N"], at = 16 }] }, at = 40 }, "N"])");
  const Problem made = problem();
  const auto resolved = resolve_arguments(entry, argument_names_of(made));
  const auto& argument = std::get<PackedArgument>(resolved.at(1));
  const PackedBuffer buffer = pack_buffer(entry, argument, made.dims, made.inputs);
  EXPECT_EQ(buffer.bytes.size(), 56U) << "a multiple of 8, as a struct";
  EXPECT_EQ(at<std::uint64_t>(buffer, 24), 0U) << "one that leads nowhere";
  ASSERT_EQ(buffer.pointers.size(), 2U);
  EXPECT_EQ(buffer.pointers[0].at, 8U);
  EXPECT_EQ(buffer.pointers[1].at, 40U);
  std::vector<std::string> tensors;
  for (const PackedField* pointer : pointers_in(argument)) tensors.push_back(tensor_behind(*pointer));
  EXPECT_EQ(tensors, (std::vector<std::string>{"y", "", "data", ""}));
  const PointerLayout layout = pointer_layout(entry, argument);
  EXPECT_EQ(layout.pointers.size(), 3U);
  EXPECT_EQ(layout.end, 52U);
}

TEST(PackBuffer, SumsRunAlongTheLastAxis) {
  const PackedBuffer buffer = packed(R"([{ record = ['sums(freq):uint'] }])");
  const std::vector<std::uint32_t> expected = {0, 1, 3, 6, 0, 4, 9, 15};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(at<std::uint32_t>(buffer, 4 * i), expected[i]);
  EXPECT_EQ(packed(R"(['sums(freq)'])").bytes.size(), 16U) << "of the tensor's own type";
}

TEST(PackBuffer, PlacesLeadBackToTensors) {
  const Problem made = problem();
  const PackedBuffer buffer = packed(R"(["scale", { record = ["bytes", 'sums(freq)', "freq"] }, "data"])");
  ASSERT_EQ(buffer.places.size(), 4U);
  for (const PackedPlace& place : buffer.places) {
    for (const Tensor& tensor : made.inputs) {
      if (tensor.name != place.tensor) continue;
      EXPECT_EQ(unpack(place, buffer.bytes), tensor.data) << tensor.name;
    }
  }
}

TEST(PackBuffer, WhatRepeatsIsLaidOutInFull) {
  Problem made = problem();
  Tensor& data = made.inputs[3];
  data.shape = {12};
  data.repeated = true;
  const PackedBuffer buffer = packed(R"(["data"])", made);
  EXPECT_EQ(buffer.bytes.size(), 12U);
  EXPECT_EQ(at<std::uint8_t>(buffer, 11), 0x42);
}

TEST(PackBuffer, WhatItCannotMeanIsAnErrorAtItsField) {
  const auto expect = [](const std::string& buffer, const std::string& where, const std::string& what) {
    const std::string error = error_of(buffer);
    EXPECT_EQ(error.find("kernels.toml:"), 0U) << error;
    EXPECT_NE(error.find(where + ": "), std::string::npos) << error;
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  expect(R"(["N", { field = "bytes", at = 2 }])", "arguments[1].buffer[1]", "ends at 4");
  expect(R"(["bytes", { field = "scale", at = 6 }])", "arguments[1].buffer[1]", "multiples of 4");
  expect(R"([{ record = ["freq", "N"], size = 8 }])", "arguments[1].buffer[0]", "take 12 bytes");
  expect(R"([{ record = ["freq", "N"], size = 14 }])", "arguments[1].buffer[0]", "multiples of 4");
  expect(R"([{ record = ["freq", "data"] }])", "arguments[1].buffer[0].record[1]", "has 5 rows");
  expect(R"([{ record = ["N"] }])", "arguments[1].buffer[0]", "no tensor");
  expect(R"([{ record = [{ record = ["freq"] }] }])", "arguments[1].buffer[0].record[0].record", "another");
  expect(R"(["y"])", "arguments[1].buffer[0]", "is an output");
  expect(R"(["frequencies"])", "arguments[1].buffer[0]", "is no scalar");
  expect(R"(["freq:uint"])", "arguments[1].buffer[0]", "leave out the scalar type");
  expect(R"(['sums(N)'])", "arguments[1].buffer[0]", "is no tensor");
  expect(R"(['sums(scale)'])", "arguments[1].buffer[0]", "sums are of");
  expect(R"(['sums(data):uchar'])", "arguments[1].buffer[0]", "does not fit");
  expect(R"(['sums(freq):float'])", "arguments[1].buffer[0]", "whole numbers");
  expect(R"([])", "arguments[1].buffer", "has 0 fields");
  expect(R"([{ at = 4 }])", "arguments[1].buffer[0].field", "");
  expect(R"([{ field = "N", size = 4 }])", "arguments[1].buffer[0].size", "");
}

TEST(PackBuffer, MoreThanFitsIsAnError) {
  Problem made = problem();
  made.inputs[3].shape = {std::size_t{1} << 29};
  made.inputs[3].repeated = true;
  EXPECT_NE(error_of(R"(["data"])", made).find("bound the sizes by `requires`"), std::string::npos);
}

}  // namespace
}  // namespace assay::packing_tests
