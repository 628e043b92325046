// Trellis weights whose sizes and values may all be wrong: refused, or read within their tensors.
#include <stdexcept>

#include "reference/trellis.hpp"
#include "tests/fuzz/bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::reference;
  using assay::fuzz::require;
  assay::fuzz::Bytes bytes(data, size);
  const bool fits = bytes.byte() % 8 != 0;
  TrellisWeights weights;
  weights.K = bytes.size(70);
  weights.N = bytes.size(70);
  weights.group_size = 8 * bytes.size(17) + (fits ? 0 : bytes.byte());
  weights.bits = static_cast<unsigned>(bytes.size(7));
  const std::size_t tiles = (weights.K + 15) / 16 * ((weights.N + 15) / 16);
  const std::size_t groups =
      weights.group_size == 0 ? 0 : (weights.K + weights.group_size - 1) / weights.group_size;
  const auto length = [&](std::size_t right) { return fits ? right : bytes.size(300); };
  const auto packed = bytes.vector<std::uint8_t>(length(tiles * 32 * weights.bits));
  const auto grid = bytes.vector<float>(bytes.size(17));
  const auto scales = bytes.vector<float>(length(groups * weights.N));
  std::vector<float> su(length(weights.K)), sv(length(weights.N));
  for (auto* signs : {&su, &sv}) {
    for (float& sign : *signs) sign = bytes.byte() % 2 == 0 ? 1.0F : -1.0F;
    if (!fits && !signs->empty()) signs->front() = static_cast<float>(bytes.byte());
  }
  weights.packed_indices = packed;
  weights.grid = grid;
  weights.scales = scales;
  weights.su = su;
  weights.sv = sv;
  try {
    require(dequantize_trellis(weights).size() == weights.K * weights.N);
    const auto indices = unpack_trellis(packed, weights.K, weights.N, weights.bits);
    const auto again = pack_trellis(indices, weights.K, weights.N, weights.bits);
    require(unpack_trellis(again, weights.K, weights.N, weights.bits) == indices);
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
