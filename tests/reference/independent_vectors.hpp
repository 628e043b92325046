// The vectors under golden/independent/, made by a program that shares nothing with the project.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "golden/safetensors.hpp"
#include "reference/half.hpp"

namespace assay::tests {

/// Every file there whose name begins with `prefix`, whatever its shape or seed. None at all is an error: a
/// test that met no vectors has shown nothing.
inline std::vector<std::filesystem::path> independent_vectors(const std::string& prefix) {
  const std::filesystem::path folder = std::filesystem::path(ASSAY_SOURCE_DIR) / "golden" / "independent";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  if (files.empty()) throw std::runtime_error("no " + prefix + "*.safetensors in " + folder.string());
  std::sort(files.begin(), files.end());
  return files;
}

/// The elements of a tensor that must be there with this element type.
template <class T>
std::span<const T> elements(const golden::Dataset& dataset, const std::string& name, DType dtype) {
  const Tensor* tensor = dataset.find(name);
  if (tensor == nullptr) throw std::runtime_error("vector file has no tensor " + name);
  if (tensor->dtype != dtype) throw std::runtime_error("tensor " + name + " has another dtype than expected");
  return tensor->as<T>();
}

inline std::span<const std::uint16_t> halves(const golden::Dataset& dataset, const std::string& name) {
  return elements<std::uint16_t>(dataset, name, DType::f16);
}

inline std::span<const double> doubles(const golden::Dataset& dataset, const std::string& name) {
  return elements<double>(dataset, name, DType::f64);
}

inline std::span<const float> floats(const golden::Dataset& dataset, const std::string& name) {
  return elements<float>(dataset, name, DType::f32);
}

inline std::size_t parameter(const golden::Dataset& dataset, const std::string& name) {
  return std::stoull(dataset.metadata.at(name));
}

/// Bit for bit; NaN payloads and signs are the only freedom.
inline void expect_same_halves(std::span<const std::uint16_t> got, std::span<const std::uint16_t> expected) {
  ASSERT_EQ(got.size(), expected.size());
  ASSERT_FALSE(got.empty());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (reference::half_is_nan(got[i]) && reference::half_is_nan(expected[i])) continue;
    ASSERT_EQ(got[i], expected[i]) << "element " << i << ": got " << reference::half_to_double(got[i])
                                   << ", expected " << reference::half_to_double(expected[i]);
  }
}

}  // namespace assay::tests
