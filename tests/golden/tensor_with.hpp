// Tensors of known values for files that tests write.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "assay/tensor.hpp"

namespace assay::golden {

template <class T>
Tensor tensor_with(std::string name, DType dtype, std::vector<std::size_t> shape,
                   const std::vector<T>& values) {
  Tensor made = assay::make_tensor(std::move(name), dtype, std::move(shape));
  const auto elements = made.as<T>();
  if (values.size() != elements.size()) throw std::logic_error("as many values as elements");
  std::copy(values.begin(), values.end(), elements.begin());
  return made;
}

}  // namespace assay::golden
