// How a kernel keeps a tensor in its buffer, where that is not as the tensor is documented: what goes up is
// stored so, what comes down is brought back, and nobody else need know.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/tensor.hpp"

namespace assay {

class Storage {
 public:
  using Shape = std::vector<std::size_t>;

  virtual ~Storage() = default;

  /// The type of the elements that are kept, as many as the tensor has.
  virtual DType kept(DType documented) const { return documented; }

  /// The sides of what is kept, where they are others.
  virtual Shape kept_shape(const Shape& documented) const { return documented; }

  /// All elements of a tensor of this shape, from how they are documented to how they are kept, and back.
  virtual void store(const Shape& shape, std::span<const std::byte> documented,
                     std::span<std::byte> kept) const = 0;
  virtual void load(const Shape& shape, std::span<const std::byte> kept,
                    std::span<std::byte> documented) const = 0;

  /// The same elements in another order; null where they are not that.
  virtual const ElementOrder* order() const { return nullptr; }

  /// Of a tensor of this shape, how many bytes are stored by themselves, and where they were: what repeats in
  /// so many repeats when it is stored. 0: there are none.
  virtual std::size_t block_bytes(const Shape&) const { return 0; }
};

/// By the name of the tensor that is kept so.
using Storages = std::map<std::string, std::shared_ptr<const Storage>, std::less<>>;

/// The last two axes exchanged: [..., groups, N] is kept as [..., N, groups].
std::shared_ptr<const Storage> exchanged_axes();

}  // namespace assay
