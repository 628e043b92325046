// A named array of plain numbers: what goes into a kernel and what comes out of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Element types that cross the device boundary. `f16` holds IEEE binary16 bit patterns, `bf16` the upper
/// halves of floats.
enum class DType { u8, u16, u32, i32, f16, f32, f64, i8, i16, bf16 };

std::size_t size_of(DType type);
std::string_view name_of(DType type);
bool is_integer(DType type);

/// Where the elements of a tensor lie, if not one behind the other as its shape has them.
class ElementOrder {
 public:
  virtual ~ElementOrder() = default;
  /// Where an element lies, and which one lies there.
  virtual std::size_t place(const std::vector<std::size_t>& shape, std::size_t element) const = 0;
  virtual std::size_t element_at(const std::vector<std::size_t>& shape, std::size_t place) const = 0;
};

/// Row-major, little-endian, tightly packed. `data.size() == element_count() * size_of(dtype)`, but where it
/// is `repeated`: then `data` is a pattern, which stands there as often as it fits and its beginning once
/// more.
struct Tensor {
  std::string name;
  DType dtype{};
  std::vector<std::size_t> shape;
  std::vector<std::byte> data;
  bool repeated = false;
  /// Of a tensor of a large case: the order in which the kernel keeps its elements, and in which a pattern
  /// stands there; null: that of its shape. It outlives the tensor.
  const ElementOrder* order = nullptr;

  /// Where an element lies in the kernel's buffer.
  std::size_t place(std::size_t element) const { return order ? order->place(shape, element) : element; }

  /// The bytes of the elements from `first` on.
  void copy(std::size_t first, std::span<std::byte> to) const;

  std::size_t element_count() const;

  /// The elements as T; sizeof(T) must equal size_of(dtype).
  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data.data()), data.size() / sizeof(T)};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }
};

/// Element `index` as a double; exact for every type. Halves are decoded from their bits.
double decode(const Tensor& tensor, std::size_t index);

/// Writes an element, rounded to the tensor's type once, to nearest even; whole numbers wrap.
void put_rounded(Tensor& tensor, std::size_t index, double value);

/// A zero-filled tensor.
Tensor make_tensor(std::string name, DType dtype, std::vector<std::size_t> shape);

}  // namespace assay
