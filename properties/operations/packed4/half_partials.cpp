#include "properties/operations/packed4/half_partials.hpp"

#include <cstring>
#include <memory>

#include "reference/half.hpp"

namespace assay::properties {
namespace {

constexpr const char *kPartials = "partials", *kHalf = "half";

/// Floats kept as the nearest halves. What a launch leaves is 0 or wrong, so that nothing is lost on the way
/// back.
class AsHalves final : public Storage {
 public:
  DType kept(DType) const override { return DType::f16; }

  void store(const Shape&, std::span<const std::byte> documented, std::span<std::byte> kept) const override {
    for (std::size_t i = 0; i < kept.size() / sizeof(std::uint16_t); ++i) {
      float value = 0;
      std::memcpy(&value, documented.data() + i * sizeof value, sizeof value);
      const std::uint16_t half = reference::half_from_double(static_cast<double>(value));
      std::memcpy(kept.data() + i * sizeof half, &half, sizeof half);
    }
  }

  void load(const Shape&, std::span<const std::byte> kept, std::span<std::byte> documented) const override {
    for (std::size_t i = 0; i < kept.size() / sizeof(std::uint16_t); ++i) {
      std::uint16_t half = 0;
      std::memcpy(&half, kept.data() + i * sizeof half, sizeof half);
      const auto value = static_cast<float>(reference::half_to_double(half));
      std::memcpy(documented.data() + i * sizeof value, &value, sizeof value);
    }
  }
};

}  // namespace

Meaning half_partials_meaning() {
  static const auto storage = std::make_shared<const AsHalves>();
  return {.field = kPartials,
          .usual = "float",
          .word = kHalf,
          .storages = {{kPartials, storage}},
          .half_sums = true};
}

bool has_half_partials(const Arithmetic& arithmetic) { return arithmetic.means(kPartials, kHalf); }

}  // namespace assay::properties
