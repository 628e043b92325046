// An output that is not right, as far as a report shows it: how many elements, which, by how much, stored by
// whom. It is small, whatever the size of the output, and can be sent and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/verify/compare.hpp"
#include "harness/verify/manifest.hpp"

namespace assay {

/// An element as people read it; `difference` and `allowed` are got - expected and what that may be.
struct ElementText {
  std::string got, expected, difference, allowed;
};
ElementText text_of(DType dtype, const WrongElement& element);

/// How many times further off than it may be: |got - expected| over the distance to the end of what is right,
/// or over one step of the type where that is more. None where it is infinite, NaN, or was never written.
std::optional<double> times_allowed(DType dtype, const WrongElement& element);

/// One wrong element with its text.
struct ShownElement {
  std::uint64_t row = 0, column = 0;
  bool never_written = false;
  bool worst = false;  ///< of all of the output
  ElementText text = {};
  std::optional<double> times = {};  ///< times_allowed()
  std::string stored_by = {};        ///< "simdgroup 2 of threadgroup 0"; "" where nobody knows
};

/// Wrong elements of one cell of a map.
struct MapCell {
  std::uint64_t row = 0, column = 0;  ///< of the cell
  std::uint64_t wrong = 0, never_written = 0;
  std::optional<double> times = {};  ///< the most of those that have one
  bool beyond = false;               ///< one is infinite or NaN and should not be, or the other way round
};

/// Which elements are wrong, in at most 64 x 64 cells.
struct OutputGrid {
  std::uint64_t rows = 1, columns = 1;            ///< cells
  std::uint64_t cell_rows = 1, cell_columns = 1;  ///< elements a cell
  std::uint64_t band_rows = 1, band_columns = 1;  ///< cells between the borders of tiles
  std::vector<MapCell> cells = {};                ///< those with wrong elements, row by row
  /// Who stored the first element of each cell, row by row: an index into `storers`, or -1 for nobody. Empty
  /// where nothing is known.
  std::vector<std::int64_t> stored_by = {};
  std::vector<std::string> storers = {};
};

struct WrongOutput {
  std::string tensor, dtype;
  std::vector<std::uint64_t> shape;
  std::string bound;  ///< where the interval of right values comes from
  std::uint64_t elements = 0, wrong = 0, never_written = 0;
  std::string rows, columns;             ///< the wrong ones: "0-15, 32 (17 of 64)"; "" for a sample
  std::vector<ShownElement> shown = {};  ///< spread over all that is wrong, the worst among them
  std::optional<OutputGrid> grid = {};   ///< none for a sample
};

/// Of a comparison that is not right. `tile`: m along rows, n along columns. `writers`: who stored each
/// element last, by index; empty where nobody knows.
WrongOutput wrong_output_of(const Comparison& comparison, const std::optional<Tile>& tile,
                            const std::vector<device::Writer>& writers = {});

/// Says who stored what in an output of which the comparison is no longer there.
void name_storers(WrongOutput& output, const std::vector<device::Writer>& writers);

}  // namespace assay
