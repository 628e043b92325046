// A whole page: what stands around its content.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/page/html.hpp"

namespace assay::report::page {

/// Another page of the same directory.
struct Link {
  std::string file, words;
};

struct Frame {
  std::string title;             ///< of the window: "2 of 29 kernels are rejected"
  std::string command;           ///< "verify"
  std::string assay;             ///< version of the program
  std::string written;           ///< when, in words; "" where nobody is to know
  std::string json;              ///< file that holds the same figures; "" where there is none
  std::vector<Link> links = {};  ///< to the other pages
};

/// One file that needs no other, runs no script but its own, and asks nothing of any network: its
/// Content-Security-Policy forbids it.
std::string document(const Frame& frame, const Html& content);

}  // namespace assay::report::page
