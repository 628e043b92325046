// Results as a page for people: one HTML file that a browser draws without a network and without a script.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/profile/profiler.hpp"
#include "harness/report/page/kernel_section.hpp"
#include "harness/report/page/layout.hpp"
#include "harness/report/results.hpp"

namespace assay::report::page {

/// What a page says beside its results.
struct Surroundings {
  std::string written;           ///< when, in words; "" where nobody is to know
  std::string json;              ///< the file with the same figures; "" where there is none
  std::vector<Link> links = {};  ///< other pages
  /// By kernel, where its mutants have been counted on the same texts.
  std::map<std::string, MutationScore> scores = {};
  std::string remark = {};  ///< on what is there and was not taken
};

/// Of `assay verify`. Throws std::bad_variant_access for results of another command, as the next does.
std::string verify_page(const Results& results, const Surroundings& surroundings);

/// Of `assay mutate`.
std::string mutate_page(const Results& results, const Surroundings& surroundings);

/// Of `assay profile`.
std::string profile_page(const std::vector<profile::ProfileTask>& tasks, const Surroundings& surroundings);

}  // namespace assay::report::page
