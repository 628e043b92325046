#pragma once
namespace faults {

METAL_FUNC float deeper(device const float* data, uint i) {
  const float wrong = data[i + 2000];
  return wrong * 3;
}

inline __attribute__((always_inline)) float deep(device const float* data, uint i) { return deeper(data, i) + 1; }

}  // namespace faults
