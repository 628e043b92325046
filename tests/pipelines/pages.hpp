// docs/pipelines.md and docs/pictures/pipelines.json: the same figures, for readers and for draw.py.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tests/pipelines/figures.hpp"

namespace assay::tests {

/// A table of the page, in Markdown: what is measured, and beside it what documents state where they state
/// any. A figure that differs from what is measured is bold and has its section.
std::string table_of(std::string_view table, std::span<const Pipeline> pipelines);

/// JSON, a figure a line.
std::string data_of(std::span<const Pipeline> pipelines);

}  // namespace assay::tests
