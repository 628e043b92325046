// Lines of a kernel's text with what a report says of some of them.
#pragma once

#include <string>
#include <vector>

#include "assay/device/launch_report.hpp"
#include "harness/report/page/parts.hpp"
#include "harness/verify/excerpt.hpp"

namespace assay::report::page {

/// What is said of a line, beside it.
struct Note {
  device::SourcePlace place;
  std::string words;
  bool cause = true;  ///< else it is only there to be seen, as a barrier is
};

/// The noted lines with the few around each; nothing where no excerpt has any of them.
Html source_view(const std::vector<Excerpt>& sources, const std::vector<Note>& notes);

/// What a fault says of lines: its accesses and barriers.
std::vector<Note> notes_of(const device::Fault& fault);

}  // namespace assay::report::page
