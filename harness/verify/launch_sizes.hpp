// The sizes of a launch: what an entry's expressions come to in a problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "assay/device/device.hpp"
#include "assay/problem.hpp"
#include "harness/verify/manifest.hpp"

namespace assay {

/// The integer that an expression of the entry comes to. Throws ManifestError at `field` where it is none.
std::int64_t integer_of(const KernelEntry& entry, const std::string& field, const Expression& expression,
                        const Dims& dims);

/// One side of a grid that is a list. Throws ManifestError at `field` when it is not in 1 .. 2^32-1.
std::uint32_t grid_side(const KernelEntry& entry, const std::string& field, const Expression& size,
                        const Dims& dims);

/// Bytes of one [[threadgroup(i)]] argument. Throws ManifestError at `field` when they are not in 1 .. 2^31.
std::size_t threadgroup_bytes(const KernelEntry& entry, const std::string& field, const Expression& bytes,
                              const Dims& dims);

/// The first length of threadgroup memory that Metal does not take of a host, since it is no multiple of 16.
/// `dims` are the problem's. Throws as threadgroup_bytes().
std::optional<device::Fault> refused_length(const KernelEntry& entry, const Dims& dims);

/// Threadgroups, or threads where the entry's grid counts threads. Throws ManifestError, with the dimensions,
/// when a side is not in 1 .. 2^32-1 or the launch has 2^32 threads or more, along a side or in all.
device::Size3 grid_of(const KernelEntry& entry, const Problem& problem);

}  // namespace assay
