#include "properties/operations/trellis/trellis_storage.hpp"

#include <algorithm>
#include <memory>

#include "reference/trellis.hpp"

namespace assay::properties {
namespace {

using reference::kTrellisTile;

constexpr std::size_t kIndices = kTrellisTile * kTrellisTile;

/// An index is taken from bits in the order of the bytes, the least significant bit first.
bool bit_at(std::span<const std::byte> bytes, std::size_t bit) {
  return (std::to_integer<unsigned>(bytes[bit / 8]) >> (bit % 8) & 1U) != 0;
}

/// Rows and columns of each tile exchanged: what does so once undoes it the second time.
class TilesByColumns final : public Storage {
 public:
  void store(const Shape& shape, std::span<const std::byte> documented,
             std::span<std::byte> kept) const override {
    exchange(shape, documented, kept);
  }
  void load(const Shape& shape, std::span<const std::byte> kept,
            std::span<std::byte> documented) const override {
    exchange(shape, kept, documented);
  }
  std::size_t block_bytes(const Shape& shape) const override { return shape.back(); }

 private:
  static void exchange(const Shape& shape, std::span<const std::byte> from, std::span<std::byte> to) {
    const std::size_t tile = shape.back(), bits = tile * 8 / kIndices;
    std::fill(to.begin(), to.end(), std::byte{0});
    for (std::size_t at = 0; at < from.size(); at += tile) {
      const auto given = from.subspan(at, tile);
      for (std::size_t i = 0; i < kIndices; ++i) {
        const std::size_t other = i % kTrellisTile * kTrellisTile + i / kTrellisTile;
        for (std::size_t bit = 0; bit < bits; ++bit) {
          const std::size_t place = other * bits + bit;
          if (bit_at(given, i * bits + bit)) to[at + place / 8] |= std::byte{1} << place % 8;
        }
      }
    }
  }
};

}  // namespace

Meaning indices_meaning(const std::vector<std::string>& tensors) {
  static const auto storage = std::make_shared<const TilesByColumns>();
  Meaning meaning = {.field = "indices", .usual = "rows", .word = "columns"};
  for (const std::string& tensor : tensors) meaning.storages.emplace(tensor, storage);
  return meaning;
}

}  // namespace assay::properties
