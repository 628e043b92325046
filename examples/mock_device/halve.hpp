// Host code that uses a device: what is to be tested.
#pragma once

#include <assay/device.hpp>

#include <vector>

/// Halves every value on the device, in one launch of a thread a value. Gives its buffer back, whatever
/// happens. Throws what the device throws.
std::vector<float> halve(assay::device::Device& device, const assay::device::KernelSource& kernel,
                         std::vector<float> values);
