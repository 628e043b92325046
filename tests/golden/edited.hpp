// Golden files changed by tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "golden/safetensors.hpp"

namespace assay::tests {

/// Writes `from`, changed, as `to`. Its hash is that of what is written.
inline std::filesystem::path edited(const std::filesystem::path& from, const std::filesystem::path& to,
                                    const std::function<void(golden::Dataset&)>& change) {
  golden::Dataset dataset = golden::read_safetensors(from);
  change(dataset);
  golden::write_safetensors(to, dataset);
  return to;
}

/// Another half is right for an element of an output for each of whose elements one is.
inline void change_expected(golden::Dataset& dataset, const std::string& output, std::size_t element,
                            std::uint16_t half) {
  for (Tensor& tensor : dataset.tensors) {
    if (tensor.name == "expected." + output) tensor.as<std::uint16_t>()[element] = half;
  }
}

}  // namespace assay::tests
