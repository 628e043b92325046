// Pieces of the texts that kernels are made of, around places that a report speaks of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/device/launch_report.hpp"

namespace assay {

/// Consecutive lines of a file.
struct Excerpt {
  std::string file;
  std::uint32_t first_line = 1;
  std::vector<std::string> lines;  ///< without line ends; of a line that is too long, the beginning and "..."
  bool operator==(const Excerpt&) const = default;
};

/// The lines of remembered files (device::remember_source) around these places, a few before and behind each;
/// pieces that touch are one. In the order of the places; nothing for places that no remembered file has.
std::vector<Excerpt> excerpts_around(const std::vector<device::SourcePlace>& places);

}  // namespace assay
