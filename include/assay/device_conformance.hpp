// What every device must do. A new device adds one file that says how to make it:
//
//   struct MyDeviceUnderTest {
//     Device& device();                                   // made once, lives as long as this object
//     KernelSource kernel(const std::string& function);   // conformance_kernel(function), or one of the
//     device's own
//   };
//   INSTANTIATE_TYPED_TEST_SUITE_P(MyDevice, DeviceConformance, MyDeviceUnderTest);
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "assay/device/conformance_kernels.hpp"
#include "assay/device/device.hpp"

namespace assay::device {

template <class UnderTest>
class DeviceConformance : public testing::Test {
 protected:
  Device& device() { return under_test_.device(); }
  KernelId load(const std::string& function) { return device().load(under_test_.kernel(function)); }

  static std::vector<std::byte> counting(std::size_t size_bytes, unsigned start = 1) {
    std::vector<std::byte> bytes(size_bytes);
    for (std::size_t i = 0; i < size_bytes; ++i) bytes[i] = static_cast<std::byte>(start + i);
    return bytes;
  }

  std::vector<std::byte> download(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) {
    std::vector<std::byte> bytes(size_bytes);
    device().download(buffer, offset_bytes, bytes);
    return bytes;
  }

  std::uint32_t download_uint(BufferId buffer, std::size_t offset_bytes) {
    std::uint32_t value = 0;
    device().download(buffer, offset_bytes, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

  void upload_uint(BufferId buffer, std::size_t offset_bytes, std::uint32_t value) {
    device().upload(buffer, offset_bytes, std::as_bytes(std::span(&value, 1)));
  }

  static InlineBytes scalar(std::uint32_t value) {
    InlineBytes inlined{std::vector<std::byte>(sizeof value)};
    std::memcpy(inlined.bytes.data(), &value, sizeof value);
    return inlined;
  }

  Dispatch scale_add(KernelId kernel, BufferSlice data, std::uint32_t factor, std::uint32_t addend) {
    return {kernel, {data, scalar(factor), scalar(addend)}, {}, {1, 1, 1}, false, {1, 1, 1}};
  }

 private:
  UnderTest under_test_;
};

TYPED_TEST_SUITE_P(DeviceConformance);

TYPED_TEST_P(DeviceConformance, UploadsComeBackAtTheirOffsets) {
  const BufferId buffer = this->device().allocate(300);
  const BufferId other = this->device().allocate(300);
  const auto all = this->counting(300), part = this->counting(17, 100);
  this->device().upload(buffer, 0, all);
  this->device().upload(other, 0, part);
  this->device().upload(buffer, 101, part);
  EXPECT_EQ(this->download(buffer, 101, 17), part);
  auto expected = all;
  std::copy(part.begin(), part.end(), expected.begin() + 101);
  EXPECT_EQ(this->download(buffer, 0, 300), expected);
  EXPECT_EQ(this->download(other, 0, 17), part);
  this->device().release(buffer);
  this->device().release(other);
}

TYPED_TEST_P(DeviceConformance, TransfersOutsideTheBufferAreRefused) {
  const BufferId buffer = this->device().allocate(16);
  this->device().upload(buffer, 0, this->counting(16));
  const auto bytes = this->counting(8, 200);
  const std::size_t huge = static_cast<std::size_t>(-4);
  for (const std::size_t offset : {std::size_t{9}, std::size_t{16}, std::size_t{17}, huge}) {
    EXPECT_THROW(this->device().upload(buffer, offset, bytes), DeviceError) << offset;
    EXPECT_THROW(this->download(buffer, offset, 8), DeviceError) << offset;
  }
  EXPECT_EQ(this->download(buffer, 0, 16), this->counting(16));
  this->device().release(buffer);
}

TYPED_TEST_P(DeviceConformance, RangesComeTogetherAsTheyWouldOneByOne) {
  const BufferId buffer = this->device().allocate_sparse(300);
  const auto all = this->counting(300);
  this->device().upload(buffer, 0, all);
  const std::vector<ByteRange> ranges = {{7, 20}, {290, 300}, {20, 21}, {0, 0}, {0, 300}};
  std::vector<std::byte> expected, together(13 + 10 + 1 + 300);
  for (const auto& [begin, end] : ranges) {
    const auto one = this->download(buffer, begin, end - begin);
    expected.insert(expected.end(), one.begin(), one.end());
  }
  this->device().gather(buffer, ranges, together);
  EXPECT_EQ(together, expected);
  const std::vector<ByteRange> outside = {{0, 8}, {299, 301}};
  EXPECT_THROW(this->device().gather(buffer, outside, std::span(together).first(10)), DeviceError);
  this->device().release(buffer);
}

TYPED_TEST_P(DeviceConformance, ReleasedBuffersAreRefused) {
  const KernelId kernel = this->load("scale_add");
  const BufferId buffer = this->device().allocate(16);
  this->device().release(buffer);
  EXPECT_THROW(this->device().upload(buffer, 0, this->counting(4)), DeviceError);
  EXPECT_THROW(this->download(buffer, 0, 4), DeviceError);
  EXPECT_THROW(this->device().release(buffer), DeviceError);
  EXPECT_THROW(this->device().dispatch(this->scale_add(kernel, {buffer, 0, 4}, 1, 1)), DeviceError);
}

TYPED_TEST_P(DeviceConformance, HandlesOfLiveBuffersAreDistinct) {
  const BufferId a = this->device().allocate(16), b = this->device().allocate(16);
  this->device().release(a);
  const BufferId c = this->device().allocate(16);
  EXPECT_NE(b, c);
  this->device().release(b);
  this->device().release(c);
}

TYPED_TEST_P(DeviceConformance, FreshMemoryIsPoisonWhereTheDeviceSaysSo) {
  if (!this->device().capabilities().poisons) return;  // it promises nothing of fresh memory
  for (const std::size_t size_bytes : {std::size_t{1}, std::size_t{2}, std::size_t{255}, std::size_t{5000}}) {
    const BufferId buffer = this->device().allocate(size_bytes);
    const auto bytes = this->download(buffer, 0, size_bytes);
    for (std::size_t i = 0; i < size_bytes; ++i) {
      ASSERT_EQ(static_cast<unsigned>(bytes[i]), (kPoison >> (8 * (i % 2))) & 0xFFu) << i;
    }
    // Memory that is handed out again is fresh again.
    this->device().upload(buffer, 0, this->counting(size_bytes));
    this->device().release(buffer);
  }
}

TYPED_TEST_P(DeviceConformance, ReportsHoldWhatTheDeviceSaysItCan) {
  const KernelId kernel = this->load("fill_positions");
  const BufferId buffer = this->device().allocate(4 * 32);
  const BufferSlice whole{buffer, 0, 4 * 32};
  const LaunchReport report = this->device().dispatch({kernel, {whole}, {}, {32, 1, 1}, true, {32, 1, 1}});
  const Capabilities can = this->device().capabilities();
  EXPECT_EQ(report.counts != nullptr, can.counts);
  EXPECT_EQ(!report.writers.empty(), can.writers);
  this->device().release(buffer);
}

TYPED_TEST_P(DeviceConformance, SchedulesDecideTheOrderOfThreadgroups) {
  if (!this->device().capabilities().schedules) return;  // it promises nothing of orders
  constexpr std::uint32_t kGroups = 8;
  const KernelId kernel = this->load("arrivals");
  const BufferId arrived = this->device().allocate(4), order = this->device().allocate(4 * kGroups);
  const auto order_under = [&](std::uint64_t schedule) {
    this->upload_uint(arrived, 0, 0);
    Dispatch launch{kernel, {BufferSlice{arrived, 0, 4}, BufferSlice{order, 0, 4 * kGroups}},
                    {},     {kGroups, 1, 1},
                    false,  {1, 1, 1}};
    launch.schedule = schedule;
    EXPECT_TRUE(this->device().dispatch(launch).clean());
    return this->download(order, 0, 4 * kGroups);
  };
  std::set<std::vector<std::byte>> orders;
  for (std::uint64_t schedule = 1; schedule <= 20; ++schedule) {
    const auto once = order_under(schedule);
    EXPECT_EQ(order_under(schedule), once) << schedule;
    orders.insert(once);
  }
  EXPECT_GT(orders.size(), 1U) << "no schedule differs from another";
  this->device().release(arrived);
  this->device().release(order);
}

TYPED_TEST_P(DeviceConformance, SparseBuffersHoldWhatIsWrittenToThem) {
  constexpr std::size_t kBytes = 5'000'001;
  const BufferId buffer = this->device().allocate_sparse(kBytes);
  const auto bytes = this->counting(1000);
  for (const std::size_t offset : {std::size_t{0}, std::size_t{2'097'100}, kBytes - 1000}) {
    this->device().upload(buffer, offset, bytes);
    EXPECT_EQ(this->download(buffer, offset, 1000), bytes) << offset;
    bool known = false;
    for (const ByteRange& range : this->device().touched(buffer, 0, kBytes)) {
      EXPECT_LT(range.begin, range.end);
      EXPECT_LE(range.end, kBytes);
      known |= range.begin <= offset && offset + 1000 <= range.end;
    }
    EXPECT_TRUE(known) << "what is written has been touched: " << offset;
  }
  EXPECT_THROW(this->device().upload(buffer, kBytes - 999, bytes), DeviceError);
  this->device().release(buffer);
  EXPECT_THROW(this->device().upload(buffer, 0, bytes), DeviceError);
}

TYPED_TEST_P(DeviceConformance, APatternIsRepeatedAsOftenAsItFits) {
  // Patterns of whole pages and others, from the beginning of a buffer and behind something else.
  for (const std::size_t period :
       {std::size_t{4096}, std::size_t{3 * 4096}, std::size_t{1000}, std::size_t{7}}) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{4096}, std::size_t{36}}) {
      constexpr std::size_t kRepeated = 100'001, kBehind = 64;
      const BufferId buffer = this->device().allocate_sparse(offset + kRepeated + kBehind);
      std::vector<std::byte> pattern(period);
      for (std::size_t i = 0; i < period; ++i) pattern[i] = static_cast<std::byte>(i * 7 + i / 256 + 1);
      this->device().upload(buffer, offset + kRepeated, this->counting(kBehind));
      this->device().upload_repeated(buffer, offset, kRepeated, pattern);
      const auto bytes = this->download(buffer, offset, kRepeated);
      for (std::size_t i = 0; i < kRepeated; ++i)
        ASSERT_EQ(bytes[i], pattern[i % period]) << i << ' ' << period;
      EXPECT_EQ(this->download(buffer, offset + kRepeated, kBehind), this->counting(kBehind));
      EXPECT_THROW(this->device().upload_repeated(buffer, offset + 65, kRepeated, pattern), DeviceError);
      this->device().release(buffer);
    }
  }
}

TYPED_TEST_P(DeviceConformance, ForgottenBytesAreFreshAndOthersStay) {
  const BufferId buffer = this->device().allocate(64);
  this->device().upload(buffer, 0, this->counting(64));
  this->device().forget(buffer, 11, 20);
  const auto all = this->counting(64), now = this->download(buffer, 0, 64);
  for (std::size_t i = 0; i < 64; ++i) {
    if (i < 11 || i >= 31) {
      EXPECT_EQ(now[i], all[i]) << i;
    } else if (this->device().capabilities().poisons) {
      EXPECT_EQ(static_cast<unsigned>(now[i]), (kPoison >> (8 * (i % 2))) & 0xFFu) << i;
    }
  }
  EXPECT_THROW(this->device().forget(buffer, 60, 5), DeviceError);
  this->device().release(buffer);
}

TYPED_TEST_P(DeviceConformance, SamplesRunTheirThreadgroupsAndNoOthers) {
  const KernelId kernel = this->load("fill_positions");
  const BufferId buffer = this->device().allocate(4 * 64);
  for (std::uint32_t i = 0; i < 64; ++i) this->upload_uint(buffer, 4 * i, 0xABCDu);
  Dispatch launch{kernel, {BufferSlice{buffer, 0, 4 * 64}}, {}, {59, 1, 1}, true, {8, 1, 1}};
  launch.sample = {{7, 0, 0}, {2, 0, 0}};
  if (!this->device().capabilities().samples) {
    EXPECT_THROW(this->device().dispatch(launch), DeviceError);
    return this->device().release(buffer);
  }
  const LaunchReport report = this->device().dispatch(launch);
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.kernel_invocations.value_or(11), 11u) << "eight threads of one, three of the last";
  EXPECT_EQ(invocations_of(launch), 11u);
  for (std::uint32_t i = 0; i < 64; ++i) {
    const bool runs = (i >= 16 && i < 24) || (i >= 56 && i < 59);
    EXPECT_EQ(this->download_uint(buffer, 4 * i), runs ? i + 1 : 0xABCDu) << i;
  }
  launch.sample = {{8, 0, 0}};
  EXPECT_THROW(this->device().dispatch(launch), DeviceError) << "outside the grid";
  this->device().release(buffer);
}

TYPED_TEST_P(DeviceConformance, LaunchesAreOrdered) {
  const KernelId kernel = this->load("scale_add");
  const BufferId buffer = this->device().allocate(4);
  this->upload_uint(buffer, 0, 1);
  std::uint32_t expected = 1;
  for (std::uint32_t i = 1; i < 20; ++i) {
    EXPECT_TRUE(this->device().dispatch(this->scale_add(kernel, {buffer, 0, 4}, i, 3 * i + 1)).clean());
    expected = expected * i + 3 * i + 1;  // no order but this gives the same value
  }
  EXPECT_EQ(this->download_uint(buffer, 0), expected);
  this->device().release(buffer);
}

TYPED_TEST_P(DeviceConformance, SliceStartsAtItsOffsetAndLeavesTheRestAlone) {
  const KernelId kernel = this->load("scale_add");
  const BufferId buffer = this->device().allocate(12);
  for (std::uint32_t i = 0; i < 3; ++i) this->upload_uint(buffer, 4 * i, 10 + i);
  EXPECT_TRUE(this->device().dispatch(this->scale_add(kernel, {buffer, 4, 4}, 2, 5)).clean());
  EXPECT_EQ(this->download_uint(buffer, 0), 10u);
  EXPECT_EQ(this->download_uint(buffer, 4), 27u);
  EXPECT_EQ(this->download_uint(buffer, 8), 12u);
  this->device().release(buffer);
}

TYPED_TEST_P(DeviceConformance, SliceOutsideItsBufferIsRefused) {
  const KernelId kernel = this->load("scale_add");
  const BufferId buffer = this->device().allocate(8);
  this->upload_uint(buffer, 4, 7);
  const std::size_t huge = static_cast<std::size_t>(-4);
  for (const BufferSlice slice : {BufferSlice{buffer, 8, 4}, BufferSlice{buffer, 4, 8},
                                  BufferSlice{buffer, huge, 8}, BufferSlice{buffer, 8, huge}}) {
    EXPECT_THROW(this->device().dispatch(this->scale_add(kernel, slice, 2, 5)), DeviceError)
        << slice.offset_bytes;
  }
  EXPECT_EQ(this->download_uint(buffer, 4), 7u);
  this->device().release(buffer);
}

TYPED_TEST_P(DeviceConformance, GridInThreadsHasAPartialLastThreadgroup) {
  const KernelId kernel = this->load("fill_positions");
  const BufferId buffer = this->device().allocate(4 * 64);
  for (std::uint32_t i = 0; i < 64; ++i) this->upload_uint(buffer, 4 * i, 0xABCDu);
  const BufferSlice whole{buffer, 0, 4 * 64};
  const LaunchReport partial = this->device().dispatch({kernel, {whole}, {}, {37, 1, 1}, true, {16, 1, 1}});
  EXPECT_TRUE(partial.clean());
  EXPECT_EQ(partial.kernel_invocations.value_or(37), 37u) << "a device that counts, counts each thread once";
  for (std::uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(this->download_uint(buffer, 4 * i), i < 37 ? i + 1 : 0xABCDu) << i;
  const LaunchReport full = this->device().dispatch({kernel, {whole}, {}, {3, 1, 1}, false, {16, 1, 1}});
  EXPECT_TRUE(full.clean());
  EXPECT_EQ(full.kernel_invocations.value_or(48), 48u);
  for (std::uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(this->download_uint(buffer, 4 * i), i < 48 ? i + 1 : 0xABCDu) << i;
  this->device().release(buffer);
}

TYPED_TEST_P(DeviceConformance, UnknownFunctionIsRefused) {
  EXPECT_THROW(this->load("there_is_no_such_function"), std::runtime_error);
}

TYPED_TEST_P(DeviceConformance, KernelThatWasNotLoadedIsRefused) {
  const BufferId buffer = this->device().allocate(4);
  EXPECT_THROW(this->device().dispatch(this->scale_add(KernelId{77}, {buffer, 0, 4}, 1, 1)), DeviceError);
  this->device().release(buffer);
}

TYPED_TEST_P(DeviceConformance, AllocationBeyondTheLimitIsRefused) {
  EXPECT_THROW(this->device().allocate(this->device().limits().buffer_bytes + 1), DeviceError);
  EXPECT_THROW(this->device().allocate(static_cast<std::size_t>(-1)), DeviceError);
}

TYPED_TEST_P(DeviceConformance, PointersLeadToOtherBuffers) {
  if (!this->device().capabilities().pointers) {
    const BufferId buffer = this->device().allocate(16);
    Dispatch launch = this->scale_add(this->load("scale_add"), {buffer, 0, 4}, 1, 1);
    launch.pointers = {{buffer, 8, {buffer, 0, 4}}};
    EXPECT_THROW(this->device().dispatch(launch), DeviceError);
    return this->device().release(buffer);
  }
  const KernelId kernel = this->load("follow");
  const BufferId copies = this->device().allocate(64), data = this->device().allocate(12);
  const BufferId sum = this->device().allocate(4);
  this->device().upload(copies, 0, std::vector<std::byte>(64));
  this->upload_uint(copies, 8 + 8, 30);
  this->upload_uint(copies, 8 + 24 + 8, 500);
  this->upload_uint(data, 4, 7);
  Dispatch launch{kernel, {BufferSlice{copies, 8, 48}, this->scalar(2)}, {}, {1, 1, 1}, false, {1, 1, 1}};
  launch.pointers = {{copies, 8, {data, 4, 4}},
                     {copies, 8 + 16, {data, 8, 4}},
                     {copies, 8 + 24, {data, 8, 4}},
                     {copies, 8 + 40, {sum, 0, 4}}};
  EXPECT_TRUE(this->device().dispatch(launch).clean());
  EXPECT_EQ(this->download_uint(data, 4), 7u);
  EXPECT_EQ(this->download_uint(data, 8), 37u);
  EXPECT_EQ(this->download_uint(sum, 0), 537u);
  this->device().release(data);
  EXPECT_THROW(this->device().dispatch(launch), DeviceError) << "a target that is gone";
}

TYPED_TEST_P(DeviceConformance, PointersOutsideOfBuffersAreRefused) {
  if (!this->device().capabilities().pointers) return;  // which refuses them all
  const KernelId kernel = this->load("follow");
  const BufferId copies = this->device().allocate(48), data = this->device().allocate(12);
  this->device().upload(copies, 0, std::vector<std::byte>(48));
  const std::vector<std::vector<BufferPointer>> refused = {
      {{copies, 48, {data, 0, 4}}},                            // behind the holder
      {{copies, 44, {data, 0, 4}}},                            // half behind it
      {{copies, static_cast<std::size_t>(-8), {data, 0, 4}}},  // before it
      {{copies, 4, {data, 0, 4}}},                             // at no multiple of 8
      {{copies, 0, {data, 0, 13}}},                            // a target that is too long
      {{copies, 0, {data, static_cast<std::size_t>(-4), 8}}},
      {{copies, 0, {data, 0, 4}}, {copies, 0, {data, 4, 4}}},  // two at one place
      {{BufferId{4711}, 0, {data, 0, 4}}}};
  for (std::size_t i = 0; i < refused.size(); ++i) {
    Dispatch launch{kernel, {BufferSlice{copies, 0, 48}, this->scalar(0)}, {}, {1, 1, 1}, false, {1, 1, 1}};
    launch.pointers = refused[i];
    EXPECT_THROW(this->device().dispatch(launch), DeviceError) << i;
    EXPECT_EQ(this->download(copies, 0, 48), std::vector<std::byte>(48)) << i;
  }
}

REGISTER_TYPED_TEST_SUITE_P(DeviceConformance, UploadsComeBackAtTheirOffsets,
                            RangesComeTogetherAsTheyWouldOneByOne, TransfersOutsideTheBufferAreRefused,
                            ReleasedBuffersAreRefused, HandlesOfLiveBuffersAreDistinct,
                            FreshMemoryIsPoisonWhereTheDeviceSaysSo, SparseBuffersHoldWhatIsWrittenToThem,
                            APatternIsRepeatedAsOftenAsItFits, ForgottenBytesAreFreshAndOthersStay,
                            SamplesRunTheirThreadgroupsAndNoOthers, LaunchesAreOrdered,
                            ReportsHoldWhatTheDeviceSaysItCan, SchedulesDecideTheOrderOfThreadgroups,
                            SliceStartsAtItsOffsetAndLeavesTheRestAlone, SliceOutsideItsBufferIsRefused,
                            GridInThreadsHasAPartialLastThreadgroup, UnknownFunctionIsRefused,
                            KernelThatWasNotLoadedIsRefused, AllocationBeyondTheLimitIsRefused,
                            PointersLeadToOtherBuffers, PointersOutsideOfBuffersAreRefused);

}  // namespace assay::device
