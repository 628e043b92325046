// Which elements of an output are wrong, by how much, and who stored them: as drawings and as a table.
#pragma once

#include <string>

#include "harness/report/page/parts.hpp"
#include "harness/verify/wrong_output.hpp"

namespace assay::report::page {

/// Both maps side by side, with their legends; nothing where the output has no map.
Html tile_maps(const WrongOutput& output, Ids& ids);

/// Some of the wrong elements, with their values.
Html element_table(const WrongOutput& output);

}  // namespace assay::report::page
