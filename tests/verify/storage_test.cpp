// Tensors that a kernel keeps otherwise: what is uploaded, what comes back, what is said of one that cannot.
#include "harness/verify/storage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "harness/verify/binding.hpp"
#include "tests/device/memory_device.hpp"

namespace assay {
namespace {

Tensor counting(const std::string& name, std::vector<std::size_t> shape) {
  Tensor tensor = make_tensor(name, DType::u16, std::move(shape));
  const auto values = tensor.as<std::uint16_t>();
  std::iota(values.begin(), values.end(), std::uint16_t{0});
  return tensor;
}

std::vector<std::uint16_t> stored(const Tensor& tensor) {
  std::vector<std::byte> bytes(tensor.data.size());
  exchanged_axes()->store(tensor.shape, tensor.data, bytes);
  std::vector<std::uint16_t> values(bytes.size() / 2);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(ExchangedAxes, LieColumnByColumn) {
  EXPECT_EQ(stored(counting("t", {2, 3})), (std::vector<std::uint16_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(stored(counting("t", {2, 2, 3})),
            (std::vector<std::uint16_t>{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}));
}

TEST(ExchangedAxes, ComeBackAsTheyWere) {
  const Tensor tensor = counting("t", {3, 5, 7});
  std::vector<std::byte> kept(tensor.data.size()), back(tensor.data.size());
  exchanged_axes()->store(tensor.shape, tensor.data, kept);
  exchanged_axes()->load(tensor.shape, kept, back);
  EXPECT_EQ(back, tensor.data);
  const ElementOrder& order = *exchanged_axes()->order();
  for (std::size_t i = 0; i < tensor.element_count(); ++i)
    EXPECT_EQ(order.element_at(tensor.shape, order.place(tensor.shape, i)), i);
}

TEST(ExchangedAxes, NeedTwo) {
  const Tensor vector = counting("t", {4});
  std::vector<std::byte> bytes(vector.data.size());
  EXPECT_THROW(exchanged_axes()->store(vector.shape, vector.data, bytes), std::invalid_argument);
}

// A pattern stands in the order in which the kernel keeps the elements.
TEST(RepeatedTensor, IsReadInItsOrder) {
  Tensor pattern = counting("t", {5});
  pattern.shape = {4, 3};
  pattern.repeated = true;
  pattern.order = exchanged_axes()->order();
  std::vector<std::uint16_t> all(12);
  pattern.copy(0, std::as_writable_bytes(std::span(all)));
  EXPECT_EQ(all, (std::vector<std::uint16_t>{0, 4, 3, 1, 0, 4, 2, 1, 0, 3, 2, 1}));
}

class KeptOtherwise : public ::testing::Test {
 protected:
  KernelEntry entry_ = parse_manifest(
                           "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\noperation = \"copy\"\n"
                           "arguments = [\"from\", \"to\"]\nthreads_per_threadgroup = 1\ngrid = [1, 1, 1]\n"
                           "semantics = { from = \"N x M\", to = \"N x M\" }\n",
                           "kernels.toml")
                           .front();
  Problem problem_ = {.operation = "copy",
                      .dims = {},
                      .inputs = {counting("from", {2, 3})},
                      .outputs = {{"to", DType::u16, {2, 3}}}};
  device::MemoryDevice device_;
};

TEST_F(KeptOtherwise, UploadsAndDownloadsWhatIsKeptOtherwise) {
  entry_.storages = Storages{{"from", exchanged_axes()}, {"to", exchanged_axes()}};
  device_.add("k", [](device::MemoryLaunch& launch) {
    EXPECT_EQ(launch.pointer<std::uint16_t>(0)[1], 3);
    std::memcpy(launch.pointer(1), launch.pointer(0), 12);
  });
  const Binding binding(device_, device_.load(entry_.kernel_source()), entry_, problem_);
  device_.dispatch(binding.dispatch());
  EXPECT_EQ(binding.download_outputs().at(0).data, problem_.inputs[0].data);
  EXPECT_TRUE(binding.changed_inputs().empty());
}

TEST_F(KeptOtherwise, SeesAnInputChangedThatIsKeptOtherwise) {
  entry_.storages = Storages{{"from", exchanged_axes()}};
  device_.add("k", [](device::MemoryLaunch& launch) { launch.pointer<std::uint16_t>(0)[1] = 9; });
  const Binding binding(device_, device_.load(entry_.kernel_source()), entry_, problem_);
  device_.dispatch(binding.dispatch());
  EXPECT_EQ(binding.changed_inputs(), std::vector<std::string>{"from"});
}

TEST_F(KeptOtherwise, WordsThatNobodyHasSettledAreNoBinding) {
  device_.add("k", [](device::MemoryLaunch&) {});
  EXPECT_THROW(Binding(device_, device_.load(entry_.kernel_source()), entry_, problem_), std::logic_error);
}

}  // namespace
}  // namespace assay
