#include "harness/verify/sampled_run.hpp"

#include <algorithm>
#include <stdexcept>

#include "harness/verify/binding.hpp"
#include "harness/verify/launch.hpp"

namespace assay {
namespace {

/// What is downloaded in one piece where strays are looked for.
constexpr std::size_t kPiece = std::size_t{1} << 20;

/// Calls `run` with the first and the count of each run of consecutive elements.
template <class Run>
void each_run(const std::vector<std::size_t>& elements, const Run& run) {
  for (std::size_t i = 0; i < elements.size();) {
    std::size_t end = i + 1;
    while (end < elements.size() && elements[end] == elements[end - 1] + 1) ++end;
    run(i, end - i);
    i = end;
  }
}

bool is_zero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

std::vector<Stray> strays_of(device::Device& device, const device::BufferSlice& slice, std::size_t size,
                             const Stored& expected) {
  std::vector<Stray> strays;
  std::size_t next = ~std::size_t{0};  // the element behind the last one that was written
  std::size_t left = kStrays;
  std::vector<device::ByteRange> ranges;
  for (const auto& touched : device.touched(slice.buffer, slice.offset_bytes, slice.size_bytes)) {
    const std::size_t end = std::min((touched.end + size - 1) / size * size, slice.size_bytes);
    for (std::size_t begin = touched.begin / size * size; begin < end; begin = ranges.back().end)
      ranges.push_back({begin, std::min(end, begin + kPiece / size * size)});
  }
  std::vector<std::byte> pieces;
  for (std::size_t first = 0; first < ranges.size();) {
    std::size_t last = first, total = 0;
    do total += ranges[last].end - ranges[last].begin;
    while (++last < ranges.size() && total < kPiece);
    pieces.resize(total);
    device.gather(slice.buffer, std::span(ranges).subspan(first, last - first), pieces);
    auto unread = std::span<const std::byte>(pieces);
    for (; first < last; ++first) {
      const std::size_t begin = ranges[first].begin;
      const auto piece = unread.first(ranges[first].end - begin);
      unread = unread.subspan(piece.size());
      auto known = std::lower_bound(expected.elements.begin(), expected.elements.end(), begin / size);
      for (std::size_t at = 0; at < piece.size(); at += size) {
        const std::size_t element = (begin + at) / size;
        if (known != expected.elements.end() && *known == element) {
          ++known;
          continue;
        }
        const auto bytes = piece.subspan(at, size);
        if (is_zero(bytes)) continue;
        if (element != next) strays.push_back({expected.tensor, element, {}});
        strays.back().bytes.insert(strays.back().bytes.end(), bytes.begin(), bytes.end());
        next = element + 1;
        left -= std::min(left, size);
        if (left == 0) return strays;
      }
    }
  }
  return strays;
}

}  // namespace

SampledResult run_sampled(device::Device& device, device::KernelId kernel, const KernelEntry& entry,
                          const Problem& problem, std::span<const Stored> expected) {
  const Binding binding(device, kernel, entry, problem);
  struct Place {
    const Stored& asked;
    device::BufferSlice slice;
    DType dtype;
  };
  std::vector<Place> places;
  for (const Stored& one : expected) {
    const auto slice = binding.output(one.tensor);
    const auto spec = std::find_if(problem.outputs.begin(), problem.outputs.end(),
                                   [&](const OutputSpec& output) { return output.name == one.tensor; });
    if (spec == problem.outputs.end())
      throw std::invalid_argument(one.tensor + ": the problem has no such output");
    if (!slice) continue;  // optional: nothing binds it
    if (storage_of(entry, one.tensor) != nullptr)
      throw std::invalid_argument(
          one.tensor + ": no part of this output can be judged, since it is stored in a layout of its own");
    places.push_back({one, *slice, spec->dtype});
    const std::size_t size = size_of(spec->dtype);
    each_run(one.elements, [&](std::size_t first, std::size_t count) {
      device.forget(slice->buffer, one.elements[first] * size, count * size);
    });
  }
  SampledResult result;
  result.report = launch(device, entry, problem, binding);
  for (const Place& place : places) {
    const auto& elements = place.asked.elements;
    const std::size_t size = size_of(place.dtype);
    Tensor& tensor =
        result.stored.emplace_back(make_tensor(place.asked.tensor, place.dtype, {elements.size()}));
    std::vector<device::ByteRange> runs;
    each_run(elements, [&](std::size_t first, std::size_t count) {
      runs.push_back({elements[first] * size, (elements[first] + count) * size});
    });
    device.gather(place.slice.buffer, runs, tensor.data);
    auto strays = strays_of(device, place.slice, size, place.asked);
    result.strays.insert(result.strays.end(), strays.begin(), strays.end());
  }
  result.changed_inputs = binding.changed_inputs();
  return result;
}

}  // namespace assay
