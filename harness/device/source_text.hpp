// The texts of kernels that are loaded, kept in memory: reports quote them, and may have to where no file can
// be opened any more.
#pragma once

#include <filesystem>
#include <string>

#include "assay/device/launch_report.hpp"

namespace assay::device {

/// Reads a file that a kernel is made of, again if it was read before. One that cannot be read has no lines.
void remember_source(const std::filesystem::path& file);

/// The same of a text that lies in no file of that name.
void remember_text(const std::string& name, const std::string& text);

/// Line `place.line` of a remembered file, without surrounding blanks; empty if there is none.
std::string source_line(const SourcePlace& place);

/// All of a file that is remembered; "" of another.
std::string source_text(const std::string& file);

}  // namespace assay::device
