// Lines of a text before and after a change, with what differs in them marked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/report/page/html.hpp"

namespace assay::report::page {

/// `line`: number of the first. Lines that stand for each other have the part marked that is not the same.
Html diff_view(const std::string& file, std::uint32_t line, const std::vector<std::string>& before,
               const std::vector<std::string>& after);

}  // namespace assay::report::page
