#include "harness/verify/storage.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

namespace assay {
namespace {

class ExchangedAxes final : public Storage, public ElementOrder {
 public:
  void store(const Shape& shape, std::span<const std::byte> documented,
             std::span<std::byte> kept) const override {
    each(shape, documented.size(), [&](std::size_t from, std::size_t to, std::size_t bytes) {
      std::memcpy(kept.data() + to, documented.data() + from, bytes);
    });
  }
  void load(const Shape& shape, std::span<const std::byte> kept,
            std::span<std::byte> documented) const override {
    each(shape, kept.size(), [&](std::size_t to, std::size_t from, std::size_t bytes) {
      std::memcpy(documented.data() + to, kept.data() + from, bytes);
    });
  }
  const ElementOrder* order() const override { return this; }

  Shape kept_shape(const Shape& documented) const override {
    Shape exchanged_sides = documented;
    (void)rows(documented);
    std::swap(exchanged_sides[documented.size() - 1], exchanged_sides[documented.size() - 2]);
    return exchanged_sides;
  }

  std::size_t place(const Shape& shape, std::size_t element) const override {
    return exchanged(rows(shape), shape.back(), element);
  }
  std::size_t element_at(const Shape& shape, std::size_t place) const override {
    return exchanged(shape.back(), rows(shape), place);
  }

 private:
  static std::size_t rows(const Shape& shape) {
    if (shape.size() < 2) throw std::invalid_argument("a tensor of one axis has none to exchange");
    return shape[shape.size() - 2];
  }

  /// Of matrices [rows, columns], one behind the other: where an element lies once they are [columns, rows].
  static std::size_t exchanged(std::size_t rows, std::size_t columns, std::size_t element) {
    const std::size_t matrix = element / (rows * columns), at = element % (rows * columns);
    return matrix * rows * columns + at % columns * rows + at / columns;
  }

  template <class Move>
  void each(const Shape& shape, std::size_t size_bytes, const Move& move) const {
    std::size_t elements = 1;
    for (const std::size_t side : shape) elements *= side;
    if (elements == 0) return;
    const std::size_t bytes = size_bytes / elements;
    for (std::size_t i = 0; i < elements; ++i) move(i * bytes, place(shape, i) * bytes, bytes);
  }
};

}  // namespace

std::shared_ptr<const Storage> exchanged_axes() {
  static const auto storage = std::make_shared<const ExchangedAxes>();
  return storage;
}

}  // namespace assay
